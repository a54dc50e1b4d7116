import Glibc
import WireBase

/// What the process can count on where it runs.
package struct HostFacts: Sendable, Equatable {
    package let hostname: String
    package let process: Int32
    package let user: UInt32
    /// Whether a person reads standard error.
    package let hasTerminal: Bool
    /// Whether that person wants colours (no-color.org).
    package let hasColours: Bool
    /// Whether standard error goes to the journal.
    package let hasJournal: Bool
    /// Whether a service manager wants to know.
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

    /// Whether a descriptor is the very stream the journal opened: `JOURNAL_STREAM` is inherited by programs whose
    /// output has long been sent elsewhere.
    static func isJournal(_ descriptor: Int32, _ environment: Environment) -> Bool {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], unsafe fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// Who runs this process.
    package static var user: UInt32 { geteuid() }

    /// The folder relative paths start from.
    package static var workingFolder: String {
        guard let folder = unsafe getcwd(nil, 0) else { return "." }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder)
    }

    private static func name() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
