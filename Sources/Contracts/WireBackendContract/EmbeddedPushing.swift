package import WireBase
package import WireConfig
package import WireService

/// The embedded push servers, for environments with `backend: embedded`.
///
/// They replace the push servers of the file, and the providers between them and this device.
package protocol EmbeddedPushing: Sendable {
    /// Registers a variant at the UnifiedPush server, and returns the server's address: everything before `/rest`.
    func unifiedPush(_ registrar: String, admitting variant: String, secret: Secret<String>) -> String
    /// Registers a role token at the Altcraft platform (JWTs of the embedded issuer are accepted) and its provider for
    /// Web Push, and returns its address.
    func altcraft(_ registrar: String, admitting roleToken: Secret<String>?, webPush: String?) -> String
    /// Registers a registrar below the base URL, as for Health Clouds.
    func healthCloud(_ registrar: String, at path: String, header: String, key: Secret<String>)
    /// Registers a registrar that HALO's API replaces.
    func halo(_ registrar: String)
    /// Returns the address of the WebSocket of the autopush server; nil before the servers have started.
    func autopush() -> String?

    /// The pushes to this device, beginning with those not yet taken; one subscriber at a time.
    func pushes() -> AsyncStream<CarriedPush>
    /// Confirms a push that is stored elsewhere now.
    func acknowledge(_ id: String) async
}

/// A push as delivered by a provider.
package struct CarriedPush: Sendable {
    package let id: String
    /// `apns`, `firebase` or `huawei`.
    package let provider: String
    package let token: String
    package let payload: JSONValue

    package init(id: String, provider: String, token: String, payload: JSONValue) {
        (self.id, self.provider, self.token, self.payload) = (id, provider, token, payload)
    }
}

extension ServiceAbility where Value == any EmbeddedPushing {
    package static var embeddedPushing: Self { Self(Provision(.backend, "push")) }
}
