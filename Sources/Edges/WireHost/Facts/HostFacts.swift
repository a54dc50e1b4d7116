import Glibc
import WireBase

/// The process's surroundings: terminal, journal, service manager.
package struct HostFacts: Sendable, Equatable {
    package let hostname: String
    package let process: Int32
    package let user: UInt32
    /// Whether standard error is a terminal.
    package let hasTerminal: Bool
    /// Whether the terminal should get colours (no-color.org).
    package let hasColours: Bool
    /// Whether standard error goes to the journal.
    package let hasJournal: Bool
    /// Whether a service manager expects notifications.
    package let hasServiceManager: Bool

    package static func now(_ environment: Environment) -> Self {
        let hasTerminal = isatty(STDERR_FILENO) == 1
        let isPlain = environment["NO_COLOR"] != nil || environment["TERM"] == "dumb"
        return Self(
            hostname: name(),
            process: getpid(),
            user: geteuid(),
            hasTerminal: hasTerminal,
            hasColours: hasTerminal && !isPlain,
            hasJournal: isJournal(STDERR_FILENO, environment),
            hasServiceManager: environment["NOTIFY_SOCKET"] != nil
        )
    }

    /// Whether a descriptor is the stream that the journal opened: `JOURNAL_STREAM` is inherited by programs whose
    /// output has been redirected since.
    static func isJournal(_ descriptor: Int32, _ environment: Environment) -> Bool {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], unsafe fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// The user of this process.
    package static var user: UInt32 { geteuid() }

    /// The working directory.
    package static var workingFolder: String {
        guard let folder = unsafe getcwd(nil, 0) else { return "." }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder)
    }

    package static func name() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
