import Glibc
import WireBase

/// What the service manager is told (sd_notify(3)), where there is one that listens.
package struct ServiceManager: Sendable {
    /// One thing to tell.
    package enum Notice: Sendable, Equatable {
        case ready
        /// Reading the file again, from a moment of the monotonic clock on; to be followed by `ready`.
        case reloading(Duration)
        case stopping
        /// What the runner is doing, for people.
        case status(String)
        /// The program is well.
        case watchdog
        /// Starting, reloading or stopping will take so much longer.
        case extend(Duration)
    }

    private let address: UnixAddress
    /// How long the manager waits for a `watchdog` before it takes the program to be dead; nil where it does not wait.
    package let watchdogLimit: Duration?

    /// The manager that the environment names; nil where there is none.
    package init?(_ environment: Environment, process: Int32 = getpid()) throws(HostError) {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        address = try UnixAddress(name)
        watchdogLimit = try Self.watchdogLimit(environment, process)
    }

    /// How often to tell that the program is well: twice in the time the manager waits.
    package var watchdogInterval: Duration? { watchdogLimit.map { $0 / 2 } }

    /// Tells all of these in one message.
    package func tell(_ notices: Notice...) throws(HostError) {
        let socket = try DatagramSocket(to: address, waiting: .seconds(1))
        try socket.send(Array(notices.map(\.text).joined(separator: "\n").utf8))
    }

    private static func watchdogLimit(_ environment: Environment, _ process: Int32) throws(HostError) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"] else { return nil }
        // Meant for another process, a parent that this one was started by.
        if let meant = environment["WATCHDOG_PID"], Int32(meant) != process { return nil }
        guard let limit = Int64(text), limit > 0 else {
            throw HostError(.inheritance, "WATCHDOG_USEC", "expected microseconds, found \(text.quoted)")
        }
        return .microseconds(limit)
    }
}

extension ServiceManager.Notice {
    /// The notice as the protocol writes it; a line break inside would be a notice of its own.
    fileprivate var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let moment): "RELOADING=1\nMONOTONIC_USEC=\(moment.inMicroseconds)"
        case .stopping: "STOPPING=1"
        case .status(let status): "STATUS=\(status.shown(upTo: 512))"
        case .watchdog: "WATCHDOG=1"
        case .extend(let duration): "EXTEND_TIMEOUT_USEC=\(duration.inMicroseconds)"
        }
    }
}
