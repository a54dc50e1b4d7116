import WireBase
import WireConfig
import WireSecrets
import WireService

/// Builds the requests to one push server, with their credentials.
protocol PushWire: Sendable {
    /// The address of the registration: another server has no registration.
    var server: String { get }
    /// The facts a registration depends on besides the token; a change registers again. Stored as a digest.
    func facts(_ moment: PushRequestValues) -> String
    /// The request of an operation; nil where this server does not accept it.
    func call(_ operation: PushOperation, _ moment: PushRequestValues) -> PushCall?
}

/// The owner of a registration, and the wire in their name.
struct PushOwner: Sendable {
    /// Separates registrations: the same for the same owner, and never a secret.
    let tag: String
    let wire: any PushWire

    /// The device, independent of its user.
    static func device(_ wire: any PushWire) -> Self { Self(tag: "device", wire: wire) }

    /// The signed-in user.
    static func user(_ wire: any PushWire, in host: PushHost) throws(Fault) -> Self {
        guard let presence = host.uses.presence else { throw Fault("no section signs in users") }
        guard let user = presence.user else { throw presence.absence.fault }
        return Self(tag: try tag(of: user, in: host), wire: wire)
    }

    static func tag(of user: SignedInUser, in host: PushHost) throws(Fault) -> String {
        guard let secrecy = host.find(.secrecy) else { throw Fault("no digests available in this runner") }
        return "u" + (try secrecy.tag(user.subject))
    }
}

extension CryptoProvider {
    /// A digest of 16 digits.
    func tag(_ text: String) throws(Fault) -> String {
        String(try digest(Array(text.utf8)).hexadecimal.prefix(16))
    }
}
