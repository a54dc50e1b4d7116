package import Foundation
import Synchronization

/// A program beside a test, with the default signal mask and handlers of a shell.
///
/// It is killed with the last reference to it.
package final class StartedProgram: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let id: pid_t
    /// Readable once the program has ended: it holds the other end.
    package let gone: Int32
    private let status = Mutex<Int32?>(nil)

    /// Its output goes to files.
    package init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        output: String,
        errors: String
    ) throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(description: "pair: \(errno)") }
        let held = ends[1]
        defer { close(held) }
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        // A descriptor that no program expects; the copy survives exec, unlike the original.
        unsafe posix_spawn_file_actions_adddup2(&actions, held, 99)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = unsafe Self.words([program] + arguments)
        let variables = unsafe Self.words(environment.map { "\($0.key)=\($0.value)" })
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var id: pid_t = 0
        let result = unsafe posix_spawn(&id, program, &actions, &attributes, words, variables)
        guard result == 0 else {
            close(ends[0])
            throw Failure(description: "cannot start \(program): \(result)")
        }
        self.id = id
        gone = ends[0]
    }

    private static func words(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe texts.map { unsafe strdup($0) } + [nil]
    }

    deinit {
        if status.withLock({ $0 }) == nil {
            kill(id, SIGKILL)
            _ = waitpid(id, nil, 0)
        }
        close(gone)
    }

    package func signal(_ number: Int32) {
        // Once it has been reaped, the process id may belong to another process.
        status.withLock { if $0 == nil { kill(id, number) } }
    }

    /// Waits for its end and returns its exit status; the negative number of a signal.
    @discardableResult
    package func end() async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try self.waitForEnd() }) }
        }
    }

    private func waitForEnd() throws -> Int32 {
        var poll = pollfd(fd: gone, events: Int16(POLLIN), revents: 0)
        // Only a failing test gets here, and must end as well.
        guard unsafe Foundation.poll(&poll, 1, 60_000) > 0 else { throw Failure(description: "\(id) does not end") }
        return status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            unsafe waitpid(id, &raw, 0)
            let code = raw & 0x7f == 0 ? (raw >> 8) & 0xff : -(raw & 0x7f)
            status = code
            return code
        }
    }
}
