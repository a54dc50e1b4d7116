import CPQ
import Glibc
import Synchronization
import WireBase

/// The connections of a client, so that none waits for another's work.
package enum PostgresLine: Int, Sendable, CaseIterable {
    case writer, reader, listener
}

/// Statements that are carried out in one transaction.
struct PostgresBatch: Sendable {
    let ticket: Int
    let statements: [PostgresStatement]
    /// When to give up; of the monotonic clock.
    var due: UInt64
    /// Whether it was sent in a session that had been reset.
    var wasReset = false
    /// Called once, on the thread of the client.
    let ended: @Sendable (Result<[[PostgresRow]], PostgresFailure>) -> Void

    /// Whether the library can take its statements: their number and size are limited.
    var isSendable: Bool {
        statements.allSatisfy { $0.parameters.count <= 65_535 }
            && statements.reduce(0) { $0 + $1.parameters.reduce($1.text.utf8.count) { $0 + ($1.bytes?.count ?? 0) } }
                < 1 << 30
    }
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
        let isTaken = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.orders.append(order)
            return true
        }
        if isTaken { ring() }
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

    func take() -> (orders: [Order], isClosing: Bool) {
        var count: UInt64 = 0
        _ = unsafe read(bell, &count, MemoryLayout<UInt64>.size)
        return state.withLock { state in
            defer { state.orders = [] }
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
