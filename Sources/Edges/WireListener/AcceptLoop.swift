import WireBase
import CLinux
import Glibc
import WireHTTP

/// The work of the accept loop, on its own thread.
struct AcceptLoop: ~Copyable {
    private var socket: ListeningSocket?
    private let threads: [ConnectionThread]
    private let wakeup: AcceptWakeup
    private let context: ListenerContext
    private let watch: EpollSet
    private var refused = RefusedCallers()
    private var memory = MemoryReturn()
    /// When accepting resumes; nil while it is not paused.
    private var resumesAt: UInt64?
    private let tick: UInt64
    /// When all connections are next checked for timeouts; at an event only its own, since there may be thousands.
    private var nextCheck: UInt64 = 0
    /// The first of the descriptors reserved for the rest of the program.
    private let reserved = Self.firstReserved

    /// The tags of events; connections use their serials, which begin at 1 and never come near these.
    private static let socketTag = UInt64.max
    private static let wakeupTag = UInt64.max - 1

    init(
        _ socket: consuming ListeningSocket,
        _ threads: [ConnectionThread],
        _ wakeup: AcceptWakeup,
        _ context: ListenerContext
    ) {
        watch = context.watch
        watch.add(wakeup.descriptor, tag: Self.wakeupTag, corewire_epoll_in)
        watch.add(socket.descriptor, tag: Self.socketTag, corewire_epoll_in)
        self.socket = consume socket
        self.threads = threads
        self.wakeup = wakeup
        self.context = context
        let shortest = min(context.limits.receive.nanoseconds, context.limits.idle.nanoseconds)
        tick = min(max(shortest / 4, 5_000_000), 500_000_000)
    }

    /// Runs until the order to close and the end of all connections or of the deadline.
    mutating func run(_ closesAt: () -> UInt64?) {
        while true {
            let closing = closesAt()
            if closing != nil { beginClosing() }
            let now = Monotonic.now
            if let closing, now >= closing || context.isEmpty { return }
            for event in watch.wait(nanoseconds: rest(closing, now)) { answer(event) }
            checkTimers(at: Monotonic.now)
        }
    }

    /// Returns the longest wait for an event; nil without connections and without a deadline.
    private func rest(_ closing: UInt64?, _ now: UInt64) -> UInt64? {
        let isQuiet = context.isEmpty && refused.isEmpty && resumesAt == nil && memory.isIdle
        let untilClosing = closing.map { $0 > now ? $0 - now : 0 }
        let untilCheck = nextCheck > now ? nextCheck - now : 0
        return isQuiet ? untilClosing : min(tick, untilCheck, untilClosing ?? tick)
    }

    private mutating func answer(_ event: EpollSet.Event) {
        switch event.tag {
        case Self.socketTag: accept()
        case Self.wakeupTag: wakeup.reset()
        default:
            guard let connection = context.connection(event.tag) else { return }
            connection.handleEvent(isWhole: event.isWhole)
            connection.checkTimeouts(at: Monotonic.now)
        }
    }

    // MARK: Accepting

    private mutating func accept() {
        // Limited, so that many new connections do not delay other work.
        for _ in 0..<64 {
            guard let listening = socket?.descriptor else { return }
            guard let (descriptor, address) = SocketAddress.accept(listening) else {
                // An aborted connection or a signal is no reason to stop.
                if errno == ECONNABORTED || errno == EINTR { continue }
                if errno != EAGAIN { pause() }
                return
            }
            guard descriptor < reserved else {
                turnAway(descriptor)
                return
            }
            take(descriptor, from: address)
        }
    }

    /// Refuses a connection with one of the last descriptors; the system assigns the lowest free one.
    ///
    /// The store and the log need some descriptors, and libdispatch ends the process if it cannot open one to count
    /// its threads.
    private mutating func turnAway(_ descriptor: Int32) {
        RawAnswer.send(RefusedCallers.answer, to: descriptor)
        _ = close(descriptor)
        pause()
    }

    private static var firstReserved: Int32 {
        let limit = DescriptorLimit.present
        return Int32(clamping: limit - min(32, limit / 4))
    }

    private mutating func take(_ descriptor: Int32, from address: SocketAddress) {
        let caller = caller(descriptor, address)
        // The thread with the fewest connections.
        let thread = threads.min { $0.tally.open < $1.tally.open }
        guard let thread, let connection = context.admit(descriptor, caller, to: thread) else {
            refused.refuse(descriptor, at: Monotonic.now)
            return
        }
        // Edge-triggered and without input: one event at a disconnect, none for each request.
        watch.add(descriptor, tag: connection.serial, corewire_epoll_half_or_whole_hang_up_once)
        thread.accept(connection)
        memory.note(open: threads.reduce(0) { $0 + $1.tally.open })
    }

    private func caller(_ descriptor: Int32, _ address: SocketAddress) -> Caller {
        guard address.family == AF_INET || address.family == AF_INET6 else {
            return PeerCredentials.of(descriptor).map { .process(user: $0.user, group: $0.group, id: $0.id) }
                // A peer that cannot be identified counts as a user without any rights.
                ?? .process(user: .max, group: .max, id: 0)
        }
        // Sends pieces of a body at once, without waiting for the confirmation of earlier ones.
        var on: Int32 = 1
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return .address(address.host)
    }

    /// Pauses accepting while descriptors or memory are exhausted.
    private mutating func pause() {
        if let socket = socket?.descriptor { watch.remove(socket) }
        resumesAt = Monotonic.now + tick
    }

    // MARK: Ending

    private mutating func checkTimers(at now: UInt64) {
        if let time = resumesAt, now >= time {
            resumesAt = nil
            if let socket = socket?.descriptor { watch.add(socket, tag: Self.socketTag, corewire_epoll_in) }
        }
        refused.sweep(at: now)
        guard now >= nextCheck else { return }
        nextCheck = now + tick
        let connections = context.connections
        memory.check(open: connections.count, at: now)
        for connection in connections {
            connection.checkTimeouts(at: now)
            connection.endInput()
        }
    }

    private mutating func beginClosing() {
        guard let socket = socket.take() else { return }
        watch.remove(socket.descriptor)
        for connection in context.connections { connection.leaveWhenIdle() }
    }

    /// Closes the remaining connections.
    consuming func end() {
        // The library must not end with a suspended connection.
        for connection in context.connections { connection.abandon() }
        refused.closeAll()
        for thread in threads { thread.end() }
        context.forgetAll()
    }
}
