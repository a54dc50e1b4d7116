import Synchronization
import WireBase

/// The circuit breakers and retry budgets of servers, by host and port.
final class HostCircuits: Sendable {
    private struct Record {
        var breaker = CircuitBreaker()
        var budget = RetryBudget()
    }

    /// Redirects can lead to any number of hosts: above this limit, healthy ones are forgotten.
    private static let most = 256
    private let records = Mutex<[String: Record]>([:])

    /// Whether a request may go to a host now; a first attempt adds to the retry budget.
    func admit(_ host: String, isFirst: Bool, at now: Duration, _ circuit: Circuit?) -> CircuitBreaker.Answer {
        records.withLock { records in
            Self.makeRoom(for: host, in: &records)
            if isFirst { records[host, default: Record()].budget.noteRequest(at: now) }
            guard let circuit else { return .pass }
            return records[host, default: Record()].breaker.ask(at: now, pause: circuit.pause)
        }
    }

    /// Records the outcome of a request; returns whether the circuit opened or closed.
    func record(_ outcome: CircuitBreaker.Outcome, of host: String, isTrial: Bool, at now: Duration, _ circuit: Circuit)
        -> Bool
    {
        records.withLock { records in
            guard var breaker = records[host]?.breaker else { return false }
            let wasClosed = breaker.isClosed
            breaker.record(
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

    func consumeRetry(of host: String, at now: Duration) -> Bool {
        records.withLock { $0[host, default: Record()].budget.consumeRetry(at: now) }
    }

    /// The hosts with an open circuit, in a stable order.
    var resting: [String] {
        records.withLock { $0.filter { !$0.value.breaker.isClosed }.keys.sorted() }
    }

    /// All hosts, and whether their circuit is open.
    var all: [(host: String, isResting: Bool)] {
        records.withLock { $0.map { ($0.key, !$0.value.breaker.isClosed) } }.sorted { $0.host < $1.host }
    }

    /// Resets all hosts after a change of the settings.
    func forget() { records.withLock { $0 = [:] } }

    private static func makeRoom(for host: String, in records: inout [String: Record]) {
        guard records.count >= most, records[host] == nil else { return }
        records = records.filter { !$0.value.breaker.isClosed }
        if records.count >= most { records = [:] }
    }
}
