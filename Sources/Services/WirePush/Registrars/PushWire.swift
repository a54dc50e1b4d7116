import WireBase
import WireConfig
import WireSecrets
import WireService

/// What one push server is asked, with all that lets requests in.
protocol PushWire: Sendable {
    /// Where a registration is: another server knows nothing of it.
    var server: String { get }
    /// What the registration depends on, besides the token; a change of it registers again. Kept as a digest.
    func facts(_ moment: PushMoment) -> String
    /// The request that does an errand; nil where this server is not told of such a thing.
    func call(_ errand: PushErrand, _ moment: PushMoment) -> PushCall?
}

/// The owner of a registration, and the wire in their name.
struct PushOwner: Sendable {
    /// What registrations are kept apart by: never a secret, and the same for the same owner.
    let tag: String
    let wire: any PushWire

    /// The device, whichever user it has.
    static func device(_ wire: any PushWire) -> Self { Self(tag: "device", wire: wire) }

    /// The signed-in user.
    static func user(_ wire: any PushWire, in host: PushHost) throws(Fault) -> Self {
        guard let presence = host.uses.presence else { throw Fault("nothing signs anybody in") }
        guard let user = presence.user else { throw presence.absence.fault }
        guard let secrecy = host.find(.secrecy) else { throw Fault("nothing makes digests here") }
        return Self(tag: "u" + (try secrecy.tag(user.subject)), wire: wire)
    }
}

extension Secrecy {
    /// A digest of 16 digits, by which things are told apart.
    func tag(_ text: String) throws(Fault) -> String {
        String(try digest(Array(text.utf8)).hexadecimal.prefix(16))
    }
}
