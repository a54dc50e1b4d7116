import Synchronization
import WireBase

/// What is remembered of the servers that requests go to, by host and port: how they fail, and how often requests were repeated.
final class Hosts: Sendable {
    private struct Record {
        var breaker = Breaker()
        var budget = RetryBudget()
    }

    /// Redirects can lead to any number of hosts; beyond this those that are well are forgotten.
    private static let most = 256
    private let records = Mutex<[String: Record]>([:])

    /// Whether a request may go to a host now; one that is no repetition allows others to be repeated.
    func ask(_ host: String, isFirst: Bool, at now: Duration, _ circuit: Circuit?) -> Breaker.Answer {
        records.withLock { records in
            Self.makeRoom(for: host, in: &records)
            if isFirst { records[host, default: Record()].budget.noteRequest(at: now) }
            guard let circuit else { return .pass }
            return records[host, default: Record()].breaker.ask(at: now, pause: circuit.pause)
        }
    }

    /// Tells how a request to a host ended; whether that opened or closed the way to it.
    func note(_ outcome: Breaker.Outcome, of host: String, isTrial: Bool, at now: Duration, _ circuit: Circuit) -> Bool
    {
        records.withLock { records in
            guard var breaker = records[host]?.breaker else { return false }
            let wasClosed = breaker.isClosed
            breaker.note(
                outcome,
                ofTrial: isTrial,
                at: now,
                tolerating: circuit.failures,
                pause: circuit.pause
            )
            records[host]?.breaker = breaker
            return wasClosed != breaker.isClosed
        }
    }

    func takeRepetition(of host: String, at now: Duration) -> Bool {
        records.withLock { $0[host, default: Record()].budget.takeRepetition(at: now) }
    }

    /// The hosts that are left alone, or tried, in a lasting order.
    var resting: [String] {
        records.withLock { $0.filter { !$0.value.breaker.isClosed }.keys.sorted() }
    }

    /// All hosts, and whether they are left alone.
    var all: [(host: String, isResting: Bool)] {
        records.withLock { $0.map { ($0.key, !$0.value.breaker.isClosed) } }.sorted { $0.host < $1.host }
    }

    /// What the file says of failures has changed: everybody begins anew.
    func forget() { records.withLock { $0 = [:] } }

    private static func makeRoom(for host: String, in records: inout [String: Record]) {
        guard records.count >= most, records[host] == nil else { return }
        records = records.filter { !$0.value.breaker.isClosed }
        if records.count >= most { records = [:] }
    }
}
