/// A point at which add-ons take part; the names follow the add-on protocols of HALO, behind the word that the file has for
/// the group.
package enum AddonPoint: UInt8, CaseIterable, Sendable {
    case starting, ready, draining, stopping
    case environmentWillChange, environmentDidChange, environmentStayed
    case deviceWillSetUp, deviceWillRegister, deviceDidRegister
    case tokenCame, tokenFailed, notificationReceived, notificationResponse
    case requestWillPerform, requestDidPerform
    case linkOpen
    case signIn, signedIn, signedOut

    /// The word of the file, a dot, and what happens.
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

    /// The word that the file has for it and its neighbours.
    package var group: String { String(name.prefix { $0 != "." }) }

    /// What it is for, in one sentence.
    package var meaning: String {
        switch self {
        case .starting: "The runner starts its services."
        case .ready: "The runner is ready: all of its services have started."
        case .draining: "The runner is about to end, and lets what is in flight end."
        case .stopping: "The add-on is about to be ended."
        case .environmentWillChange: "Another environment is about to run."
        case .environmentDidChange: "Another environment runs."
        case .environmentStayed: "The other environment did not become ready, the former one goes on."
        case .deviceWillSetUp: "The device was read, at every start of its service; it may be changed."
        case .deviceWillRegister: "The device is about to be saved at the server; it may be changed."
        case .deviceDidRegister: "The server has the device."
        case .tokenCame: "A push provider has given a token that is new."
        case .tokenFailed: "A push provider has given no token."
        case .notificationReceived: "A notification came in; it may be vetoed, or shown otherwise."
        case .notificationResponse: "Somebody tapped a notification or one of its buttons."
        case .requestWillPerform: "A request is about to be made; it may be refused."
        case .requestDidPerform: "A request was made, or has failed."
        case .linkOpen: "A link is to be opened; whoever opens it says so."
        case .signIn: "A user is to be signed in; whoever can do that does."
        case .signedIn: "A user, or the app itself, has signed in."
        case .signedOut: "A user, or the app itself, was signed out."
        }
    }

    /// Whether an answer may change what happens.
    package var isQuestion: Bool {
        switch self {
        case .deviceWillSetUp, .deviceWillRegister, .notificationReceived, .requestWillPerform, .linkOpen, .signIn: true
        default: false
        }
    }
}

/// Some of the points.
package struct AddonPoints: Sendable, Equatable {
    package private(set) var bits: UInt32 = 0

    package init(_ points: some Sequence<AddonPoint> = []) { for point in points { insert(point) } }
    package init(bits: UInt32) { self.bits = bits }

    /// All points of these groups.
    package init(ofGroups groups: [String]) { self.init(AddonPoint.allCases.filter { groups.contains($0.group) }) }

    /// The questions whose answer may be no.
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
