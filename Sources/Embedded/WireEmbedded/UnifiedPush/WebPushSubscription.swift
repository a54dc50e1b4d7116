import WireBase
import WireConfig

/// A subscription of Web Push, as a device gives it to its app server.
struct WebPushSubscription: Sendable {
    let endpoint: String
    /// The keys in base64url.
    private let keys: (publicKey: String, auth: String)

    /// Reads the token of a device: Base64 of `{"endpoint", "keys": {"p256dh", "auth"}}`.
    init?(token: String) {
        guard let bytes = Base64.bytes(of: token), let json = try? JSONValue(parsing: bytes, named: "token"),
            let endpoint = json["endpoint"]?.string, let publicKey = json["keys"]?["p256dh"]?.string,
            let auth = json["keys"]?["auth"]?.string
        else { return nil }
        (self.endpoint, keys) = (endpoint, (publicKey, auth))
    }

    var publicKey: [UInt8]? { Base64URL.bytes(of: keys.publicKey) }
    var auth: [UInt8]? { Base64URL.bytes(of: keys.auth) }
}
