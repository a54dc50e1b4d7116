import WireBase
import WireConfig
import WireNotificationContract
import WirePushContract
import WireService

/// A kind of push server: the settings of one in the file, their rules, and what the server is asked over the wire.
///
/// The service asks what a server can do and never which kind it is; what only some kinds can do has a default that says no.
/// ``Registrar/kinds`` lists the kinds, and the schema and the reference follow from it.
protocol PushRegistrar: Record {
    // MARK: In the file

    /// The value of `type`.
    static var word: String { get }
    /// What the word means, in a sentence.
    static var help: String { get }
    /// Problems that its rules alone report.
    static var codes: [Code] { get }
    /// What must be there for the device to be registered; ``Registrar/needsKey(_:)`` reads it.
    var needs: [UserNeed]? { get }
    /// Whether push is degraded while the server cannot be told; ``Registrar/requiredKey(_:)`` reads it.
    var required: Bool { get }
    /// The rules across its keys, which stand at `path`.
    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks)

    // MARK: Over the wire

    /// Everything before the paths of its requests; a server built in is told here what it stands for.
    func address(of name: String, in host: PushHost) -> String
    /// The owner of the registration at this moment, and the wire in their name; throws what is missing for it.
    func owner(_ registrar: NamedRegistrar, at desk: PushDesk) async throws(Fault) -> PushOwner
    /// What it is told of: by default registrations, and their end.
    var errands: Set<PushErrand.Kind> { get }
    /// What requests carry that lets them in, which answers may repeat and no message shows.
    var credentials: [String] { get }
    /// Why a good status with this body is no answer of such a server; nil where it is one. Pages of HTML and cut JSON are
    /// told before.
    func objection(to json: JSONValue?, for kind: PushErrand.Kind, telling token: ProviderToken?) -> String?

    // MARK: Its pushes

    /// The system whose pushes are its own, of those whose pushes can be told apart.
    var sender: PlainPush.Sender? { get }
    /// The member that holds the id of its pushes, where they are told apart by that.
    var pushID: String? { get }

    // MARK: What only some can do

    /// Its own list of providers, where it may have one.
    var ownProviders: Setting<[PushProvider]?>? { get }
    /// The providers that are tried for it, of those in the order of the service.
    func tried(of order: [PushProvider]) -> [PushProvider]
    /// Whether a registration waits until notifications may be shown.
    var waitsForPermission: Bool { get }
    /// Whether the registration of one user ends those of others with the same token.
    var endsOthers: Bool { get }
    /// Whether it is told of the device afresh after it has refused another token for it.
    var registersAfterRefusedUpdate: Bool { get }
    /// Whether its requests say which device it is, and wait for a server to have named it.
    var needsDeviceID: Bool { get }
    /// How the device is told the token, for a server that learns of it with the device and by no request of its own.
    var deviceTokens: (any DeviceTokenNaming)? { get }
    /// The subscriptions of a server that is told more than the token.
    var subscriptions: (any PushSubscribing)? { get }
    /// The JWT of the user, of a server that the app may hand one in for.
    var userTokens: (any UserTokenTaking)? { get }

    /// The number that the SDKs of its platform have for something; some events are emitted only where there is one.
    static func number(of happening: PushHappening) -> PushNumber?
    /// What one of its pushes lacks.
    func flaws(of push: ReceivedPush) -> [PushHappening.PushFlaw]
}

extension PushRegistrar {
    static var codes: [Code] { [] }
    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks) {}

    var errands: Set<PushErrand.Kind> { [.register, .update, .unregister] }
    var credentials: [String] { [] }
    func objection(to json: JSONValue?, for kind: PushErrand.Kind, telling token: ProviderToken?) -> String? { nil }

    var sender: PlainPush.Sender? { nil }
    var pushID: String? { nil }

    var ownProviders: Setting<[PushProvider]?>? { nil }
    func tried(of order: [PushProvider]) -> [PushProvider] { order }
    var waitsForPermission: Bool { false }
    var endsOthers: Bool { false }
    var registersAfterRefusedUpdate: Bool { false }
    var needsDeviceID: Bool { false }
    var deviceTokens: (any DeviceTokenNaming)? { nil }
    var subscriptions: (any PushSubscribing)? { nil }
    var userTokens: (any UserTokenTaking)? { nil }

    static func number(of happening: PushHappening) -> PushNumber? { nil }
    func flaws(of push: ReceivedPush) -> [PushHappening.PushFlaw] { [] }
}
