import Glibc
import WireBase

/// A folder that is this user's alone: a base that others chose, and names below it that are ours.
package struct HostFolder: Sendable, Equatable {
    let base: String
    let names: [String]

    package init(_ base: String, _ names: [String]) throws(HostError) {
        guard base.hasPrefix("/"), !base.utf8.contains(0) else {
            throw HostError(.folder, base, "expected an absolute path")
        }
        for name in names where ["", ".", ".."].contains(name) || name.utf8.contains(where: { $0 == 0 || $0 == 0x2f }) {
            throw HostError(.folder, name, "is no name of a folder")
        }
        self.base = base == "/" ? "" : base
        self.names = names
    }

    package var path: String { ([base] + names).joined(separator: "/") }

    /// The path of a file in it.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes what is missing, for this user alone, and makes sure that what is there is nobody else's.
    ///
    /// The base is followed through links, since its owner made them; below it no link is, and every folder must be
    /// this user's and closed to others' writing.
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
            // One that is there may be from a start that was killed before the disk had its name.
            try Self.keepNames(in: folder, path)
            let number = unsafe openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else {
                let isLink = errno == ELOOP || errno == ENOTDIR
                throw isLink
                    ? HostError(.folder, path, "it is a link or a file, expected a folder") : .system(.folder, path)
            }
            folder = Descriptor(owning: number)
            try Self.checkOwn(folder, path)
        }
    }

    /// Lets other users pass through it, or no longer; its names they do not see.
    package func letOthersPass(_ doesPass: Bool) throws(HostError) {
        guard unsafe chmod(path, doesPass ? 0o711 : 0o700) == 0 else { throw HostError.system(.folder, path) }
    }

    /// Makes a path of folders; what is there already may be a link to a folder.
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

    /// What lies in a folder is lost with its name, however well it was confirmed: the disk is asked for names as well.
    private static func keepNames(in folder: borrowing Descriptor, _ path: String) throws(HostError) {
        // Some file systems cannot be asked, and have nothing to tell.
        guard fsync(folder.number) == 0 || errno == EINVAL else { throw HostError.system(.folder, path) }
    }

    static func checkBase(_ folder: borrowing Descriptor, _ path: String) throws(HostError) {
        let status = try status(of: folder, path)
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw HostError(.folder, path, "it belongs to user \(status.st_uid), expected \(geteuid()) or root")
        }
        // In a folder like /tmp nobody can move away what is another's.
        guard status.st_mode & 0o002 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw HostError(.folder, path, "everybody may write to it (mode \(mode(status)))")
        }
    }

    static func checkOwn(_ folder: borrowing Descriptor, _ path: String) throws(HostError) {
        let status = try status(of: folder, path)
        guard status.st_uid == geteuid() else {
            throw HostError(.folder, path, "it belongs to user \(status.st_uid), expected \(geteuid())")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw HostError(.folder, path, "others may write to it (mode \(mode(status)), expected 0700)")
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
