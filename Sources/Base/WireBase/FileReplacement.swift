import Glibc

/// Takes bytes in their order.
package protocol ByteOutput {
    func write(_ bytes: [UInt8]) throws(Fault)
}

/// A file that is written in pieces and gets its name at the end, so that readers never see a partial file.
///
/// Without ``commit()``, nothing is left of it: until then the file has no name, so that a killed process leaves none.
/// It is a draft on file systems without such files, and for a moment before it replaces another file. The next
/// replacement of the same file removes the draft of a killed process.
package final class FileReplacement: ByteOutput {
    private let target: String
    /// The first name of a file that has had none.
    private let firstName: String
    /// The permissions that the file must have; nil where the umask decides.
    private let mode: UInt32?
    private let descriptor: Int32
    /// The path before ``commit()``; nil where the file has none.
    package private(set) var draft: String?

    /// Begins a file beside the one that it replaces.
    ///
    /// The new file keeps the permissions of the old one unless others are given. Fails where the path is not that of a
    /// regular file; with `onlyNew` also where there is a file, at the latest in ``commit()``.
    package init(of path: String, permissions: UInt32? = nil, onlyNew: Bool = false) throws(Fault) {
        target =
            unsafe realpath(path, nil).map { resolved -> String in
                defer { unsafe free(resolved) }
                return unsafe String(cString: resolved)
            } ?? path
        let present = Files.status(of: target)
        if let present, present.st_mode & S_IFMT != S_IFREG {
            throw Fault("not a regular file")
        }
        // A new file follows the umask; a replaced one keeps its mode.
        mode = permissions ?? present.map { $0.st_mode & 0o7777 }
        firstName = onlyNew ? target : FileDraft.name(of: target)
        try Self.checkAbsence(of: firstName, for: target)
        FileDraft.removeAbandoned(of: target)
        if let unnamed = Self.unnamed(beside: target, mode ?? 0o666) {
            descriptor = unnamed
        } else {
            let made = try FileDraft.make(of: target, mode ?? 0o666)
            (descriptor, draft) = (made.descriptor, made.path)
        }
    }

    deinit {
        if let draft { _ = unsafe unlink(draft) }
        _ = close(descriptor)
    }

    package func write(_ bytes: [UInt8]) throws(Fault) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno != EINTR { throw Files.failure() }
            written += max(0, count)
        }
    }

    /// Flushes the file to the disk and gives it its name.
    package func commit() throws(Fault) {
        if let mode, fchmod(descriptor, mode) != 0 { throw Files.failure() }
        guard fsync(descriptor) == 0 else { throw Files.failure() }
        // A link never replaces a file.
        if draft == nil || firstName == target {
            let present = draft ?? Self.path(of: descriptor)
            let code = unsafe linkat(AT_FDCWD, present, AT_FDCWD, firstName, AT_SYMLINK_FOLLOW)
            if code != 0, let draft, errno == EPERM || errno == EOPNOTSUPP { return try renameNew(draft) }
            guard code == 0 else { throw Files.failure() }
        }
        guard firstName != target else { return }
        let former = draft ?? firstName
        draft = former
        guard unsafe rename(former, target) == 0 else { throw Files.failure() }
        draft = nil
    }

    /// Gives a draft its name on a file system without links, such as FAT: an empty file takes the name first.
    private func renameNew(_ former: String) throws(Fault) {
        let place = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard place >= 0 else { throw Files.failure() }
        _ = close(place)
        guard unsafe rename(former, target) == 0 else {
            let failure = Files.failure()
            _ = unsafe unlink(target)
            throw failure
        }
        draft = nil
    }

    /// Throws now what would fail at the end.
    private static func checkAbsence(of name: String, for target: String) throws(Fault) {
        var status = stat()
        if unsafe lstat(name, &status) == 0 { errno = EEXIST } else if errno == ENOENT, !target.isEmpty { return }
        throw Files.failure()
    }

    /// Opens a file without a name; nil where it could not get one later.
    private static func unnamed(beside target: String, _ mode: UInt32) -> Int32? {
        let descriptor = unsafe open(FileDraft.folder(of: target), O_WRONLY | Self.temporary | O_CLOEXEC, mode)
        guard descriptor >= 0 else { return nil }
        guard Files.exists(path(of: descriptor)) else {
            _ = close(descriptor)
            return nil
        }
        // It is a draft between its first name and its last.
        FileDraft.lock(descriptor)
        return descriptor
    }

    private static func path(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// O_TMPFILE, which is not imported.
    private static let temporary = 0o20_000_000 | O_DIRECTORY
}
