import WireBase
import WireConfig
import WireNotificationContract
import WirePushContract
import WireService

/// A kind of push server: its settings, their rules, and its requests.
///
/// The service asks for abilities and never for the kind; abilities of only some kinds are off by default.
/// ``Registrar/kinds`` lists the kinds, from which the schema and the reference are generated.
protocol PushRegistrar: Record {
    // MARK: In the file

    /// The value of `type`.
    static var word: String { get }
    /// The kind in one sentence.
    static var help: String { get }
    /// The codes of problems that only this kind reports.
    static var codes: [Code] { get }
    /// The user that a registration needs; ``Registrar/needsKey(_:)`` reads it.
    var needs: [UserNeed]? { get }
    /// Whether push is degraded while the server cannot be reached; ``Registrar/requiredKey(_:)`` reads it.
    var required: Bool { get }
    /// The rules across its keys, which are at `path`.
    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks)

    // MARK: Over the wire

    /// The base of its request paths; tells an embedded server the address that it replaces.
    func address(of name: String, in host: PushHost) -> String
    /// The owner of the registration at this moment, and the wire in their name; throws what is missing for it.
    func owner(_ registrar: NamedRegistrar, at reconciler: RegistrationReconciler) async throws(Fault) -> PushOwner
    /// The requests that it accepts: by default registrations and their end.
    var operations: Set<PushOperation.Kind> { get }
    /// The credentials of its requests, which are removed from messages since responses may repeat them.
    var credentials: [String] { get }
    /// Why a body did not come from such a server although the status is one of success; nil where it did. HTML pages
    /// and truncated JSON are found before.
    func objection(to json: JSONValue?, for kind: PushOperation.Kind, telling token: ProviderToken?) -> String?

    // MARK: Its pushes

    /// The sender of its pushes, where they can be recognized.
    var sender: PlainPush.Sender? { get }
    /// The member with the id of its pushes, where they are recognized by it.
    var pushID: String? { get }

    // MARK: What only some can do

    /// Its own list of providers, where it may have one.
    var ownProviders: Setting<[PushProvider]?>? { get }
    /// The providers in use for it, in the order of the service; by default all whose token is a plain text.
    func tried(of order: [PushProvider]) -> [PushProvider]
    /// The key with which the server signs its Web Push messages, so that the service rejects those of other senders.
    var vapid: SenderKey? { get }
    /// Whether a registration waits until notifications may be shown.
    var waitsForPermission: Bool { get }
    /// Whether a registration ends those of other users with the same token.
    var endsOthers: Bool { get }
    /// Whether it gets a new registration after it has rejected a token update.
    var registersAfterRefusedUpdate: Bool { get }
    /// Whether the request for another token is that of a registration.
    var registersForUpdates: Bool { get }
    /// Whether its requests contain the device id, and so wait until a server has assigned one.
    var needsDeviceID: Bool { get }
    /// The naming of tokens on the device, for a server without token requests of its own.
    var deviceTokens: (any DeviceTokenNaming)? { get }
    /// The subscriptions of a server that gets more than the token.
    var subscriptions: (any PushSubscribing)? { get }
    /// The JWT of the user, for a server whose JWT the app may set.
    var userTokens: (any UserTokenReceiving)? { get }

    /// The SDKs' number of an event; some events are emitted only where there is one.
    static func number(of happening: PushServerEvent) -> PushNumber?
    /// The flaws of one of its pushes.
    func flaws(of push: ReceivedPush) -> [PushServerEvent.PushFlaw]
}

extension PushRegistrar {
    /// Whether it can get a subscription of Web Push.
    var takesWebPush: Bool { tried(of: [.webPush]).contains(.webPush) }

    static var codes: [Code] { [] }
    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks) {}

    var operations: Set<PushOperation.Kind> { [.register, .update, .unregister] }
    var credentials: [String] { [] }
    func objection(to json: JSONValue?, for kind: PushOperation.Kind, telling token: ProviderToken?) -> String? { nil }

    var sender: PlainPush.Sender? { nil }
    var pushID: String? { nil }

    var ownProviders: Setting<[PushProvider]?>? { nil }
    func tried(of order: [PushProvider]) -> [PushProvider] { order.filter { $0 != .webPush } }
    var vapid: SenderKey? { nil }
    var waitsForPermission: Bool { false }
    var endsOthers: Bool { false }
    var registersAfterRefusedUpdate: Bool { false }
    var registersForUpdates: Bool { false }
    var needsDeviceID: Bool { false }
    var deviceTokens: (any DeviceTokenNaming)? { nil }
    var subscriptions: (any PushSubscribing)? { nil }
    var userTokens: (any UserTokenReceiving)? { nil }

    static func number(of happening: PushServerEvent) -> PushNumber? { nil }
    func flaws(of push: ReceivedPush) -> [PushServerEvent.PushFlaw] { [] }
}
