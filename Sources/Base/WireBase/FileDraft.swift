import Glibc

/// Files beside their targets that are locked while they are written.
package enum FileDraft {
    /// The mark by which drafts are told from files of the user.
    private static let mark = "corewire-"

    /// Random, since in containers every process may be number 1.
    static func name(of target: String) -> String {
        // Always 16 digits.
        "\(target).\(mark)\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16)).new"
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
            lock(descriptor)
            var status = stat()
            if unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (path, descriptor) }
            _ = close(descriptor)
        }
    }

    /// Marks a file as being written; the lock ends with its process.
    static func lock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_EX) }

    /// Removes drafts of a file whose processes have ended.
    package static func removeAbandoned(of target: String) {
        let folder = folder(of: target)
        let name = target.lastIndex(of: "/").map { target[target.index(after: $0)...] } ?? target[...]
        let prefix = "\(name).\(mark)"
        for name in Files.names(in: folder, where: { isDraft($0, prefix) }) {
            let path = "\(folder)/\(name)"
            let descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = unsafe unlink(path) }
            _ = close(descriptor)
        }
    }

    private static func isDraft(_ name: String, _ prefix: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(".new") else { return false }
        let number = name.utf8.dropFirst(prefix.utf8.count).dropLast(4)
        return number.count == 16 && number.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
