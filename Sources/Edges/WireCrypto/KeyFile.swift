import Glibc
import WireBase
import WireSecrets
package import WireStore

/// A file of 32 bytes with the key of a folder, created at the first use and readable by its owner only.
package enum KeyFile {
    /// Reads the key of a folder, creating it if necessary; concurrent processes get the same key.
    package static func key(in folder: String, named name: String = "store.key") throws(StoreFailure) -> SealingKey {
        let descriptor = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("the folder '\(folder)' cannot be opened") }
        defer { _ = close(descriptor) }
        let path = "\(folder)/\(name)"
        if let key = try read(name, in: descriptor, path) { return key }
        try make(name, in: descriptor, path)
        guard let key = try read(name, in: descriptor, path) else {
            throw failure("the key '\(path)' cannot be opened")
        }
        return key
    }

    private static func read(_ name: String, in folder: Int32, _ path: String) throws(StoreFailure) -> SealingKey? {
        let file = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw failure("the key '\(path)' cannot be opened") }
        defer { _ = close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw failure("the key '\(path)'") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw StoreFailure(
                .foreign,
                "the key '\(path)' does not belong to this user, or other users may read it",
                help: "run chown \(geteuid()) and chmod 600 on the file"
            )
        }
        // One byte more than a key has, to detect a longer file.
        var bytes = [UInt8](repeating: 0, count: SealingKey.size + 1)
        defer { bytes.wipe() }
        var count = 0
        while count < bytes.count {
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw failure("the key '\(path)' cannot be read") }
            if more == 0 { break }
            count += more
        }
        guard count == SealingKey.size else {
            throw StoreFailure(
                .corrupt,
                "the key '\(path)' does not have \(SealingKey.size) bytes"
            )
        }
        return try SealingKey(Secret(Array(bytes.prefix(count))))
    }

    /// Writes a new key to a draft and links it once the disk has confirmed it: other processes never see a partial
    /// key, and an existing key is never replaced.
    private static func make(_ name: String, in folder: Int32, _ path: String) throws(StoreFailure) {
        var key = try StoreFailure.rethrowing(try OpenSSLSecrecy().random(SealingKey.size))
        defer { key.wipe() }
        let draft = "\(name).\(getpid()).\(UInt64.random(in: 0 ... .max)).new"
        let file = unsafe openat(folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("the key '\(path)' cannot be created") }
        defer { _ = unsafe unlinkat(folder, draft, 0) }
        let count = unsafe write(file, key, key.count)
        let isWritten = count == key.count && fchmod(file, 0o600) == 0 && fsync(file) == 0
        guard close(file) == 0, isWritten else { throw failure("the key '\(path)' cannot be written") }
        guard unsafe linkat(folder, draft, folder, name, 0) == 0 || errno == EEXIST else {
            throw failure("the key '\(path)' cannot be created")
        }
        guard fsync(folder) == 0 else { throw failure("the key '\(path)' cannot be created") }
    }

    private static func failure(_ what: String) -> StoreFailure {
        let number = errno
        let words = unsafe String(cString: strerror(number))
        let kind: StoreFailure.Kind =
            switch number {
            case EROFS, EACCES, EPERM: .readOnly
            case ENOSPC, EDQUOT: .full
            case ELOOP, ENOTDIR: .foreign
            default: .other
            }
        return StoreFailure(kind, "\(what): \(words.prefix(1).lowercased() + words.dropFirst())")
    }
}
