import Glibc
package import WireBase
package import WireTelemetry

/// The log of a program on this host, whose form depends on standard error.
package enum HostLog {
    /// The socket of the journal.
    package static let journal = "/run/systemd/journal/socket"

    /// Creates a queue that writes to standard error: text for a terminal, fields for the journal, otherwise JSON
    /// lines.
    ///
    /// A given form overrides this.
    package static func standard(
        _ environment: Environment,
        as form: (any LogForm)? = nil,
        identifier: String = "corewire",
        journal: String = journal,
        capacity: Int = 4_096,
        clock: TimeSource = .host
    ) throws(HostError) -> LogQueue {
        let number = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw HostError.system(.socket, "standard error") }
        let standardError = Descriptor(owning: number)
        let facts = HostFacts.now(environment)
        guard form == nil, facts.hasJournal else {
            let usual: any LogForm = facts.hasTerminal ? HumanLogForm(hasColours: facts.hasColours) : JSONLogForm()
            return LogQueue(to: StreamOutput(standardError, form ?? usual), capacity: capacity, clock: clock)
        }
        let stream = StreamOutput(standardError, HumanLogForm(start: .priority))
        let socket = try DatagramSocket(to: UnixAddress(journal), waiting: .seconds(1))
        let output = JournalOutput(socket, JournalLogForm(identifier: identifier), otherwise: stream)
        return LogQueue(to: output, capacity: capacity, clock: clock)
    }
}
