import Glibc

/// What stands at a path, looked at without opening it and without following a link at its end.
package struct FileFacts: Sendable, Equatable {
    package enum Kind: String, Sendable { case file, folder, socket, link, other }

    package let kind: Kind
    package let owner: UInt32
    /// The permissions, without the kind.
    package let mode: UInt32
    package let size: Int

    /// Nil for what is not there or cannot be looked at.
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

    /// The permissions as people write them: `0700`.
    package var modeText: String { "0" + String(mode, radix: 8) }
}
