import Glibc
import WireBase

/// A folder of this user: a given base, and our own names below it.
package struct HostFolder: Sendable, Equatable {
    let base: String
    let names: [String]

    package init(_ base: String, _ names: [String]) throws(HostError) {
        guard base.hasPrefix("/"), !base.utf8.contains(0) else {
            throw HostError(.folder, base, "expected an absolute path")
        }
        for name in names where ["", ".", ".."].contains(name) || name.utf8.contains(where: { $0 == 0 || $0 == 0x2f }) {
            throw HostError(.folder, name, "is not a valid folder name")
        }
        self.base = base == "/" ? "" : base
        self.names = names
    }

    package var path: String { ([base] + names).joined(separator: "/") }

    /// Returns the path of a file in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates the missing folders for this user alone, and checks the existing ones.
    ///
    /// The base may contain symbolic links, since its owner created them; below it links are refused, and every
    /// folder must belong to this user and not be writable for others.
    package func prepare() throws(HostError) {
        try Self.make(base)
        var path = base.isEmpty ? "/" : base
        let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw HostError.system(.folder, path) }
        var folder = Descriptor(owning: number)
        try Self.checkBase(folder, path)
        for name in names {
            path += path == "/" ? name : "/\(name)"
            guard unsafe mkdirat(folder.number, name, 0o700) == 0 || errno == EEXIST else {
                throw HostError.system(.folder, path)
            }
            // An existing folder may be from a start that was killed before the disk had its name.
            try Self.keepNames(in: folder, path)
            let number = unsafe openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else {
                let isLink = errno == ELOOP || errno == ENOTDIR
                throw isLink
                    ? HostError(.folder, path, "a link or a file, expected a folder") : .system(.folder, path)
            }
            folder = Descriptor(owning: number)
            try Self.checkOwn(folder, path)
        }
    }

    /// Permits or forbids other users to pass through the folder; they never see its names.
    package func letOthersPass(_ doesPass: Bool) throws(HostError) {
        guard unsafe chmod(path, doesPass ? 0o711 : 0o700) == 0 else { throw HostError.system(.folder, path) }
    }

    /// Creates a path of folders; existing ones may be links to folders.
    private static func make(_ path: String) throws(HostError) {
        var made = ""
        for name in path.split(separator: "/") {
            let above = made
            made += "/\(name)"
            if unsafe mkdir(made, 0o700) == 0 {
                let number = unsafe open("\(above)/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                if number >= 0 { try keepNames(in: Descriptor(owning: number), made) }
            } else {
                let number = errno
                if number != EEXIST, !Files.isFolder(made) { throw HostError.system(.folder, made, number) }
            }
        }
    }

    /// Syncs a folder: without its name on the disk, its contents are lost in a power cut.
    private static func keepNames(in folder: borrowing Descriptor, _ path: String) throws(HostError) {
        // Some file systems do not support syncing folders and do not need it.
        guard fsync(folder.number) == 0 || errno == EINVAL else { throw HostError.system(.folder, path) }
    }

    static func checkBase(_ folder: borrowing Descriptor, _ path: String) throws(HostError) {
        let status = try status(of: folder, path)
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw HostError(.folder, path, "owned by user \(status.st_uid), expected \(geteuid()) or root")
        }
        // In a sticky folder like /tmp users cannot move each other's files.
        guard status.st_mode & 0o002 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw HostError(.folder, path, "writable for all users (mode \(mode(status)))")
        }
    }

    static func checkOwn(_ folder: borrowing Descriptor, _ path: String) throws(HostError) {
        let status = try status(of: folder, path)
        guard status.st_uid == geteuid() else {
            throw HostError(.folder, path, "owned by user \(status.st_uid), expected \(geteuid())")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw HostError(.folder, path, "other users may write to it (mode \(mode(status)), expected 0700)")
        }
    }

    private static func status(of folder: borrowing Descriptor, _ path: String) throws(HostError) -> stat {
        var status = stat()
        guard unsafe fstat(folder.number, &status) == 0 else { throw HostError.system(.folder, path) }
        return status
    }

    private static func mode(_ status: stat) -> String {
        "0" + String(status.st_mode & 0o7777, radix: 8)
    }
}
