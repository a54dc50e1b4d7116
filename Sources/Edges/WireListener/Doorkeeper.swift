import WireBase
import CLinux
import Glibc
import Synchronization
import WireHTTP

/// The thread at the door: accepts, sees who hangs up, shows out who takes too long, and closes in the end.
///
/// It waits in the kernel for all of these at once.
final class Doorkeeper: Sendable {
    private let house: House
    private let bell: Bell
    private let orders = Mutex(Orders())

    private struct Orders {
        /// When everything is closed, whether it is done or not; nil while the listener is open.
        var closesAt: UInt64?
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    init(_ socket: consuming ListeningSocket, house: House) throws(ListenerFailure) {
        self.house = house
        let endpoint = socket.endpoint
        guard let bell = Bell() else { throw ListenerFailure(endpoint, lastError()) }
        self.bell = bell
        let lanes = house.tallies.compactMap { Lane($0, house.limits) }
        guard lanes.count == house.tallies.count else {
            let reason = lastError()
            for lane in lanes { lane.end() }
            throw ListenerFailure(endpoint, "no threads can be started: \(reason)")
        }
        house.bell.withLock { $0 = bell }
        let round = Mutex<Rounds?>(Rounds(socket, lanes, bell, house))
        let isOnDuty = SystemThread.start("listener") {
            guard var round = round.withLock({ $0.take() }) else { return }
            round.walk { self.orders.withLock { $0.closesAt } }
            round.end()
            self.reportClosed()
        }
        guard isOnDuty else {
            let reason = lastError()
            for lane in lanes { lane.end() }
            throw ListenerFailure(endpoint, "no thread can be started: \(reason)")
        }
    }

    /// Returns when everything is closed; a second call can only bring the deadline nearer.
    func close(within deadline: Duration) async {
        let time = Monotonic.now + deadline.nanoseconds
        house.isDraining = true
        await withCheckedContinuation { waiting in
            let isClosed = orders.withLock { orders in
                orders.closesAt = min(orders.closesAt ?? time, time)
                if !orders.isClosed { orders.waiting.append(waiting) }
                return orders.isClosed
            }
            if isClosed { waiting.resume() } else { bell.ring() }
        }
    }

    /// Has everything closed, without waiting for it.
    func closeNow() {
        house.isDraining = true
        orders.withLock { $0.closesAt = 0 }
        bell.ring()
    }

    private func reportClosed() {
        let waiting = orders.withLock { orders in
            orders.isClosed = true
            defer { orders.waiting = [] }
            return orders.waiting
        }
        for waiting in waiting { waiting.resume() }
    }
}

/// Wakes the doorkeeper.
final class Bell: Sendable {
    let descriptor: Int32

    init?() {
        descriptor = corewire_bell()
        if descriptor < 0 { return nil }
    }

    deinit { _ = close(descriptor) }

    func ring() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
    }

    func hush() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
    }
}
