/// Why something cannot be done over a message bus.
package struct BusFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// There is no such bus, or it takes no connection.
        case absent
        /// The connection has ended.
        case lost
        /// No reply came in time.
        case timedOut
        /// The other end answered with an error, by this name: `org.freedesktop.DBus.Error.ServiceUnknown`.
        case refused(name: String)
        /// A message cannot be written, or one that came cannot be read.
        case invalid
        /// More waits already than may.
        case full
        /// The task that waited was cancelled.
        case cancelled
    }

    package let kind: Kind
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Whether the connection can be used after it.
    package var isEnd: Bool { kind == .lost || kind == .absent }
}
