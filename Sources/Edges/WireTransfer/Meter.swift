import Synchronization

/// What a client counts, as a snapshot.
package struct TransferCounts: Sendable {
    /// Requests that are under way or waiting for a connection.
    package var transfers = 0
    /// Bytes of bodies that are held for a slow reader or a slow server, and the most there ever were.
    package var heldBytes = 0
    package var mostHeldBytes = 0
}

/// Counts what a client holds, from all threads.
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

    func letGo(_ count: Int) {
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
