import WireBase
package import WireHTTP

/// A subscription of this device, as app servers and browsers write it (W3C Push API): enough to send pushes.
package struct WebPushSubscription: JSONRecord, Equatable {
    /// The URL to which messages are posted.
    package let endpoint: String
    package let keys: Keys

    /// The keys of a subscription, in Base64URL.
    package struct Keys: JSONRecord, Equatable {
        /// The public key: an uncompressed point of P-256.
        package let publicKey: String
        package let auth: String

        package init(publicKey: String, auth: String) { (self.publicKey, self.auth) = (publicKey, auth) }

        package static let form = JSONForm<Self>("WebPushKeys", "The keys with which a sender encrypts.")

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            publicKey = try members.required(
                "p256dh",
                \.publicKey,
                "The public key, in Base64URL.",
                .example("BF5oEo0xDUpg")
            )
            auth = try members.required(
                "auth",
                \.auth,
                "The authentication secret, in Base64URL.",
                .example("Hk2zQ8Vx")
            )
        }
    }

    package init(endpoint: String, keys: Keys) { (self.endpoint, self.keys) = (endpoint, keys) }

    package static let form = JSONForm<Self>("WebPushSubscription", "A subscription of Web Push, to give to a sender.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        endpoint = try members.required(
            "endpoint",
            \.endpoint,
            "The URL to which a sender posts.",
            .example("https://push.example.com/wpush/v1/gAAAAAB")
        )
        keys = try members.required("keys", \.keys, "The keys.")
    }
}

extension WebPushSubscription {
    /// The subscription as one token, as AeroGear's UnifiedPush Server writes it: the JSON in Base64.
    package var token: String { Base64.text(of: bytes) }

    /// Reads such a token; nil for another text.
    package init?(token: String) {
        guard let bytes = Base64.bytes(of: token),
            let subscription = try? Self(parsing: bytes, named: "subscription", toleratesUnknown: true)
        else { return nil }
        self = subscription
    }
}
