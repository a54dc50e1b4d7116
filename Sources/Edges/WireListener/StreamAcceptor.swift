import CLinux
import Glibc
import Synchronization
import WireBase
import WireHTTP

/// Accepts the connections of a ``StreamListener`` on a thread of its own, and tells streams when they can be read or
/// written.
final class StreamAcceptor: Sendable {
    private struct State {
        var streams: [UInt64: SocketStream] = [:]
        var counts = ListenerCounts()
        /// The time at which everything is closed; nil while the listener is open.
        var closesAt: UInt64?
    }

    private let state = Mutex(State())
    private let watch = EpollSet()
    private let wakeup: AcceptWakeup
    private let limits: ListenerLimits
    private let accepted: AsyncStream<SocketStream>.Continuation
    /// Fires when everything is closed.
    let closed = OneShot()

    /// The tags of events; streams use their numbers, which begin at 1 and never come near these.
    private static let socketTag = UInt64.max
    private static let wakeupTag = UInt64.max - 1
    /// The pause between two checks of timeouts.
    private static let tick: UInt64 = 250_000_000
    /// The number of descriptors that are left to the rest of the program.
    private static let reserve = 32

    init(
        _ socket: consuming ListeningSocket,
        _ limits: ListenerLimits,
        _ accepted: AsyncStream<SocketStream>.Continuation
    ) throws(ListenerFailure) {
        let endpoint = socket.endpoint
        guard let wakeup = AcceptWakeup() else { throw ListenerFailure(endpoint, lastError()) }
        (self.wakeup, self.limits, self.accepted) = (wakeup, limits, accepted)
        let held = Mutex<ListeningSocket?>(socket)
        let hasThread = SystemThread.start("streams") {
            if let socket = held.withLock({ $0.take() }) { self.run(socket) }
        }
        guard hasThread else { throw ListenerFailure(endpoint, "no thread can be started: \(lastError())") }
    }

    var counts: ListenerCounts {
        state.withLock { state in
            var counts = state.counts
            counts.openConnections = state.streams.count
            return counts
        }
    }

    /// Stops accepting, ends reading, and closes the connections that are left at the deadline.
    func close(within deadline: Duration) {
        let time = Monotonic.now + deadline.nanoseconds
        state.withLock { $0.closesAt = min($0.closesAt ?? time, time) }
        wakeup.ring()
    }

    /// Forgets a connection whose descriptor is closed.
    fileprivate func left(_ number: UInt64) {
        let isLast = state.withLock { state in
            state.streams[number] = nil
            return state.streams.isEmpty && state.closesAt != nil
        }
        if isLast { wakeup.ring() }
    }

    // MARK: The thread

    private func run(_ first: consuming ListeningSocket) {
        var socket: ListeningSocket? = first
        /// When accepting resumes; nil while it is not paused.
        var resumesAt: UInt64?
        watch.add(wakeup.descriptor, tag: Self.wakeupTag, corewire_epoll_in)
        if let descriptor = socket?.descriptor { watch.add(descriptor, tag: Self.socketTag, corewire_epoll_in) }
        while true {
            let (closesAt, isEmpty) = state.withLock { ($0.closesAt, $0.streams.isEmpty) }
            if closesAt != nil, let open = socket.take() {
                watch.remove(open.descriptor)
                for stream in streams { stream.drain() }
            }
            let now = Monotonic.now
            if let closesAt, now >= closesAt || isEmpty { break }
            let untilClosing = closesAt.map { $0 - now }
            let rest = isEmpty && resumesAt == nil ? untilClosing : min(Self.tick, untilClosing ?? Self.tick)
            for event in watch.wait(nanoseconds: rest) {
                switch event.tag {
                case Self.wakeupTag: wakeup.reset()
                case Self.socketTag:
                    guard let descriptor = socket?.descriptor, !accept(descriptor) else { continue }
                    // Descriptors or memory are short.
                    watch.remove(descriptor)
                    resumesAt = Monotonic.now + Self.tick
                default: state.withLock { $0.streams[event.tag] }?.stirred()
                }
            }
            for stream in streams { stream.checkPatience(at: Monotonic.now) }
            if let time = resumesAt, Monotonic.now >= time, let descriptor = socket?.descriptor {
                resumesAt = nil
                watch.add(descriptor, tag: Self.socketTag, corewire_epoll_in)
            }
        }
        for stream in streams { stream.abandon() }
        closed.fire()
    }

    private var streams: [SocketStream] { state.withLock { Array($0.streams.values) } }

    /// Accepts the connections that wait; false where accepting must pause.
    private func accept(_ listening: Int32) -> Bool {
        // Limited, so that many new connections do not delay other work.
        for _ in 0..<64 {
            guard let (descriptor, address) = SocketAddress.accept(listening) else {
                if errno == ECONNABORTED || errno == EINTR { continue }
                return errno == EAGAIN
            }
            guard Int(descriptor) < DescriptorLimit.present - Self.reserve else {
                _ = Glibc.close(descriptor)
                return false
            }
            take(descriptor, isTCP: address.family == AF_INET || address.family == AF_INET6)
        }
        return true
    }

    private func take(_ descriptor: Int32, isTCP: Bool) {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if isTCP { _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size) }
        let new = state.withLock { state -> (number: UInt64, stream: SocketStream)? in
            guard state.streams.count < limits.connections, state.closesAt == nil else {
                state.counts.refusedConnections += 1
                return nil
            }
            state.counts.acceptedConnections += 1
            let number = UInt64(state.counts.acceptedConnections)
            let hold = DescriptorHold(descriptor: descriptor, number: number, acceptor: self)
            let stream = SocketStream(hold, descriptor: descriptor, isDraining: false)
            state.streams[number] = stream
            return (number, stream)
        }
        guard let new else {
            _ = Glibc.close(descriptor)
            return
        }
        watch.add(descriptor, tag: new.number, corewire_epoll_anything_once)
        accepted.yield(new.stream)
    }
}

/// The descriptor of a connection that was accepted here.
private struct DescriptorHold: SocketHold {
    let descriptor: Int32
    let number: UInt64
    let acceptor: StreamAcceptor

    func end() {
        _ = Glibc.close(descriptor)
        acceptor.left(number)
    }
}
