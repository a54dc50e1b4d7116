/// Why a batch of statements was not carried out.
package struct PostgresFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Hashable {
        /// No server was reached in time; nothing was sent.
        case away
        /// The servers do not accept this client, by the code of one of them; nothing was sent.
        case refused(state: String)
        /// The batch was sent, and the connection ended before the answer: it may have been carried out.
        case unanswered
        /// The server rejected the batch, which has changed nothing.
        case rejected(state: String)
        /// The answer is not what was expected.
        case malformed
        /// The library is missing, or the client is closed.
        case unusable
        case cancelled
    }

    package let kind: Kind
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        (self.kind, self.reason) = (kind, reason)
    }

    /// Whether a server that says so to a new client will do so again: a wrong password or certificate, no entry for the
    /// client, no such database, no right to connect.
    static func isRefusal(_ state: String) -> Bool { ["28P01", "28000", "3D000", "42501"].contains(state) }

    /// Whether the connection is of no use any more, or the outcome unknown, by the code of the server: connection
    /// exceptions, unknown completion, shutdown, and a server that accepts no writes any more.
    var endsConnection: Bool {
        guard let state else { return false }
        return state.hasPrefix("08") || state.hasPrefix("57P") || ["40003", "25006"].contains(state)
    }

    /// The code of an error in the server (SQLSTATE).
    package var state: String? { if case .rejected(let state) = kind { state } else { nil } }
}
