import Glibc

/// An open regular file with random access.
package final class OpenFile: Sendable {
    private let descriptor: Int32
    /// The size at opening.
    package let size: Int
    /// The last modification in milliseconds since 1970.
    package let modified: Int64
    /// The version, which changes with the content: derived from the file's identity, size and time.
    package let version: String

    /// Opens a file below a folder by its path; nil for none.
    ///
    /// No path leads out of the folder: symbolic links are not followed, and only regular files count.
    package init?(_ names: [String], below folder: String) throws(Fault) {
        guard !names.isEmpty, names.allSatisfy(Self.isName) else { return nil }
        var place = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for (index, name) in names.enumerated() where place >= 0 {
            let kind = index < names.count - 1 ? O_DIRECTORY : O_NONBLOCK
            let next = unsafe openat(place, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind)
            let reason = errno
            close(place)
            errno = reason
            place = next
        }
        guard place >= 0 else {
            if [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, ENXIO].contains(errno) { return nil }
            throw Files.failure()
        }
        var status = stat()
        guard unsafe fstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(place)
            return nil
        }
        descriptor = place
        size = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        let parts = [
            Int(status.st_ino), size, Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec),
            Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec),
        ]
        version = parts.map { String($0, radix: 36) }.joined(separator: "-")
    }

    deinit { close(descriptor) }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// Returns at most `count` bytes from an offset; none at the end.
    package func read(at offset: Int, upTo count: Int) throws(Fault) -> [UInt8] {
        var found = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            repeat {
                found = unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset))
            } while found < 0 && errno == EINTR
            filled = max(0, found)
        }
        guard found >= 0 else { throw Files.failure() }
        return bytes
    }
}
