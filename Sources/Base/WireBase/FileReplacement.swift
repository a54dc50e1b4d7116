import Glibc

/// Takes bytes in their order.
package protocol ByteOutput {
    func write(_ bytes: [UInt8]) throws(Fault)
}

/// A file that is written in pieces and gets its name at the end, so that readers never see a partial file.
///
/// Without ``commit()``, nothing is left of it.
package final class FileReplacement: ByteOutput {
    private let target: String
    private let draft: String
    private let onlyNew: Bool
    /// The permissions that the file must have; nil where the umask decides.
    private let mode: UInt32?
    private var descriptor: Int32
    private var isNamed = false

    /// Begins a file beside the one that it replaces.
    ///
    /// The new file keeps the permissions of the old one unless others are given. Fails where the path is not that of a
    /// regular file; with `onlyNew`, ``commit()`` fails where there is a file.
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
        // Random, since in containers every process may be number 1, and a killed one has left its draft.
        draft = "\(target).\(getpid()).\(String(UInt32.random(in: 0 ... .max), radix: 36)).new"
        self.onlyNew = onlyNew
        descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
        guard descriptor >= 0 else { throw Files.failure() }
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
        if !isNamed { _ = unsafe unlink(draft) }
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
        let closed = close(descriptor)
        descriptor = -1
        guard closed == 0 else { throw Files.failure() }
        guard onlyNew else {
            guard unsafe rename(draft, target) == 0 else { throw Files.failure() }
            isNamed = true
            return
        }
        // A link never replaces a file.
        guard unsafe link(draft, target) == 0 else { throw Files.failure() }
    }
}
