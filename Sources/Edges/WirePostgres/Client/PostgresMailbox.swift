import CPQ
import Glibc
import Synchronization
import WireBase

/// The connections of a client, so that none waits for another's work.
package enum PostgresLine: Int, Sendable, CaseIterable {
    case writer, reader, listener
}

/// The orders of a client's users to its thread.
final class PostgresMailbox: Sendable {
    struct Attempt: Sendable {
        let number, host: Int
    }

    enum Order: Sendable {
        case carryOut(PostgresBatch, PostgresLine)
        case forget(Int)
        /// Has all batches end by a time.
        case hasten(UInt64)
        case listen(channel: String)
        /// The lookup of a server's name has ended; nil where there is no memory.
        case begun(PostgresLine, Attempt, PostgresHandle?)
    }

    private struct State {
        var orders: [Order] = []
        var ticket = 0
        /// Whether the bell has been rung since the orders were taken.
        var isRung = false
        var isClosing = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    let bell = corewire_pq_bell()
    let ended = OneShot()

    deinit { if bell >= 0 { _ = Glibc.close(bell) } }

    var ticket: Int {
        state.withLock { state in
            state.ticket += 1
            return state.ticket
        }
    }

    /// Queues an order; false where the thread has ended.
    func put(_ order: Order) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard !state.hasEnded else { return (false, false) }
            state.orders.append(order)
            defer { state.isRung = true }
            return (true, !state.isRung)
        }
        if isFirst { ring() }
        return isTaken
    }

    func close() {
        state.withLock { $0.isClosing = true }
        ring()
    }

    private func ring() {
        var one: UInt64 = 1
        _ = unsafe write(bell, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: Thread

    /// Makes the bell silent, after which it is rung for the orders that are not taken.
    func hush() {
        var count: UInt64 = 0
        _ = unsafe read(bell, &count, MemoryLayout<UInt64>.size)
    }

    func take() -> (orders: [Order], isClosing: Bool) {
        state.withLock { state in
            defer { (state.orders, state.isRung) = ([], false) }
            return (state.orders, state.isClosing)
        }
    }

    /// Refuses further orders; returns the remaining ones.
    func end() -> [Order] {
        state.withLock { state in
            state.hasEnded = true
            defer { state.orders = [] }
            return state.orders
        }
    }
}
