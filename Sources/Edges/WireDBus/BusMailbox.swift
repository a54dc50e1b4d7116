import CSDBus
import Glibc
import Synchronization
import WireBase
import WireMessageBus

/// The orders of a connection's users to its thread.
final class BusMailbox: Sendable {
    enum Order: Sendable {
        case call(Int, BusCall, due: UInt64, @Sendable (Result<BusReply, BusFailure>) -> Void)
        case forget(Int)
        case emit(BusSignal)
        case subscribe(Int, BusRule, AsyncStream<BusSignal>.Continuation)
        case serve(Int, path: String, interface: String, AsyncStream<BusIncomingCall>.Continuation)
        /// A stream of signals or calls has lost its reader.
        case leave(Int)
        case answer(Int, BusIncomingCall.Answer)
    }

    private struct State {
        var orders: [Order] = []
        var ticket = 0
        var isClosing = false
        /// The reason for the end of the connection.
        var end: BusFailure?
    }

    /// The largest number of queued orders.
    private static let limit = 4_096

    private let state = Mutex(State())
    let wakeup = corewire_bus_bell()
    /// Fires once the connection is closed.
    let ended = OneShot()

    deinit { if wakeup >= 0 { _ = Glibc.close(wakeup) } }

    var ticket: Int {
        state.withLock { state in
            state.ticket += 1
            return state.ticket
        }
    }

    /// Queues an order; throws where the thread has ended or the queue is full.
    func put(_ order: Order) throws(BusFailure) {
        let failure: BusFailure? = state.withLock { state in
            if let end = state.end { return end }
            if state.isClosing { return BusFailure(.lost, "the connection is closed") }
            var mayWait = true
            switch order {
            case .call, .emit: mayWait = state.orders.count < Self.limit
            case .forget, .subscribe, .serve, .leave, .answer: break
            }
            guard mayWait else { return BusFailure(.full, "\(Self.limit) messages are waiting to be sent") }
            state.orders.append(order)
            return nil
        }
        if let failure { throw failure }
        ring()
    }

    func close() {
        state.withLock { $0.isClosing = true }
        ring()
    }

    private func ring() {
        var one: UInt64 = 1
        _ = unsafe write(wakeup, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: Thread

    func dequeue() -> (orders: [Order], isClosing: Bool) {
        state.withLock { state in
            defer { state.orders = [] }
            return (state.orders, state.isClosing)
        }
    }

    /// Refuses further orders; returns the remaining ones.
    func end(_ failure: BusFailure) -> [Order] {
        state.withLock { state in
            state.end = failure
            defer { state.orders = [] }
            return state.orders
        }
    }
}
