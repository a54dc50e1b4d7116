import WireBase
import WireConfig
package import WireHTTP
import WirePushContract
package import WireSecrets

/// The stored account of this device at a Web Push service, for one owner of registrations.
struct WebPushRecord: Sendable, Equatable {
    /// The service; another one does not know the account.
    var server: String
    /// The name of the account at the service.
    var name: String?
    var channels: [Channel] = []

    struct Channel: Sendable, Equatable {
        /// A random UUID.
        let id: String
        /// The registrar that gets the subscription, and a digest of its server.
        let registrar, server: String
        /// The public key of the only sender; nil where anybody may send.
        let sender: String?
        /// The keys; nil where further messages are not to be read.
        var keys: WebPushKeys?
        var endpoint: String?
        /// The name of the distributor that has given the endpoint.
        var distributor: String?
        /// Whether another channel replaces it, once the registrar has that.
        var isReplaced = false
        /// Whether the service is to remove it.
        var isEnding = false

        /// Whether the registrar is to get it.
        var isCurrent: Bool { keys != nil && !isReplaced && !isEnding }

        /// The subscription; nil until the service has given an endpoint.
        var subscription: WebPushSubscription? {
            guard let keys, let endpoint else { return nil }
            let (publicKey, auth) = (Base64URL.text(of: keys.publicKey), Base64URL.text(of: keys.auth.reveal()))
            return WebPushSubscription(endpoint: endpoint, keys: .init(publicKey: publicKey, auth: auth))
        }
    }

    init(server: String) { self.server = server }
}

// MARK: Changes

extension WebPushRecord {
    /// The current channel for a request.
    func current(_ request: WebPushChannels.Request) -> Channel? {
        channels.first {
            $0.isCurrent && $0.registrar == request.registrar && $0.server == request.server
                && $0.sender == request.sender
        }
    }

    /// The number of channels of one registrar that are replaced and still read.
    private static let mostReplaced = 8

    /// Adds a channel, which replaces the others of its registrar.
    mutating func add(_ channel: Channel) {
        for index in channels.indices where channels[index].registrar == channel.registrar {
            channels[index].isReplaced = true
        }
        let replaced = channels.filter { $0.registrar == channel.registrar && !$0.isEnding }.map(\.id)
        // The oldest is the one that the registrar has.
        let excess = Set(replaced.dropFirst(Self.mostReplaced))
        end(readingOn: true) { excess.contains($0.id) }
        channels.append(channel)
    }

    /// Lets the service remove channels; their messages are read until then, or not any more.
    mutating func end(readingOn isRead: Bool, _ isMeant: (Channel) -> Bool) {
        if !isOfDistributors { channels.removeAll { $0.endpoint == nil && isMeant($0) } }
        for index in channels.indices where isMeant(channels[index]) {
            channels[index].isEnding = true
            if !isRead { channels[index].keys = nil }
        }
        // The service may never be there to remove them.
        let unopened = channels.filter { $0.isEnding && $0.endpoint == nil }.dropLast(Self.mostUnopened).map(\.id)
        channels.removeAll { unopened.contains($0.id) }
    }

    /// The largest number of channels to remove that have no endpoint.
    private static let mostUnopened = 16

    /// Replaces the current channels; each stays until its registrar has the new one.
    mutating func replaceChannels() {
        for index in channels.indices { channels[index].isReplaced = true }
    }

    /// Whether its channels are at distributors, which may know one to which they have given no endpoint yet.
    private var isOfDistributors: Bool { server == WebPushServer.distributorScope }

    /// Stores the endpoint of a channel, and the name of the account at the service, or of the channel's distributor.
    mutating func open(_ channel: String, at endpoint: String, as name: String?) {
        let distributor = isOfDistributors ? name : nil
        if let name, distributor == nil { self.name = name }
        edit(channel) { channel in
            channel.endpoint = endpoint
            channel.distributor = distributor ?? channel.distributor
        }
    }

    mutating func edit(_ id: String, _ change: (inout Channel) -> Void) {
        guard let index = channels.firstIndex(where: { $0.id == id }) else { return }
        change(&channels[index])
    }
}

// MARK: Storage

extension WebPushRecord: JSONRecord {
    static let form = JSONForm<Self>("WebPushAccount", "An account at a Web Push service.", version: 1)

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        server = try members.required("server", \.server, "The service.")
        name = try members.optional("name", \.name, "The name at the service.")
        channels = try members.readable("channels", \.channels, "The channels.")
    }
}

extension WebPushRecord.Channel: JSONRecord {
    static let form = JSONForm<Self>("WebPushChannel", "A channel of an account.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id.")
        registrar = try members.required("registrar", \.registrar, "The registrar that gets the subscription.")
        server = try members.value("server", \.server, "A digest of the registrar's server.", or: "")
        sender = try members.optional("sender", \.sender, "The public key of the sender.")
        keys = try members.optional("keys", \.keys, "The keys; absent where messages are not read any more.")
        endpoint = try members.optional("endpoint", \.endpoint, "The endpoint.")
        distributor = try members.optional("distributor", \.distributor, "The distributor that has given it.")
        isReplaced = try members.flag("replaced", \.isReplaced, "Whether another channel replaces it.")
        isEnding = try members.flag("ending", \.isEnding, "Whether the service is to remove it.")
    }
}

extension WebPushKeys: JSONRecord {
    package static let form = JSONForm<Self>("StoredWebPushKeys", "The keys of a channel.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let privateKey = try members.required(
            "private",
            { Base64URL.text(of: $0.privateKey.reveal()) },
            "The private key."
        )
        let publicKey = try members.required("public", { Base64URL.text(of: $0.publicKey) }, "The public key.")
        let auth = try members.required("auth", { Base64URL.text(of: $0.auth.reveal()) }, "The secret.")
        self.init(
            privateKey: Secret(Base64URL.bytes(of: privateKey) ?? []),
            publicKey: Base64URL.bytes(of: publicKey) ?? [],
            auth: Secret(Base64URL.bytes(of: auth) ?? [])
        )
    }
}
