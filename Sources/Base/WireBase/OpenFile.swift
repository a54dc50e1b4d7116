import Glibc

/// A regular file that is open to be read, from anywhere in it.
package final class OpenFile: Sendable {
    private let descriptor: Int32
    /// How large it was when it was opened.
    package let size: Int
    /// When it was changed last, in milliseconds since 1970.
    package let modified: Int64
    /// Another one whenever what it holds is another: from the file system's name for it, its size and its time.
    package let version: String

    /// Opens a file below a folder, by the names that lead to it; nil where there is none.
    ///
    /// No name leads out of the folder: symbolic links are not followed, and what is no regular file counts as none.
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

    /// At most so many bytes from an offset on; none at the end.
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
