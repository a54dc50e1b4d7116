import Dispatch
import Synchronization
import WireBase
import WireHTTP

/// A thread that reads and answers requests of its connections.
///
/// Connections stay in their thread, so threads share nothing but the requests' resources. Other threads queue orders and
/// wake the thread, which takes a system call only while the thread sleeps. Tasks of short requests run here too: what
/// they wait for wakes the thread that sends the response.
final class ConnectionThread: TaskExecutor {
    let tally: Tally
    private let wakeup: AcceptWakeup
    private let attention = Atomic<Int>(Attention.busy)
    private let orders = Mutex(Orders())
    /// The connection that is being passed to the library.
    private let arriving = Mutex<Connection?>(nil)
    private let thread = Mutex<SystemThread?>(nil)

    /// The state of the thread's thread, and its pending wake-ups.
    private enum Attention {
        static let busy = 0
        static let called = 1
        static let asleep = 2
    }

    private struct Orders {
        var arrivals: [Connection] = []
        /// Connections to review, by their serials.
        var reviews: [UInt64: Connection] = [:]
        var jobs: [UnownedJob] = []
        var isEnding = false
    }

    /// Nil where the system has no thread or descriptor left.
    init?(_ tally: Tally, _ limits: ListenerLimits) {
        guard let wakeup = AcceptWakeup() else { return nil }
        self.tally = tally
        self.wakeup = wakeup
        guard let daemon = Daemon(self, limits) else { return nil }
        let handover = Mutex<Daemon?>(daemon)
        var started = SystemThread("lane") {
            guard let daemon = handover.withLock({ $0.take() }) else { return }
            self.walk(daemon)
        }
        thread.withLock { swap(&$0, &started) }
        if thread.withLock({ $0 == nil }) { return nil }
    }

    // MARK: From any thread

    /// Passes a connection to the thread.
    func accept(_ connection: Connection) {
        orders.withLock { $0.arrivals.append(connection) }
        call()
    }

    /// Reviews a connection once the thread has read what has arrived: a busy thread reads late.
    func review(_ connection: Connection) {
        orders.withLock { $0.reviews[connection.serial] = connection }
        call()
    }

    /// Runs a step of a task on the thread; after its end, on one of the system's.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = orders.withLock { orders in
            if !orders.isEnding { orders.jobs.append(job) }
            return !orders.isEnding
        }
        if isTaken { call() } else { DispatchQueue.global().async { self.run(job) } }
    }

    private func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }

    /// Makes the thread handle its connections without an event.
    func call() {
        while true {
            let (isChanged, found) = attention.compareExchange(
                expected: Attention.busy,
                desired: Attention.called,
                ordering: .sequentiallyConsistent
            )
            if isChanged || found == Attention.called { return }
            if attention.compareExchange(
                expected: Attention.asleep,
                desired: Attention.called,
                ordering: .sequentiallyConsistent
            ).exchanged {
                return wakeup.ring()
            }
        }
    }

    /// Closes the remaining connections, none of which may be suspended, and ends the thread.
    func end() {
        orders.withLock { $0.isEnding = true }
        call()
        thread.withLock { $0.take() }?.join()
    }

    // MARK: Thread

    private func walk(_ daemon: consuming Daemon) {
        while true {
            var reviews: [UInt64: Connection] = [:]
            if attention.exchange(Attention.busy, ordering: .sequentiallyConsistent) == Attention.called {
                let (arrivals, isEnding) = orders.withLock { orders in
                    swap(&reviews, &orders.reviews)
                    defer { orders.arrivals = [] }
                    return (orders.arrivals, orders.isEnding)
                }
                for connection in arrivals { receive(connection, daemon) }
                runJobs()
                if isEnding { return }
            }
            daemon.work()
            for connection in reviews.values { connection.review() }
            let rest = daemon.rest
            guard rest != 0, fallAsleep() else { continue }
            daemon.wait(rest, or: wakeup)
        }
    }

    /// Runs what is queued; only on the thread.
    ///
    /// Tasks that keep waking each other must not keep the library from its work: what they add waits for the next turn.
    func runJobs() {
        let jobs = orders.withLock { orders in
            defer { orders.jobs = [] }
            return orders.jobs
        }
        for job in jobs { run(job) }
    }

    /// Marks the thread as sleeping; returns false if it was called in the meantime.
    private func fallAsleep() -> Bool {
        attention.compareExchange(
            expected: Attention.busy,
            desired: Attention.asleep,
            ordering: .sequentiallyConsistent
        ).exchanged
    }

    private func receive(_ connection: Connection, _ daemon: borrowing Daemon) {
        arriving.withLock { $0 = connection }
        if !daemon.add(connection.descriptor) { connection.closed() }
        arriving.withLock { $0 = nil }
    }

    /// The connection that the library has just started.
    var arrival: Connection? { arriving.withLock { $0 } }
}

/// The counters of one thread, separate so that processors do not contend for them.
final class Tally: Sendable {
    private let openings = Atomic<Int>(0)
    private let counted = Atomic<Int>(0)
    private let ended = Atomic<Int>(0)
    private let moved = Atomic<UInt64>(0)

    /// The number of open connections.
    var open: Int { openings.load(ordering: .relaxed) }
    var requests: Int { counted.load(ordering: .relaxed) }
    var hangUps: Int { ended.load(ordering: .relaxed) }
    var lastProgress: UInt64 { moved.load(ordering: .relaxed) }

    func opened() { openings.wrappingAdd(1, ordering: .relaxed) }
    func closed() { openings.wrappingSubtract(1, ordering: .relaxed) }
    func countRequest() { counted.wrappingAdd(1, ordering: .relaxed) }
    func countHangUp() { ended.wrappingAdd(1, ordering: .relaxed) }
    func progressed(at time: UInt64) { moved.store(time, ordering: .relaxed) }
}
