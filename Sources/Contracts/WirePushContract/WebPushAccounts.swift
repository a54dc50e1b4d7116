package import WireBase
package import WireConfig
package import WireNotificationContract
package import WireService

/// The accounts of this device at Web Push services (RFC 8030), each with a connection of its own.
package protocol WebPushAccounts: Sendable {
    /// The accounts that have channels.
    var accounts: [any WebPushAccount] { get async throws(Fault) }
    /// Yields at first, and whenever an account or a channel was added or removed, until the task is cancelled.
    func changes() -> AsyncStream<Void>
}

/// An account at a Web Push service, as its connection sees it.
///
/// The service gives each channel an endpoint, to which senders post messages.
package protocol WebPushAccount: Sendable {
    /// The name in logs and metrics.
    var name: String { get }
    /// The owner.
    var id: String { get }
    /// Differs after a restart of the service to which it belongs.
    var generation: String { get }
    var service: WebPushServer { get }
    /// The stored state.
    var state: WebPushState { get async throws(Fault) }
    /// Yields at first and after changes of the state, until the task is cancelled.
    func changes() -> AsyncStream<Void>

    /// Stores the endpoint of a channel, and the name of the account at the service, or that of the distributor; returns
    /// when it is on the disk.
    func opened(_ channel: String, at endpoint: String, as name: String?) async throws(Fault)
    /// Notes that the service has rejected a channel.
    func rejected(_ channel: String, because reason: String) async
    /// Notes why the service has given no endpoint yet.
    func delayed(_ channel: String, because reason: String) async
    /// Removes a channel that the service has removed.
    func closed(_ channel: String) async throws(Fault)
    /// Replaces all channels: the service does not know the account any more. Returns false where that has happened
    /// shortly before.
    func forgotten() async throws(Fault) -> Bool

    /// Decrypts the body of a message with the keys of its channel; throws where these cannot be read now.
    func decrypt(_ body: [UInt8], of channel: String) async throws(Fault) -> DecryptedPush
}

/// The result of decrypting a message.
package enum DecryptedPush: Sendable {
    case message([UInt8])
    /// It can never be read.
    case unreadable(String)
}

/// The stored state of an account.
package struct WebPushState: Sendable, Equatable {
    package struct Channel: Sendable, Equatable {
        /// A random UUID.
        package let id: String
        /// The registrar that gave the endpoint to its senders.
        package let registrar: String
        /// The public key of the only sender, in Base64URL; nil where anybody may send.
        package let sender: String?
        /// The endpoint; nil until the service has given one.
        package let endpoint: String?
        /// The name of the distributor that has given the endpoint; nil for other services.
        package let distributor: String?
        /// Whether the service is to remove it.
        package let isEnding: Bool
        /// Whether its messages are read; those of an ending one until the service has removed it.
        package let isRead: Bool

        package init(
            id: String,
            of registrar: String,
            sender: String?,
            endpoint: String?,
            distributor: String? = nil,
            isEnding: Bool,
            isRead: Bool
        ) {
            (self.id, self.registrar, self.distributor) = (id, registrar, distributor)
            (self.sender, self.endpoint) = (sender, endpoint)
            (self.isEnding, self.isRead) = (isEnding, isRead)
        }
    }

    /// The name of the account at the service; nil before it has given one.
    package let name: String?
    package let channels: [Channel]

    package init(name: String?, channels: [Channel]) { (self.name, self.channels) = (name, channels) }
}

/// A Web Push service of the file.
package struct WebPushServer: Sendable {
    package enum Kind: Sendable {
        /// Mozilla's protocol, over the WebSocket at a URL.
        case autopush(Address)
        /// Topics of the ntfy server at a URL, with the access token where it needs one.
        case ntfy(Address, token: Secret<String>?)
        /// A UnifiedPush distributor on the session bus: the end of its name, or nil for the preferred one. Tokens are
        /// this side's, and another distributor gives other endpoints for them.
        case distributor(String?)
    }

    package let kind: Kind
    /// The location of the service in the file.
    package let origin: ValueOrigin?
    /// Where messages have their parts; nil where the file says nothing.
    package let messages: MessageFields?

    package init(_ kind: Kind, from origin: ValueOrigin?, messages: MessageFields? = nil) {
        (self.kind, self.origin, self.messages) = (kind, origin, messages)
    }

    /// The scope of an account: no other service knows it.
    package var scope: String {
        switch kind {
        case .autopush(let url): "autopush \(url.text)"
        case .ntfy(let url, _): "ntfy \(url.text)"
        case .distributor: Self.distributorScope
        }
    }

    /// The scope of all distributors.
    package static let distributorScope = "distributor"
}

extension ServiceAbility where Value == any WebPushAccounts {
    package static var webPush: Self { Self(Provision(.pushServers, "web push")) }
}
