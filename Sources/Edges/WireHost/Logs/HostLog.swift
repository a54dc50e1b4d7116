import Glibc
package import WireBase
package import WireTelemetry

/// The log of a program on this host: what standard error leads to decides how it looks.
package enum HostLog {
    /// Where the journal takes records.
    package static let journal = "/run/systemd/journal/socket"

    /// A queue to standard error: for people on a terminal, fields where the journal reads it, else an object a line.
    ///
    /// A form that is given is used whatever reads it.
    package static func standard(
        _ environment: Environment,
        as form: (any LogForm)? = nil,
        identifier: String = "corewire",
        journal: String = journal,
        capacity: Int = 4_096,
        clock: Clockwork = .host
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
