import CMicroHTTPD
import Glibc
import WireBase
import WireHTTP

/// The library's part of a lane: its connections; let go, it closes those it still has.
///
/// It is called by the lane's thread alone. It does not wait by itself: in 0.9.75 a wait that finds exactly 128
/// connections ready at once begins another before it looks at any of them, and where all of them wait for it that one
/// does not end. Called when there is something, it takes whatever there is, however much that is.
@safe struct Daemon: ~Copyable, @unchecked Sendable {
    // Sendable: it is made before its thread begins, which has it alone from there on.
    private let daemon: OpaquePointer
    /// The callbacks' context, kept for as long as they can be called.
    private let lane: Unmanaged<Lane>
    private let events: Int32

    /// Nil where the system has no descriptors or memory left.
    init?(_ lane: Lane, _ limits: ListenerLimits) {
        // All of it is wiped between two requests, so it is no larger than a head and an answer's head need.
        let memory = max(16_384, limits.header.bytes + limits.header.bytes / 4 + 4_096)
        let idle = max(
            1,
            Int(limits.idle.nanoseconds.addingReportingOverflow(999_999_999).partialValue / 1_000_000_000)
        )
        let flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_ALLOW_UPGRADE.rawValue
        let context = unsafe Unmanaged.passRetained(lane)
        guard
            let daemon = unsafe corewire_make_daemon(
                flags,
                { unsafe Callbacks.handle($1, $3, $2, $4, $5, $6, $7) },
                { unsafe Callbacks.completed($1, $2, $3) },
                { unsafe Callbacks.notified($0, $1, $2, $3) },
                { unsafe Callbacks.requested($1, $2) },
                { _, _, text in unsafe text.map { unsafe strlen($0) } ?? 0 },
                context.toOpaque(),
                memory,
                // Who may come in is decided at the door.
                UInt32.max,
                UInt32(clamping: idle)
            )
        else {
            unsafe context.release()
            return nil
        }
        unsafe self.daemon = daemon
        unsafe self.lane = context
        events = unsafe corewire_events_of(daemon)
        unsafe LibraryRefusals.watch(daemon)
    }

    deinit {
        unsafe MHD_stop_daemon(daemon)
        unsafe LibraryRefusals.leave(daemon)
        unsafe lane.release()
    }

    /// Hands over a connection, whose descriptor the library closes from now on, also when it cannot take it.
    func take(_ descriptor: Int32) -> Bool {
        // The library copies the address and never looks at it; a limit by address is kept elsewhere.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        return unsafe MHD_add_connection(daemon, descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size)) == .YES
    }

    /// Looks after all connections that have something.
    func work() {
        _ = unsafe MHD_run(daemon)
    }

    /// Milliseconds that may pass before it is called again, where nothing happens; -1 for any number.
    var rest: Int32 { unsafe corewire_rest_of(daemon) }

    /// Waits until a connection has something, or the bell is rung, or so many milliseconds have passed.
    func wait(_ milliseconds: Int32, or bell: Bell) {
        var watched = [
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&watched, 2, milliseconds)
        if watched[1].revents != 0 { bell.hush() }
    }
}
