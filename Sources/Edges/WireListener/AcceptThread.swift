import WireBase
import CLinux
import Glibc
import Synchronization
import WireHTTP

/// The accept loop: accepts connections, notices disconnects, enforces timeouts, and closes all in the end.
///
/// One wait in the kernel covers all of these.
final class AcceptThread: Sendable {
    private let context: ListenerContext
    private let wakeup: AcceptWakeup
    /// The time at which everything is closed; nil while the listener is open.
    private let closesAt = Mutex<UInt64?>(nil)
    private let closed = OneShot()

    init(_ socket: consuming ListeningSocket, context: ListenerContext) throws(ListenerFailure) {
        self.context = context
        let endpoint = socket.endpoint
        guard let wakeup = AcceptWakeup() else { throw ListenerFailure(endpoint, lastError()) }
        self.wakeup = wakeup
        let threads = context.tallies.compactMap { ConnectionThread($0, context.limits) }
        guard threads.count == context.tallies.count else {
            let reason = lastError()
            for thread in threads { thread.end() }
            throw ListenerFailure(endpoint, "no threads can be started: \(reason)")
        }
        context.wakeup.withLock { $0 = wakeup }
        let round = Mutex<AcceptLoop?>(AcceptLoop(socket, threads, wakeup, context))
        let isOnDuty = SystemThread.start("listener") {
            guard var round = round.withLock({ $0.take() }) else { return }
            round.run { self.closesAt.withLock { $0 } }
            round.end()
            self.closed.fire()
        }
        guard isOnDuty else {
            let reason = lastError()
            for thread in threads { thread.end() }
            throw ListenerFailure(endpoint, "no thread can be started: \(reason)")
        }
    }

    /// Returns when everything is closed; a second call can only shorten the deadline.
    func close(within deadline: Duration) async {
        let time = Monotonic.now + deadline.nanoseconds
        context.isDraining = true
        closesAt.withLock { $0 = min($0 ?? time, time) }
        if !closed.hasFired { wakeup.ring() }
        await closed.waitIgnoringCancellation()
    }

    /// Closes everything without waiting for the end.
    func closeNow() {
        context.isDraining = true
        closesAt.withLock { $0 = 0 }
        wakeup.ring()
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

    func reset() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
    }
}
