import WireBase
import WireConfig
import WireHTTP
import WirePushContract
import WireSecrets
import WireService

/// Subscriptions that say more than the token: fields of them and of a profile, categories.
///
/// What is asked of them is asked at once, whatever the server knows.
protocol PushSubscribing: Sendable {
    /// What is kept with a request: what the file says, and over it what a caller says.
    func words(_ given: PushSubscription?) throws(PushFailure) -> JSONValue
    /// The same of a change of the profile alone.
    func words(_ change: PushProfileChange) -> JSONValue
}

/// The name under which a device has the token of a provider.
protocol DeviceTokenNaming: Sendable {
    /// As the server names the platforms of devices.
    func platform(of provider: PushProvider) -> String
}

/// JWTs of users that the app hands in.
protocol UserTokenTaking: Sendable {
    /// Whether the file says that the app has it.
    var isOfApp: Bool { get }
    /// What is wrong with one; nil where the server would take it.
    func flaw(of jwt: Secret<String>, with secrecy: any Secrecy) -> (flaw: PushHappening.TokenFlaw, fault: Fault)?
}
