import CLinux
import CMicroHTTPD
import Glibc
import WireBase
import WireHTTP

/// The library's instance for a thread; its release closes the remaining connections.
///
/// Only the thread's thread calls it. The thread does the waiting: in version 0.9.75 a wait of the library that finds
/// exactly 128 ready connections begins another wait before handling them, which may never end. A call without a wait
/// handles all events.
@safe struct Daemon: ~Copyable, @unchecked Sendable {
    // Sendable: created before its thread starts, which alone uses it afterwards.
    private let daemon: OpaquePointer
    /// The callbacks' context, retained for as long as they can be called.
    private let thread: Unmanaged<ConnectionThread>
    private let events: Int32

    /// Nil where the system has no descriptors or memory left.
    init?(_ thread: ConnectionThread, _ limits: ListenerLimits) {
        // The memory is cleared between two requests, so it is only as large as the heads need.
        let memory = max(16_384, limits.header.bytes + limits.header.bytes / 4 + 4_096)
        let idle = max(
            1,
            Int(limits.idle.nanoseconds.addingReportingOverflow(999_999_999).partialValue / 1_000_000_000)
        )
        let flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_ALLOW_UPGRADE.rawValue
        let context = unsafe Unmanaged.passRetained(thread)
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
                // The doorkeeper limits the connections.
                UInt32.max,
                UInt32(clamping: idle)
            )
        else {
            unsafe context.release()
            return nil
        }
        unsafe self.daemon = daemon
        unsafe self.thread = context
        events = unsafe corewire_events_of(daemon)
        unsafe LibraryRefusals.watch(daemon)
    }

    deinit {
        unsafe MHD_stop_daemon(daemon)
        unsafe LibraryRefusals.leave(daemon)
        unsafe thread.release()
    }

    /// Hands over a connection; the library closes its descriptor, also if it fails here.
    func add(_ descriptor: Int32) -> Bool {
        // The library copies the address without reading it; limits by address are applied elsewhere.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        return unsafe MHD_add_connection(daemon, descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size)) == .YES
    }

    /// Handles all connections with events.
    func work() {
        _ = unsafe MHD_run(daemon)
    }

    /// The milliseconds after which the library must be called again; -1 for no limit.
    var rest: Int32 { unsafe corewire_rest_of(daemon) }

    /// Waits until a connection has an event, the wakeup is signalled, or the time is up.
    func wait(_ milliseconds: Int32, or wakeup: AcceptWakeup) {
        var watched = [
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&watched, 2, milliseconds)
        if watched[1].revents != 0 { wakeup.reset() }
    }
}
