import Synchronization

/// A snapshot of a client's counters.
package struct TransferCounts: Sendable {
    /// The number of requests in progress or waiting for a connection.
    package var transfers = 0
    /// The bytes of bodies buffered for a slow reader or server, and their maximum so far.
    package var heldBytes = 0
    package var mostHeldBytes = 0
}

/// The counters of a client, used by all threads.
final class Meter: Sendable {
    private let transfers = Atomic(0)
    private let held = Atomic(0)
    private let mostHeld = Atomic(0)

    func setTransfers(_ count: Int) {
        transfers.store(count, ordering: .relaxed)
    }

    func hold(_ count: Int) {
        let now = held.add(count, ordering: .relaxed).newValue
        _ = mostHeld.max(now, ordering: .relaxed)
    }

    func release(_ count: Int) {
        held.subtract(count, ordering: .relaxed)
    }

    var counts: TransferCounts {
        TransferCounts(
            transfers: transfers.load(ordering: .relaxed),
            heldBytes: held.load(ordering: .relaxed),
            mostHeldBytes: mostHeld.load(ordering: .relaxed)
        )
    }
}
