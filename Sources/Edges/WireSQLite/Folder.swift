import Glibc
import WireStore

/// The folder of a group, which belongs to one user and is seen by nobody else.
@safe struct Folder: ~Copyable {
    let path: String
    private let descriptor: Int32

    private init(_ path: String, _ descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Opens the folder, and makes it where it is missing; no link is followed at its end, and no stranger's is taken.
    static func open(_ path: String) throws(StoreFailure) -> Folder {
        // A slash at the end would follow a link.
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreFailure(.refused, "the folder of the store has no name")
        }
        try make(path)
        // One that is there may be from a start that was killed before the disk had its name.
        try keepName(of: path)
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ELOOP || errno == ENOTDIR {
                throw StoreFailure(
                    .foreign,
                    "'\(path)' is a link or a file, not a folder",
                    help: "name the folder itself"
                )
            }
            throw .system(errno, "the folder '\(path)' cannot be opened")
        }
        let folder = Folder(path, descriptor)
        try folder.makePrivate()
        return folder
    }

    /// A folder as it is; nil where none can be opened.
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

    /// Makes a folder and those above it, each for this user alone.
    private static func make(_ path: String) throws(StoreFailure) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .system(errno, "the folder '\(path)' cannot be made")
        }
        let above = String(path[..<slash])
        try make(above)
        try keepName(of: above)
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system(errno, "the folder '\(path)' cannot be made")
        }
    }

    /// What lies in a folder is lost with its name, however well it was confirmed: the disk is asked for the name as well.
    private static func keepName(of path: String) throws(StoreFailure) {
        let above = path.lastIndex(of: "/").map { path[..<$0] + "/" } ?? "."
        let descriptor = unsafe Glibc.open(String(above), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Who may not look into the folder above cannot ask; then somebody else has made this one.
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .system(errno, "the folder '\(path)' cannot be made")
        }
    }

    /// Makes sure that a file is there, is this user's and nobody else may read it; returns whether it is new.
    ///
    /// A file that is there is never opened here: closing it would take SQLite's own locks away from this process.
    func secure(_ name: String) throws(StoreFailure) -> Bool {
        // The mask of the process may only take rights away from what is given here.
        let made = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if made >= 0 {
            defer { _ = close(made) }
            guard fchmod(made, 0o600) == 0, fsync(made) == 0, fsync(descriptor) == 0 else {
                throw .system(errno, "'\(path)/\(name)' cannot be made")
            }
            return true
        }
        guard errno == EEXIST else { throw .system(errno, "'\(path)/\(name)' cannot be made") }
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

    /// Which file stands at a path.
    struct Identity: Equatable, Sendable {
        let device: UInt
        let number: UInt
    }

    static func identity(of path: String) -> Identity? { standing(at: path)?.identity }

    /// Which file stands at a path, and how long it is.
    static func standing(at path: String) -> (identity: Identity, size: Int)? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return (Identity(device: UInt(status.st_dev), number: UInt(status.st_ino)), Int(status.st_size))
    }

    /// The size of a file; nil where there is none.
    func size(of name: String) -> Int? {
        var status = stat()
        return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Int(status.st_size) : nil
    }

    /// The first bytes of a file; nil where there is none.
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

    /// Puts a small file in its place, for good when this returns; processes that do so at the same time take turns.
    func write(_ bytes: [UInt8], to name: String) throws(StoreFailure) {
        let draft = "\(name).new"
        let file = try lockedDraft(draft, of: name)
        // Held until it has its final name: nothing else is written into it.
        defer { _ = close(file) }
        let isWritten =
            unsafe ftruncate(file, 0) == 0 && Glibc.write(file, bytes, bytes.count) == bytes.count
            && fchmod(file, 0o600) == 0 && fsync(file) == 0
        guard isWritten else { throw .system(errno, "'\(path)/\(name)' cannot be written") }
        try rename(draft, to: name)
    }

    /// Opens a draft that no other process writes into, and that has not got its final name meanwhile.
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

    /// Gives a file its final name, for good when this returns.
    func rename(_ name: String, to final: String) throws(StoreFailure) {
        guard unsafe renameat(descriptor, name, descriptor, final) == 0, fsync(descriptor) == 0 else {
            throw .system(errno, "'\(path)/\(final)' cannot be written")
        }
    }
}
