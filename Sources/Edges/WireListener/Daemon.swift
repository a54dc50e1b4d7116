import CMicroHTTPD
import Glibc
import WireBase
import WireHTTP

/// The library's threads; ended when it is let go, which closes every connection they still have.
@safe struct Daemon: ~Copyable, @unchecked Sendable {
    // Sendable: the library allows the two calls made with it, adding a connection and stopping, from any one thread.
    private let daemon: OpaquePointer
    /// The callbacks' context, kept for as long as they can be called.
    private let house: Unmanaged<House>

    /// How many connections a thread has where they are many, and at the most.
    private static let usualShare = 96
    private static let largestShare = 120

    /// Nil where the system has no threads or descriptors left.
    init?(house: House, threads: Int, room: Int) {
        let limits = house.limits
        // A thread that finds 128 connections ready at once waits for the next event before it looks at them, and where all
        // of them wait for it there is none: no thread has that many. Who finds one thread full is given to the next.
        let threads = max(threads, min(room, DescriptorLimit.present) / Self.usualShare + 1)
        let share = min(room + threads, Self.largestShare)
        // The library's own limits are only the second line: they leave room for ours to answer in.
        // All of it is wiped between two requests, so it is no larger than a head and an answer's head need.
        let memory = max(16_384, limits.header.bytes + limits.header.bytes / 4 + 4_096)
        let idle = max(
            1,
            Int(limits.idle.nanoseconds.addingReportingOverflow(999_999_999).partialValue / 1_000_000_000)
        )
        let flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_ITC.rawValue
            | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_ALLOW_UPGRADE.rawValue
        let context = unsafe Unmanaged.passRetained(house)
        guard
            let daemon = unsafe corewire_start_daemon(
                flags,
                { unsafe Callbacks.handle($1, $3, $2, $4, $5, $6, $7) },
                { unsafe Callbacks.completed($1, $2, $3) },
                { unsafe Callbacks.notified($0, $1, $2, $3) },
                { unsafe Callbacks.requested($1, $2) },
                { _, _, text in unsafe text.map { unsafe strlen($0) } ?? 0 },
                context.toOpaque(),
                memory,
                UInt32(clamping: share * threads),
                UInt32(clamping: idle),
                threads > 1 ? UInt32(clamping: threads) : 0
            )
        else {
            unsafe context.release()
            return nil
        }
        unsafe self.daemon = daemon
        unsafe self.house = context
    }

    deinit {
        unsafe MHD_stop_daemon(daemon)
        unsafe house.release()
    }

    /// Hands over a connection, whose descriptor the library closes from now on, also when it has no room for it.
    func take(_ descriptor: Int32) -> Bool {
        // The library copies the address and never looks at it; a limit by address is kept elsewhere.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        return unsafe MHD_add_connection(daemon, descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size)) == .YES
    }
}
