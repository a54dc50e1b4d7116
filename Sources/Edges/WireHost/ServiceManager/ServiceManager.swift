import Glibc
import WireBase

/// Notifies the service manager (sd_notify(3)).
package struct ServiceManager: Sendable {
    /// A notification.
    package enum Notice: Sendable, Equatable {
        case ready
        /// The runner reloads the file, since a time on the monotonic clock; `ready` follows.
        case reloading(Duration)
        case stopping
        /// The status as text, for people.
        case status(String)
        /// The program is alive.
        case watchdog
        /// Starting, reloading or stopping takes this much longer.
        case extend(Duration)
    }

    private let address: UnixAddress
    /// The interval within which the manager expects a `watchdog`; nil where it expects none.
    package let watchdogLimit: Duration?

    /// Finds the manager in the environment; nil where there is none.
    package init?(_ environment: Environment, process: Int32 = getpid()) throws(HostError) {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        address = try UnixAddress(name)
        watchdogLimit = try Self.watchdogLimit(environment, process)
    }

    /// The interval for sending `watchdog`: half of the limit.
    package var watchdogInterval: Duration? { watchdogLimit.map { $0 / 2 } }

    /// Sends notifications in one message.
    package func notify(_ notices: Notice...) throws(HostError) {
        let socket = try DatagramSocket(to: address, waiting: .seconds(1))
        try socket.send(Array(notices.map(\.text).joined(separator: "\n").utf8))
    }

    private static func watchdogLimit(_ environment: Environment, _ process: Int32) throws(HostError) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"] else { return nil }
        // The variable is meant for another process, an ancestor of this one.
        if let meant = environment["WATCHDOG_PID"], Int32(meant) != process { return nil }
        guard let limit = Int64(text), limit > 0 else {
            throw HostError(.inheritance, "WATCHDOG_USEC", "expected microseconds, found \(text.quoted)")
        }
        return .microseconds(limit)
    }
}

extension ServiceManager.Notice {
    /// The line of the protocol; a line break in it would begin another one.
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
