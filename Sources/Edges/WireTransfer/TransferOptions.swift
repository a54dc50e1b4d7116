package import WireBase
package import WireNetworkContract

/// What a client allows, for all requests that go through it.
package struct TransferOptions: Sendable {
    /// How many connections to one host may stand at once; further requests wait for one.
    package var connectionsPerHost = 32
    /// How many connections may stand at once in total.
    package var connections = 256
    /// How many requests may be under way or waiting; one more is refused as exhausted.
    package var transfers = 4_096
    /// How large the head of an answer may be, with those of interim answers before it.
    package var head: ByteCount = .kibibytes(64)
    /// How many fields the head of an answer may have.
    package var headFields = 256
    /// How much of a body is held before the sender is made to wait, in each direction.
    package var buffer: ByteCount = .kibibytes(256)
    /// A PEM file of the authorities that are trusted, in place of the system's.
    package var authorities: String?
    /// What requests pass through on their way out; never those to this machine.
    package var proxies = Proxies.ofThisProcess
    /// Whether a resolved address may be connected to; nil is any.
    ///
    /// It is asked about the very address a socket is opened for, so that a name that resolves to another address
    /// the second time gets nowhere. With a rule no proxy is used, since a proxy resolves names on its own.
    /// Called on the client's thread, and must not wait.
    package var allowsAddress: (@Sendable (RemoteAddress) -> Bool)?
    /// The routes of this machine, by which connections that can carry nothing any more are known; nil where none are.
    package var routes: (any NetworkRoutes)?
    /// What requests say they come from, unless they say it themselves; nil is nothing.
    package var userAgent: String?

    package init() {}
}
