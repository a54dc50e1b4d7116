import WireBackendContract
package import WireBase
import WireConfig
package import WireHTTP
package import WireNetworkContract
package import WirePushContract
import WireService
import WireWorkContract

/// A request to a push server as a value: where it goes and what it says.
package struct PushCall: Sendable {
    package var method: WireHTTP.Method
    /// A whole URL, or a path below the base URL, percent-encoded.
    package var address: String
    package var fields: Fields
    package var body: [UInt8]
    package var authorization: ServerCall.Authorization
    /// What of the address is nobody's to see.
    package var secretInPath: Secret<String>?
    /// The field that the outbox puts the id of the request into; nil where the request has its own.
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

    /// The same with JSON as its body.
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

    /// The request of the outbox that says this.
    func complete(_ request: OutboxRequest) -> OutboxRequest {
        var request = request
        (request.method, request.address, request.body) = (method, address, body)
        (request.fields, request.authorization, request.secretInPath) = (fields, authorization, secretInPath)
        request.idField = idField
        return request
    }
}

/// Where a push server is: a whole URL, or a path below the base URL.
struct PushAddress: Sendable {
    private let text: String

    init(_ text: String) { self.text = text.hasSuffix("/") ? String(text.dropLast()) : text }

    /// An address below it; nothing is added for nothing.
    func below(_ path: String, query: [(name: String, value: String)] = []) -> String {
        let items = query.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return TargetPath.joined(text, path) + (items.isEmpty ? "" : "?\(items)")
    }
}

/// The token a provider gave this device.
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

    /// What people tell it by; whoever has all of it can push.
    var ending: String { Self.ending(of: text) }

    static func ending(of token: String) -> String {
        token.utf8.count >= 24 ? "…\(token.suffix(4))" : Secret<String>.redacted
    }
}

/// What servers are told of this device and its app.
package struct PushDevice: Sendable, Equatable {
    package var alias = ""
    /// What HALO calls it.
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

/// What is known when a request is made.
package struct PushMoment: Sendable {
    /// The token servers are to know.
    package var token: ProviderToken?
    /// The one they knew before.
    package var former: ProviderToken?
    package var device: PushDevice
    /// Who is signed in.
    package var user: String?
    /// Milliseconds since 1970.
    package var time: Int64
    /// What the request is known by.
    package var id: String
    /// What was kept with the request beside the errand: what more of it than the file says.
    var words: [UInt8] = []
    /// Which subscription is asked for, where one is.
    var query: PushStatusQuery?
    /// Whether a registration is to end those of others with the same token, at a server that can.
    var endsOthers = false

    package init(device: PushDevice, time: Int64, id: String) {
        (self.device, self.time, self.id) = (device, time, id)
    }

    /// The token by which servers know the device until they are told another.
    var known: ProviderToken? { former ?? token }

    var seconds: Int { Int(time / 1_000) }
}

extension PushHost {
    /// The push servers built in, where one of them stands for an address.
    func builtIn(for address: Address) -> (any EmbeddedPushing)? {
        address.isStoodInFor ? uses.embedded : nil
    }
}
