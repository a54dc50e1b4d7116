import Glibc

/// The file at a path, inspected without opening it or following a final link.
package struct FileFacts: Sendable, Equatable {
    package enum Kind: String, Sendable { case file, folder, socket, link, other }

    package let kind: Kind
    package let owner: UInt32
    /// The permission bits.
    package let mode: UInt32
    package let size: Int

    /// Returns nil where the file is missing or cannot be inspected.
    package static func of(_ path: String) -> Self? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFSOCK: .socket
            case S_IFLNK: .link
            default: .other
            }
        return Self(kind: kind, owner: status.st_uid, mode: status.st_mode & 0o7777, size: Int(status.st_size))
    }

    /// The permissions in octal, such as `0700`.
    package var modeText: String { "0" + String(mode, radix: 8) }
}
