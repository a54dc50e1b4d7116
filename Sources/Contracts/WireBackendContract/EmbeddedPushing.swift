package import WireBase
package import WireConfig
package import WireService

/// The push servers built in, for environments with `backend: embedded`.
///
/// They stand for the servers of the file, and for the providers of phones between them and this device.
package protocol EmbeddedPushing: Sendable {
    /// Makes a variant of the file known to the UnifiedPush server, and tells where that is: everything before `/rest`.
    func unifiedPush(_ registrar: String, admitting variant: String, secret: Secret<String>) -> String
    /// Makes a role token known to the Altcraft platform (JWTs of the embedded issuer are known), and tells where it is.
    func altcraft(_ registrar: String, admitting roleToken: Secret<String>?) -> String
    /// Makes a registrar known that stands below the base URL, as Health Clouds do.
    func healthCloud(_ registrar: String, at path: String, header: String, key: Secret<String>)
    /// Makes a registrar known that HALO's API stands for.
    func halo(_ registrar: String)

    /// What was sent to a device from here, beginning with what nobody has taken yet; one listener at a time.
    func pushes() -> AsyncStream<CarriedPush>
    /// It is kept elsewhere now, and need not be told again.
    func took(_ id: String) async
}

/// A push as a provider of phones hands it to a device.
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
