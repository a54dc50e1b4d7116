public import WireConfig
import WireService

/// How a HALO server is told of this device: its token is part of the device, which the section `device` saves.
public struct HaloAccount: Record {
    /// What HALO calls the platform of the token.
    @Setting public var platform: Identifier?
    /// What the server is told about pushes.
    @Setting public var activity: [PushEventName]
    /// Where that is told.
    @Setting public var activityURL: Address
    /// What must be there for the device to be registered.
    @Setting public var needs: [UserNeed]?
    /// Whether push is degraded while this server cannot be told.
    @Setting public var required: Bool

    static let usualActivityURL = Address(known: "api/push/schedule/activity")

    package init(_ keys: inout Keys) {
        _platform = keys.optional(
            "platform",
            "What HALO calls the platform of the token; ios for apns, android for firebase, huawei for huawei when absent.",
            .example("ios")
        )
        _activity = keys.value(
            "activity",
            "What the server is told about pushes: that they came, were opened, were put away.",
            or: PushEventName.allCases,
            .example("[open]")
        )
        _activityURL = keys.value(
            "activityUrl",
            "Where that is told.",
            or: Self.usualActivityURL,
            .takes(.endpoint),
            .standIn(at: Self.usualActivityURL.text)
        )
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }
}

/// What became of a push.
public enum PushEventName: String, Choice, CaseIterable {
    case delivery, open, dismiss

    package var help: String {
        switch self {
        case .delivery: "it came"
        case .open: "the user has opened it"
        case .dismiss: "the user has put it away"
        }
    }

    init(_ event: PushEvent) {
        switch event {
        case .delivery: self = .delivery
        case .open: self = .open
        case .dismiss: self = .dismiss
        }
    }
}
