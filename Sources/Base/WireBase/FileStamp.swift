import Glibc

/// The metadata of a file that changes when the file is written or replaced.
package struct FileStamp: Equatable, Sendable {
    package let size: Int
    package let isRegular: Bool
    private let marks: [Int]

    /// Nil where there is no file.
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        (size, isRegular) = (Int(status.st_size), status.st_mode & S_IFMT == S_IFREG)
        marks = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
}
