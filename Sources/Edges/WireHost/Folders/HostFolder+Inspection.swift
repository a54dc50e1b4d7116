import Glibc
import WireBase

extension HostFolder {
    /// The result of inspecting the folder, which creates nothing.
    package enum Inspection: Sendable, Equatable {
        case ready
        /// The folder is missing and would be created below this one.
        case missing(below: String)
    }

    /// Inspects the folder by the rules of ``prepare()``.
    package func inspect() throws(HostError) -> Inspection {
        var existing = base
        while !existing.isEmpty, !Files.exists(existing) { existing = Self.parent(of: existing) }
        let start = existing.isEmpty ? "/" : existing
        guard existing == base else { return try Self.mayBeMade(below: start) }
        let number = unsafe open(start, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw HostError.system(.folder, start) }
        var folder = Descriptor(owning: number)
        try Self.checkBase(folder, start)
        var path = start
        for name in names {
            let below = path
            path += path == "/" ? name : "/\(name)"
            let number = unsafe openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if number < 0, errno == ENOENT { return try Self.mayBeMade(below: below) }
            guard number >= 0 else {
                let isLink = errno == ELOOP || errno == ENOTDIR
                throw isLink
                    ? HostError(.folder, path, "a link or a file, expected a folder") : .system(.folder, path)
            }
            folder = Descriptor(owning: number)
            try Self.checkOwn(folder, path)
        }
        guard Files.isWritable(path) else { throw HostError(.folder, path, "this user may not write to it") }
        return .ready
    }

    private static func mayBeMade(below path: String) throws(HostError) -> Inspection {
        guard Files.isFolder(path) else { throw HostError(.folder, path, "a file, expected a folder") }
        guard Files.isWritable(path) else {
            throw HostError(.folder, path, "this user may not create a folder in it")
        }
        return .missing(below: path)
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
