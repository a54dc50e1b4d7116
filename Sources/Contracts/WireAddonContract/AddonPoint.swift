/// A point where add-ons are called; named as in HALO's add-on protocols, with the group of the services file as a
/// prefix.
package enum AddonPoint: UInt8, CaseIterable, Sendable {
    case starting, ready, draining, stopping
    case environmentWillChange, environmentDidChange, environmentStayed
    case deviceWillSetUp, deviceWillRegister, deviceDidRegister
    case tokenCame, tokenFailed, notificationReceived, notificationResponse
    case requestWillPerform, requestDidPerform
    case linkOpen
    case signIn, signedIn, signedOut

    /// The name: the group, a dot, and the event.
    package var name: String {
        switch self {
        case .starting: "lifecycle.starting"
        case .ready: "lifecycle.ready"
        case .draining: "lifecycle.draining"
        case .stopping: "lifecycle.stopping"
        case .environmentWillChange: "environment.willChange"
        case .environmentDidChange: "environment.didChange"
        case .environmentStayed: "environment.stayed"
        case .deviceWillSetUp: "device.willSetUp"
        case .deviceWillRegister: "device.willRegister"
        case .deviceDidRegister: "device.didRegister"
        case .tokenCame: "notifications.token"
        case .tokenFailed: "notifications.tokenFailed"
        case .notificationReceived: "notifications.received"
        case .notificationResponse: "notifications.response"
        case .requestWillPerform: "network.willPerform"
        case .requestDidPerform: "network.didPerform"
        case .linkOpen: "deepLinks.open"
        case .signIn: "auth.signIn"
        case .signedIn: "auth.signedIn"
        case .signedOut: "auth.signedOut"
        }
    }

    /// The group of points in the services file.
    package var group: String { String(name.prefix { $0 != "." }) }

    /// The description in one sentence.
    package var meaning: String {
        switch self {
        case .starting: "The runner starts its services."
        case .ready: "The runner is ready: all of its services have started."
        case .draining: "The runner is about to stop, and drains current work."
        case .stopping: "The add-on is about to be stopped."
        case .environmentWillChange: "The environment is about to change."
        case .environmentDidChange: "The environment has changed."
        case .environmentStayed: "The new environment did not become ready; the previous one continues."
        case .deviceWillSetUp: "The device was loaded, at every start of its service; it may be changed."
        case .deviceWillRegister: "The device is about to be registered at the server; it may be changed."
        case .deviceDidRegister: "The server has registered the device."
        case .tokenCame: "A push provider has issued a new token."
        case .tokenFailed: "A push provider has not issued a token."
        case .notificationReceived: "A notification was received; it may be vetoed or presented differently."
        case .notificationResponse: "The user tapped a notification or one of its buttons."
        case .requestWillPerform: "A request is about to be sent; it may be rejected."
        case .requestDidPerform: "A request has ended or failed."
        case .linkOpen: "A link is to be opened; an add-on that opens it confirms it."
        case .signIn: "A user is to be signed in; a capable add-on does it."
        case .signedIn: "A user, or the app itself, has signed in."
        case .signedOut: "A user, or the app itself, was signed out."
        }
    }

    /// Whether a reply may change the outcome.
    package var isQuestion: Bool {
        switch self {
        case .deviceWillSetUp, .deviceWillRegister, .notificationReceived, .requestWillPerform, .linkOpen, .signIn: true
        default: false
        }
    }
}

/// A set of points.
package struct AddonPoints: Sendable, Equatable {
    package private(set) var bits: UInt32 = 0

    package init(_ points: some Sequence<AddonPoint> = []) { for point in points { insert(point) } }
    package init(bits: UInt32) { self.bits = bits }

    /// All points of the given groups.
    package init(ofGroups groups: [String]) { self.init(AddonPoint.allCases.filter { groups.contains($0.group) }) }

    /// The questions that allow a negative reply.
    package static let decidable = Self([.requestWillPerform, .notificationReceived])

    package mutating func insert(_ point: AddonPoint) { bits |= point.bit }
    package func contains(_ point: AddonPoint) -> Bool { bits & point.bit != 0 }
    package func union(_ others: Self) -> Self { Self(bits: bits | others.bits) }
    package func intersection(_ others: Self) -> Self { Self(bits: bits & others.bits) }
    package var isEmpty: Bool { bits == 0 }
    package var all: [AddonPoint] { AddonPoint.allCases.filter(contains) }
}

extension AddonPoint {
    var bit: UInt32 { 1 << UInt32(rawValue) }
}
