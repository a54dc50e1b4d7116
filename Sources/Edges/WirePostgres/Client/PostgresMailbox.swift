import CPQ
import Glibc
import Synchronization
import WireBase

/// The connections of a client, so that none waits for another's work.
package enum PostgresLine: Int, Sendable, CaseIterable {
    case writer, reader, listener
}

/// The orders of a client's users to its thread, which also runs steps of their tasks.
final class PostgresMailbox: TaskExecutor {
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
        case run(UnownedJob)
    }

    private struct State {
        var orders: [Order] = []
        var ticket = 0
        /// Whether the thread waits, so that the bell has to be rung for an order.
        var isResting = false
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
        let (isTaken, isResting) = state.withLock { state in
            guard !state.hasEnded else { return (false, false) }
            state.orders.append(order)
            defer { state.isResting = false }
            return (true, state.isResting)
        }
        if isResting { ring() }
        return isTaken
    }

    /// Runs a step of a task on the thread; after its end, on one of the system's.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !put(.run(job)) { globalConcurrentExecutor.enqueue(job) }
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
        state.withLock { state in
            defer { state.orders = [] }
            return (state.orders, state.isClosing)
        }
    }

    /// Has the bell rung for the next order; false where there is one.
    func rest() -> Bool {
        state.withLock { state in
            state.isResting = state.orders.isEmpty && !state.isClosing
            return state.isResting
        }
    }

    /// Takes orders without the bell again, which may have been rung.
    func rise(isRung: Bool) {
        var count: UInt64 = 0
        if isRung { _ = unsafe read(bell, &count, MemoryLayout<UInt64>.size) }
        state.withLock { $0.isResting = false }
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
