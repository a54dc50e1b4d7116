import Glibc
package import WireBase

/// The free space of the file system of a path.
package struct DiskFacts: Sendable {
    /// The space that this user may write.
    package let free: ByteCount
    /// Whether no more files can be created, however small.
    package let isOutOfFiles: Bool
    package let isReadOnly: Bool

    /// Returns nil where the file system cannot be queried.
    package static func of(_ path: String) -> Self? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (bytes, isTooMuch) = UInt(status.f_bavail).multipliedReportingOverflow(by: UInt(status.f_frsize))
        return Self(
            free: .bytes(isTooMuch ? .max : Int(clamping: bytes)),
            // Some file systems do not count files.
            isOutOfFiles: status.f_files > 0 && status.f_favail == 0,
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0
        )
    }
}
