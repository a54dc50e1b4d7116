import Glibc
package import WireBase

/// How much room there is where a path lies.
package struct DiskFacts: Sendable {
    /// What this user may still write.
    package let free: ByteCount
    /// Whether no more files can be made, however small.
    package let isOutOfFiles: Bool
    package let isReadOnly: Bool

    /// Nil for what cannot be asked about.
    package static func of(_ path: String) -> Self? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (bytes, isTooMuch) = UInt(status.f_bavail).multipliedReportingOverflow(by: UInt(status.f_frsize))
        return Self(
            free: .bytes(isTooMuch ? .max : Int(clamping: bytes)),
            // Some file systems do not count.
            isOutOfFiles: status.f_files > 0 && status.f_favail == 0,
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0
        )
    }
}
