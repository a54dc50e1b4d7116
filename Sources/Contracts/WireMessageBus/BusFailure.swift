/// Why an operation on a message bus failed.
package struct BusFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The bus does not exist or accepts no connection.
        case absent
        /// The connection has ended.
        case lost
        /// No reply arrived in time.
        case timedOut
        /// The peer replied with an error of this name: `org.freedesktop.DBus.Error.ServiceUnknown`.
        case refused(name: String)
        /// A message cannot be encoded, or a received one cannot be decoded.
        case invalid
        /// Too many pending calls.
        case full
        /// The waiting task was cancelled.
        case cancelled
    }

    package let kind: Kind
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Whether the connection is unusable afterwards.
    package var isEnd: Bool { kind == .lost || kind == .absent }
}
