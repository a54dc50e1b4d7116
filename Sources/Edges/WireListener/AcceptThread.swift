import WireBase
import CLinux
import Glibc
import Synchronization
import WireHTTP

/// The accept loop: accepts connections, notices disconnects, enforces timeouts, and closes all in the end.
///
/// One wait in the kernel covers all of these.
final class AcceptThread: Sendable {
    private let house: ListenerContext
    private let bell: AcceptWakeup
    /// The time at which everything is closed; nil while the listener is open.
    private let closesAt = Mutex<UInt64?>(nil)
    private let closed = OneShot()

    init(_ socket: consuming ListeningSocket, house: ListenerContext) throws(ListenerFailure) {
        self.house = house
        let endpoint = socket.endpoint
        guard let bell = AcceptWakeup() else { throw ListenerFailure(endpoint, lastError()) }
        self.bell = bell
        let lanes = house.tallies.compactMap { ConnectionThread($0, house.limits) }
        guard lanes.count == house.tallies.count else {
            let reason = lastError()
            for lane in lanes { lane.end() }
            throw ListenerFailure(endpoint, "no threads can be started: \(reason)")
        }
        house.bell.withLock { $0 = bell }
        let round = Mutex<AcceptLoop?>(AcceptLoop(socket, lanes, bell, house))
        let isOnDuty = SystemThread.start("listener") {
            guard var round = round.withLock({ $0.take() }) else { return }
            round.walk { self.closesAt.withLock { $0 } }
            round.end()
            self.closed.fire()
        }
        guard isOnDuty else {
            let reason = lastError()
            for lane in lanes { lane.end() }
            throw ListenerFailure(endpoint, "no thread can be started: \(reason)")
        }
    }

    /// Returns when everything is closed; a second call can only shorten the deadline.
    func close(within deadline: Duration) async {
        let time = Monotonic.now + deadline.nanoseconds
        house.isDraining = true
        closesAt.withLock { $0 = min($0 ?? time, time) }
        if !closed.hasFired { bell.ring() }
        await closed.waitIgnoringCancellation()
    }

    /// Closes everything without waiting for the end.
    func closeNow() {
        house.isDraining = true
        closesAt.withLock { $0 = 0 }
        bell.ring()
    }
}

/// Wakes the accept loop.
final class AcceptWakeup: Sendable {
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
