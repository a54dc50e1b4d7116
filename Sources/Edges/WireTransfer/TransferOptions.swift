package import WireBase
package import WireNetworkContract

/// The limits and settings of a client, for all of its requests.
package struct TransferOptions: Sendable {
    /// The largest number of connections in total.
    package var connections: Int
    /// The largest number of connections to one host; further requests wait.
    ///
    /// As many as is safe, so that requests and streams that a host lets wait delay no others to it.
    package var connectionsPerHost: Int
    /// The largest number of requests in progress or waiting; further ones fail as exhausted.
    package var transfers = 4_096
    /// The largest head of a response, with interim responses before it.
    package var head: ByteCount = .kibibytes(64)
    /// The largest number of fields in the head of a response.
    package var headFields = 256
    /// The largest part of a body that is buffered before the sender is paused, in each direction.
    package var buffer: ByteCount = .kibibytes(256)
    /// A PEM file of the trusted authorities, instead of the system's.
    package var authorities: String?
    /// The proxies of requests; never used for this machine.
    package var proxies = Proxies.ofThisProcess
    /// Whether a resolved address is permitted; nil permits all.
    ///
    /// Called with the address of each socket, so that a name that later resolves to another address is checked
    /// again. With such a rule no proxy is used, since proxies resolve names themselves. Called on the client's
    /// thread; must not block.
    package var allowsAddress: (@Sendable (RemoteAddress) -> Bool)?
    /// The routes of this machine, by which cut-off connections are detected; nil for no detection.
    package var routes: (any NetworkRoutes)?
    /// The default User-Agent; nil for none.
    package var userAgent: String?

    /// Takes its connections from the limit of descriptors, of which most are left to others.
    package init(descriptors: Int = DescriptorLimit.present) {
        connections = min(max(128, descriptors / 4), transfers)
        connectionsPerHost = connections / 2
    }
}
