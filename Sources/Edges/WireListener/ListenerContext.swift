import Synchronization
import WireHTTP

/// The state shared by all threads of a listener: responder, limits, connections, counters.
final class ListenerContext: Sendable {
    let responder: any Responder
    let limits: ListenerLimits
    let tasks = RequestTasks()

    let watch = EpollSet()
    /// The counters by thread.
    let tallies: [Tally]

    /// Rings when the last connection of a closing listener ends.
    let wakeup = Mutex<AcceptWakeup?>(nil)

    private let tracked = Mutex(TrackedConnections())
    private let draining = Atomic<Bool>(false)

    init(responder: any Responder, limits: ListenerLimits, threads: Int) {
        tallies = (0..<threads).map { _ in Tally() }
        self.responder = responder
        self.limits = limits
    }

    /// Whether connections close after their current response.
    var isDraining: Bool {
        get { draining.load(ordering: .acquiring) }
        set { draining.store(newValue, ordering: .releasing) }
    }

    var counts: ListenerCounts {
        var counts = tracked.withLock { $0.counts }
        counts.requests = tallies.reduce(0) { $0 + $1.requests }
        counts.hangUps = tallies.reduce(0) { $0 + $1.hangUps }
        counts.lastProgress = tallies.map(\.lastProgress).max() ?? 0
        return counts
    }

    // MARK: Connections

    /// Admits a connection; returns nil at a limit of the listener or of the caller.
    ///
    /// An idle connection is closed to make room, so that callers that only hold connections do not exclude others.
    func admit(_ descriptor: Int32, _ caller: Caller, to thread: ConnectionThread) -> Connection? {
        tracked.withLock { tracked in
            tracked.makeRoom(for: caller, limits)
            return tracked.admit(caller, limits).map { serial in
                let connection = Connection(
                    serial: serial,
                    descriptor: descriptor,
                    caller: caller,
                    thread: thread,
                    context: self
                )
                tracked.connections[serial] = connection
                thread.tally.opened()
                return connection
            }
        }
    }

    func connection(_ serial: UInt64) -> Connection? {
        tracked.withLock { $0.connections[serial] }
    }

    var connections: [Connection] {
        tracked.withLock { Array($0.connections.values) }
    }

    var isEmpty: Bool {
        tracked.withLock { $0.connections.isEmpty }
    }

    func left(_ connection: Connection) {
        let isLast = tracked.withLock { tracked in
            guard tracked.connections.removeValue(forKey: connection.serial) != nil else { return false }
            connection.thread.tally.closed()
            if tracked.leaving.remove(connection.serial) == nil { tracked.leave(connection.caller) }
            return tracked.connections.isEmpty
        }
        if isLast, isDraining { wakeup.withLock { $0 }?.ring() }
    }

    /// Removes connections that the library closed without a notification.
    func forgetAll() {
        for connection in connections { connection.closed() }
    }
}

/// The open connections and their numbers.
private struct TrackedConnections {
    var connections: [UInt64: Connection] = [:]
    /// Connections that are being closed and no longer count.
    var leaving: Set<UInt64> = []
    private var byCaller: [Caller: Int] = [:]
    private var accepted = 0
    private var refused = 0

    var counts: ListenerCounts {
        var counts = ListenerCounts()
        counts.openConnections = connections.count
        counts.acceptedConnections = accepted
        counts.refusedConnections = refused
        return counts
    }

    mutating func admit(_ caller: Caller, _ limits: ListenerLimits) -> UInt64? {
        accepted += 1
        guard hasRoom(for: caller, limits), leaving.count < limits.connections else {
            refused += 1
            return nil
        }
        byCaller[caller.whole, default: 0] += 1
        return UInt64(accepted)
    }

    private func hasRoom(for caller: Caller, _ limits: ListenerLimits) -> Bool {
        connections.count - leaving.count < limits.connections
            && byCaller[caller.whole, default: 0] < limits.connectionsPerCaller
    }

    /// Closes an idle connection to make room: one of the caller, or of the caller with the most.
    ///
    /// Connections that their callers have closed go first, since a busy thread notices that late; then unused ones, so
    /// that a crowd of them ends no connection in use.
    mutating func makeRoom(for caller: Caller, _ limits: ListenerLimits) {
        guard !hasRoom(for: caller, limits) else { return }
        let isCrowd = byCaller[caller.whole, default: 0] >= limits.connectionsPerCaller
        let crowd = isCrowd ? caller.whole : byCaller.max { $0.value < $1.value }?.key
        let idle = connections.values.compactMap { connection in
            connection.caller.whole == crowd ? connection.idleness.map { (connection, $0) } : nil
        }
        for (connection, _) in idle.sorted(by: { $0.1 < $1.1 }) where connection.evictIfIdle() {
            leaving.insert(connection.serial)
            return leave(connection.caller)
        }
    }

    mutating func leave(_ caller: Caller) {
        let left = byCaller[caller.whole, default: 1] - 1
        byCaller[caller.whole] = left > 0 ? left : nil
    }
}

extension Caller {
    /// The caller for limits: all processes of a user count as one.
    fileprivate var whole: Caller {
        switch self {
        case .process(let user, _, _): .process(user: user, group: 0, id: 0)
        case .address: self
        }
    }
}
