import Glibc
import WireStore

/// The folder of a group, accessible to one user only.
@safe struct Folder: ~Copyable {
    let path: String
    private let descriptor: Int32

    private init(_ path: String, _ descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Opens the folder, creating it if necessary; refuses a symbolic link and a folder of another user.
    static func open(_ path: String) throws(StoreFailure) -> Folder {
        // A trailing slash would follow a link.
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreFailure(.refused, "the folder of the store has no name")
        }
        try make(path)
        // An existing folder may be from a start that was killed before the disk had its name.
        try keepName(of: path)
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ELOOP || errno == ENOTDIR {
                throw StoreFailure(
                    .foreign,
                    "'\(path)' is a link or a file, not a folder",
                    help: "set the path of the folder itself"
                )
            }
            throw .system(errno, "the folder '\(path)' cannot be opened")
        }
        let folder = Folder(path, descriptor)
        try folder.makePrivate()
        return folder
    }

    /// Opens an existing folder; nil where none can be opened.
    static func existing(_ path: String) -> Folder? {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return descriptor < 0 ? nil : Folder(path, descriptor)
    }

    private func makePrivate() throws(StoreFailure) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system(errno, "the folder '\(path)'") }
        guard status.st_uid == geteuid() else {
            throw StoreFailure(
                .foreign,
                "the folder '\(path)' belongs to user \(status.st_uid), not to the user of this process, \(geteuid())"
            )
        }
        guard status.st_mode & 0o077 != 0 else { return }
        guard fchmod(descriptor, 0o700) == 0 else {
            throw .system(errno, "the folder '\(path)' cannot be made private")
        }
    }

    deinit { _ = close(descriptor) }

    /// Creates a folder and its parents for this user alone.
    private static func make(_ path: String) throws(StoreFailure) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .system(errno, "the folder '\(path)' cannot be created")
        }
        let above = String(path[..<slash])
        try make(above)
        try keepName(of: above)
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system(errno, "the folder '\(path)' cannot be created")
        }
    }

    /// Syncs the parent folder: without its name on the disk, a folder's contents are lost in a power cut.
    private static func keepName(of path: String) throws(StoreFailure) {
        let above = path.lastIndex(of: "/").map { path[..<$0] + "/" } ?? "."
        let descriptor = unsafe Glibc.open(String(above), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Without read permission for the parent the sync is impossible; another user has created the folder then.
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .system(errno, "the folder '\(path)' cannot be created")
        }
    }

    /// Creates a file for this user alone, or checks the owner and mode of an existing one; returns whether it is
    /// new.
    ///
    /// An existing file is never opened here: closing it would release this process's SQLite locks.
    func secure(_ name: String) throws(StoreFailure) -> Bool {
        // The umask can only remove permissions from these.
        let made = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if made >= 0 {
            defer { _ = close(made) }
            guard fchmod(made, 0o600) == 0, fsync(made) == 0, fsync(descriptor) == 0 else {
                throw .system(errno, "'\(path)/\(name)' cannot be created")
            }
            return true
        }
        guard errno == EEXIST else { throw .system(errno, "'\(path)/\(name)' cannot be created") }
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .system(errno, "'\(path)/\(name)'")
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw StoreFailure(.foreign, "'\(path)/\(name)' is not a regular file of this user")
        }
        if status.st_mode & 0o177 != 0, unsafe fchmodat(descriptor, name, 0o600, 0) != 0 {
            throw .system(errno, "'\(path)/\(name)' cannot be made private")
        }
        return false
    }

    /// The identity of the file at a path.
    struct Identity: Equatable, Sendable {
        let device: UInt
        let number: UInt
    }

    static func identity(of path: String) -> Identity? { fileCheck(at: path)?.identity }

    /// Returns the identity and size of the file at a path, and whether parts of it have no place on the disk.
    static func fileCheck(at path: String) -> (identity: Identity, size: Int, isSparse: Bool)? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        let identity = Identity(device: UInt(status.st_dev), number: UInt(status.st_ino))
        return (identity, Int(status.st_size), status.st_blocks * 512 < status.st_size)
    }

    /// Returns the size of a file; nil where there is none.
    func size(of name: String) -> Int? {
        var status = stat()
        return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Int(status.st_size) : nil
    }

    /// Returns the first bytes of a file; nil where there is none.
    func read(_ name: String, upTo size: Int) throws(StoreFailure) -> [UInt8]? {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .system(errno, "'\(path)/\(name)' cannot be opened") }
        defer { _ = close(file) }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = unsafe Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw .system(errno, "'\(path)/\(name)' cannot be read") }
        return Array(bytes.prefix(count))
    }

    /// Writes a small file durably; concurrent writers take turns.
    func write(_ bytes: [UInt8], to name: String) throws(StoreFailure) {
        let draft = "\(name).new"
        let file = try lockedDraft(draft, of: name)
        // Held until the rename, so that no other process writes to it.
        defer { _ = close(file) }
        let isWritten =
            unsafe ftruncate(file, 0) == 0 && Glibc.write(file, bytes, bytes.count) == bytes.count
            && fchmod(file, 0o600) == 0 && fsync(file) == 0
        guard isWritten else { throw .system(errno, "'\(path)/\(name)' cannot be written") }
        try rename(draft, to: name)
    }

    /// Opens a draft for writing by this process only, which has not been renamed in the meantime.
    private func lockedDraft(_ draft: String, of name: String) throws(StoreFailure) -> Int32 {
        while true {
            let file = unsafe openat(descriptor, draft, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw .system(errno, "'\(path)/\(name)' cannot be written") }
            while flock(file, LOCK_EX) != 0 {
                guard errno == EINTR else {
                    let code = errno
                    _ = close(file)
                    throw .system(code, "'\(path)/\(draft)' cannot be locked")
                }
            }
            var (own, present) = (stat(), stat())
            let isStillDraft =
                unsafe fstat(file, &own) == 0 && fstatat(descriptor, draft, &present, AT_SYMLINK_NOFOLLOW) == 0
                && own.st_ino == present.st_ino && own.st_dev == present.st_dev
            if isStillDraft { return file }
            _ = close(file)
        }
    }

    func remove(_ name: String) throws(StoreFailure) {
        guard unsafe unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw .system(errno, "'\(path)/\(name)' cannot be removed")
        }
    }

    /// Renames a file durably.
    func rename(_ name: String, to final: String) throws(StoreFailure) {
        guard unsafe renameat(descriptor, name, descriptor, final) == 0, fsync(descriptor) == 0 else {
            throw .system(errno, "'\(path)/\(final)' cannot be written")
        }
    }
}
