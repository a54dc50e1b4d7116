import Glibc

/// Files beside their targets that are locked while they are written.
package enum FileDraft {
    /// Random, since in containers every process may be number 1.
    static func name(of target: String) -> String {
        "\(target).\(getpid()).\(String(UInt32.random(in: 0 ... .max), radix: 36)).new"
    }

    static func folder(of target: String) -> String {
        guard let end = target.lastIndex(of: "/") else { return "." }
        return end == target.startIndex ? "/" : String(target[..<end])
    }

    /// Makes a draft of a file.
    package static func make(of target: String, _ mode: UInt32) throws(Fault) -> (path: String, descriptor: Int32) {
        while true {
            let path = name(of: target)
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            guard descriptor >= 0 else { throw Files.failure() }
            // Another process may have taken it for abandoned before it had the lock, and then removes it at once.
            _ = flock(descriptor, LOCK_EX)
            var status = stat()
            if unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (path, descriptor) }
            _ = close(descriptor)
        }
    }

    /// Removes drafts of a file whose processes have ended.
    package static func removeAbandoned(of target: String) {
        let folder = folder(of: target)
        let prefix = (target.lastIndex(of: "/").map { target[target.index(after: $0)...] } ?? target[...]) + "."
        for name in Files.names(in: folder, where: { isDraft($0, prefix) }) {
            let path = "\(folder)/\(name)"
            let descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = unsafe unlink(path) }
            _ = close(descriptor)
        }
    }

    private static func isDraft(_ name: String, _ prefix: Substring) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(".new") else { return false }
        let parts = name.dropFirst(prefix.count).dropLast(4).split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && Int32(parts[0]) != nil && UInt32(parts[1], radix: 36) != nil
    }
}
