import WireBase
import CLinux
import Glibc
import WireHTTP

/// What the doorkeeper does, on its thread alone.
struct Rounds: ~Copyable {
    private var socket: ListeningSocket?
    private let lanes: [Lane]
    private let bell: Bell
    private let house: House
    private let watch: Watch
    private var refused = RefusedCallers()
    private var isPaused = false
    private let tick: UInt64
    /// The first descriptor that is left to the rest of the program.
    private let reserved = Self.firstReserved

    /// Numbers of events; connections have their serial, which begins at 1 and never comes near these.
    private static let door = UInt64.max
    private static let bellTag = UInt64.max - 1

    init(_ socket: consuming ListeningSocket, _ lanes: [Lane], _ bell: Bell, _ house: House) {
        watch = house.watch
        watch.add(bell.descriptor, tag: Self.bellTag, corewire_epoll_in)
        watch.add(socket.descriptor, tag: Self.door, corewire_epoll_in)
        self.socket = consume socket
        self.lanes = lanes
        self.bell = bell
        self.house = house
        let shortest = min(house.limits.receive.nanoseconds, house.limits.idle.nanoseconds)
        tick = min(max(shortest / 4, 5_000_000), 500_000_000)
    }

    /// Until there is an order to close and either all have left or its time has come.
    mutating func walk(_ closesAt: () -> UInt64?) {
        while true {
            let closing = closesAt()
            if closing != nil { beginClosing() }
            let now = Monotonic.now
            if let closing, now >= closing || house.isEmpty { return }
            for event in watch.wait(nanoseconds: rest(closing, now)) { answer(event) }
            look(at: Monotonic.now)
        }
    }

    /// How long nothing can be due: for ever, while nobody is there.
    private func rest(_ closing: UInt64?, _ now: UInt64) -> UInt64? {
        let isQuiet = house.isEmpty && refused.isEmpty && !isPaused
        let untilClosing = closing.map { $0 > now ? $0 - now : 0 }
        return isQuiet ? untilClosing : min(tick, untilClosing ?? tick)
    }

    private mutating func answer(_ event: Watch.Event) {
        switch event.tag {
        case Self.door: accept()
        case Self.bellTag: bell.hush()
        default: house.connection(event.tag)?.stirred(isWhole: event.isWhole)
        }
    }

    // MARK: In

    private mutating func accept() {
        // A round of them, so that a crowd at the door does not keep it from its other work.
        for _ in 0..<64 {
            guard let listening = socket?.descriptor else { return }
            guard let (descriptor, address) = SocketAddress.accept(listening) else {
                // A connection that ended while it waited is no reason to stop; nor is a signal.
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

    /// The system gives the lowest descriptor that is free: this one says that nearly all are in use.
    ///
    /// Callers must not take the last ones. The store and the log need some to go on, and libdispatch ends the process
    /// when it finds none for a look at its own threads.
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
        // The lane that has the fewest.
        let lane = lanes.min { $0.tally.open < $1.tally.open }
        guard let lane, let connection = house.admit(descriptor, caller, to: lane) else {
            refused.refuse(descriptor, at: Monotonic.now)
            return
        }
        // Edge-triggered and without input: one event when the other end hangs up, none for each request.
        watch.add(descriptor, tag: connection.serial, corewire_epoll_half_or_whole_hang_up_once)
        lane.take(connection)
    }

    private func caller(_ descriptor: Int32, _ address: SocketAddress) -> Caller {
        guard address.family == AF_INET || address.family == AF_INET6 else {
            return PeerCredentials.of(descriptor).map { .process(user: $0.user, group: $0.group, id: $0.id) }
                // Whoever cannot be told is nobody: the user that owns nothing.
                ?? .process(user: .max, group: .max, id: 0)
        }
        // A piece of a body leaves when it is there, and does not wait until the other end has confirmed the one before.
        var on: Int32 = 1
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return .address(address.host)
    }

    /// Descriptors or memory are used up: whoever waits at the door goes on waiting for a moment.
    private mutating func pause() {
        if let socket = socket?.descriptor { watch.remove(socket) }
        isPaused = true
    }

    // MARK: Out

    private mutating func look(at now: UInt64) {
        if isPaused {
            isPaused = false
            if let socket = socket?.descriptor { watch.add(socket, tag: Self.door, corewire_epoll_in) }
        }
        refused.sweep(at: now)
        guard !house.isEmpty else { return }
        for connection in house.connections { connection.checkPatience(at: now) }
    }

    private mutating func beginClosing() {
        guard let socket = socket.take() else { return }
        watch.remove(socket.descriptor)
        for connection in house.connections { connection.leaveWhenIdle() }
    }

    /// Closes what is left.
    consuming func end() {
        // The library must have no connection suspended when it ends.
        for connection in house.connections { connection.abandon() }
        refused.closeAll()
        for lane in lanes { lane.end() }
        house.forgetAll()
    }
}
