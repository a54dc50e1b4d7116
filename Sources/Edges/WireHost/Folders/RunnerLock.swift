import Glibc
import WireBase

/// The right to be the one runner of an app, held until it is let go or the process ends, however it ends.
package struct RunnerLock: ~Copyable, Sendable {
    private let file: Descriptor

    /// Takes the lock, or tells at once who has it; while it is held, the file names the process and the run.
    ///
    /// The file stays when the lock goes: were it removed, two processes could each hold a lock on a file of that name.
    package init(at path: String, run: String = "") throws(HostError) {
        let number = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw HostError.system(.lock, path) }
        let file = Descriptor(owning: number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw HostError.system(.lock, path) }
            let holder = Self.holder(of: file)
            throw HostError(.lockHeld, path, "held by \(holder.map { "process \($0)" } ?? "another process")")
        }
        let text = "\(getpid())\n" + (run.isEmpty ? "" : "\(run)\n")
        guard ftruncate(number, 0) == 0, file.write(Array(text.utf8)) else {
            throw HostError.system(.lock, path)
        }
        self.file = file
    }

    // Who comes next must not be told of a process that is gone.
    deinit { _ = ftruncate(file.number, 0) }

    /// The run that holds the lock at a path; nil where none does, or this user may not know.
    package static func run(at path: String) -> String? {
        guard let bytes = try? Files.read(path, upTo: .kibibytes(1), onlyRegular: true) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.count == 2 ? String(lines[1]) : nil
    }

    /// The process that holds the lock; nil in the moment before it has said so.
    private static func holder(of file: borrowing Descriptor) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file.number, $0.baseAddress, $0.count, 0) }
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0.isDigit }, as: UTF8.self))
    }
}
