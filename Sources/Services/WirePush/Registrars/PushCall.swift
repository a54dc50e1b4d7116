import WireBackendContract
package import WireBase
import WireConfig
package import WireHTTP
package import WireNetworkContract
package import WirePushContract
import WireService
import WireWorkContract

/// A request to a push server: its address, fields and body.
package struct PushCall: Sendable {
    package var method: WireHTTP.Method
    /// A whole URL, or a path below the base URL, percent-encoded.
    package var address: String
    package var fields: Fields
    package var body: [UInt8]
    package var authorization: ServerCall.Authorization
    /// The secret part of the address.
    package var secretInPath: Secret<String>?
    /// The field in which the outbox sends the request's id; nil where the request has its own.
    var idField: String? = "Request-ID"

    init(
        _ method: WireHTTP.Method,
        _ address: String,
        fields: Fields = [:],
        body: [UInt8] = [],
        authorization: ServerCall.Authorization = .none,
        secretInPath: Secret<String>? = nil
    ) {
        (self.method, self.address, self.fields, self.body) = (method, address, fields, body)
        (self.authorization, self.secretInPath) = (authorization, secretInPath)
    }

    /// Makes a request with a JSON body.
    init(
        _ method: WireHTTP.Method,
        _ address: String,
        fields: Fields = [:],
        json: JSONValue,
        authorization: ServerCall.Authorization = .none
    ) {
        var fields = fields
        fields["Content-Type"] = "application/json"
        self.init(method, address, fields: fields, body: json.bytes(), authorization: authorization)
    }

    /// Turns the call into a request of the outbox.
    func complete(_ request: OutboxRequest) -> OutboxRequest {
        var request = request
        (request.method, request.address, request.body) = (method, address, body)
        (request.fields, request.authorization, request.secretInPath) = (fields, authorization, secretInPath)
        request.idField = idField
        return request
    }
}

/// The address of a push server: a whole URL, or a path below the base URL.
struct PushAddress: Sendable {
    private let text: String

    init(_ text: String) { self.text = text.hasSuffix("/") ? String(text.dropLast()) : text }

    /// An address below this one; an empty path or query adds nothing.
    func below(_ path: String, query: [(name: String, value: String)] = []) -> String {
        let items = query.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return TargetPath.joined(text, path) + (items.isEmpty ? "" : "?\(items)")
    }
}

/// A provider's token of this device.
package struct ProviderToken: Sendable, Equatable {
    package let provider: PushProvider
    package let secret: Secret<String>

    package init(_ provider: PushProvider, _ token: String) {
        self.provider = provider
        secret = Secret(token)
    }

    var text: String { secret.reveal() }

    package static func == (left: Self, right: Self) -> Bool {
        left.provider == right.provider && left.text == right.text
    }

    /// The subscription, where the provider is Web Push.
    var subscription: WebPushSubscription? { provider == .webPush ? WebPushSubscription(token: text) : nil }

    /// The token and the parts of it with which pushes can be sent.
    var secretParts: [String] {
        [text] + (subscription.map { [$0.endpoint, $0.keys.publicKey, $0.keys.auth] } ?? [])
    }

    /// The end of the token, for display; the whole token is enough to send pushes.
    var ending: String {
        // The query of an endpoint tells nothing.
        Self.ending(of: subscription?.endpoint.split(separator: "?").first.map(String.init) ?? text)
    }

    static func ending(of token: String) -> String {
        token.utf8.count >= 24 ? "…\(token.suffix(4))" : Secret<String>.redacted
    }
}

/// The facts about this device and its app that servers get.
package struct PushDevice: Sendable, Equatable {
    package var alias = ""
    /// The id of the device at HALO.
    package var id: String?
    package var platform: String?
    package var systemVersion: String?
    package var type: String?
    package var model: String?
    package var language: String?
    package var minutesAheadOfUTC: Int?
    package var appID: String?
    package var appVersion: String?
    package var environment: String?

    package init() {}
}

/// The values from which a request is built.
package struct PushRequestValues: Sendable {
    /// The token that servers should have.
    package var token: ProviderToken?
    /// The token that they have.
    package var former: ProviderToken?
    package var device: PushDevice
    /// The signed-in user.
    package var user: String?
    /// Milliseconds since 1970.
    package var time: Int64
    /// The id of the request.
    package var id: String
    /// The parameters stored with the request: additions of a caller.
    var words: [UInt8] = []
    /// The subscription of a status request.
    var query: PushStatusQuery?
    /// Whether the registration ends those of other users with the same token, at a server that supports it.
    var endsOthers = false

    package init(device: PushDevice, time: Int64, id: String) {
        (self.device, self.time, self.id) = (device, time, id)
    }

    /// The token by which servers know the device until the next update.
    var known: ProviderToken? { former ?? token }

    var seconds: Int { Int(time / 1_000) }
}

extension PushHost {
    /// The embedded push server at an address, where there is one.
    func builtIn(for address: Address) -> (any EmbeddedPushing)? {
        address.isStoodInFor ? uses.embedded : nil
    }
}
