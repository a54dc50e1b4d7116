import Glibc
import WireBase

/// The lock of the only runner of an app, held until it is released or the process ends.
package struct RunnerLock: ~Copyable, Sendable {
    private let file: Descriptor

    /// Takes the lock, or throws with the holder; while the lock is held, the file has the process and the run.
    ///
    /// The file stays when the lock is released: if it were removed, two processes could each lock a file of that
    /// name.
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

    // The next process must not read the number of a process that is gone.
    deinit { _ = ftruncate(file.number, 0) }

    /// Returns the run that holds the lock at a path; nil for none, or without permission.
    package static func run(at path: String) -> String? {
        guard let bytes = try? Files.read(path, upTo: .kibibytes(1), onlyRegular: true) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.count == 2 ? String(lines[1]) : nil
    }

    /// Returns the process that holds the lock; nil until it has written its number.
    private static func holder(of file: borrowing Descriptor) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file.number, $0.baseAddress, $0.count, 0) }
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0.isDigit }, as: UTF8.self))
    }
}
