import WireBase
import WireConfig
import WireHTTP
import WirePushContract
import WireSecrets
import WireService

/// Subscriptions with more than a token: fields of them and of a profile, categories.
///
/// Changes of them are sent even to a server that is up to date.
protocol PushSubscribing: Sendable {
    /// The parameters stored with a request: those of the file, replaced by those of a caller.
    func words(_ given: PushSubscription?) throws(PushFailure) -> JSONValue
    /// The parameters of a change of the profile.
    func words(_ change: PushProfileChange) -> JSONValue
}

/// The name under which a device carries a provider's token.
protocol DeviceTokenNaming: Sendable {
    /// The server's name of the device's platform.
    func platform(of provider: PushProvider) -> String
}

/// JWTs of users that the app sets.
protocol UserTokenReceiving: Sendable {
    /// Whether the file says that the app sets it.
    var isOfApp: Bool { get }
    /// The flaw of a JWT; nil where the server would accept it.
    func flaw(of jwt: Secret<String>, with secrecy: any CryptoProvider) -> (
        flaw: PushServerEvent.TokenFlaw, fault: Fault
    )?
}
