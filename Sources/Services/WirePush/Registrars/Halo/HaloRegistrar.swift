import WireBackendContract
import WireBase
package import WireConfig
import WireNotificationContract
import WirePushContract
import WireService

/// A HALO server: the token is part of the device, which the section `device` saves.
package struct HaloRegistrar: PushRegistrar {
    @Setting package var platform: Identifier?
    @Setting package var activity: [PushEventName]
    @Setting package var activityURL: Address
    @Setting package var needs: [UserNeed]?
    @Setting package var required: Bool

    static let usualActivityURL = Address(known: "api/push/schedule/activity")

    package init(_ keys: inout Keys) {
        _platform = keys.optional(
            "platform",
            "Platform of the token at HALO. Default: ios for apns, android for firebase, huawei for huawei.",
            .example("ios")
        )
        _activity = keys.value(
            "activity",
            "Push events to report: delivered, opened, dismissed.",
            or: PushEventName.allCases,
            .example("[open]")
        )
        _activityURL = keys.value(
            "activityUrl",
            "URL for push events.",
            or: Self.usualActivityURL,
            .takes(.endpoint),
            .standIn(at: Self.usualActivityURL.text)
        )
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }
}

extension HaloRegistrar {
    static let word = "halo"
    static let help = "A HALO server, which gets the token with the device."
    static let codes: [Code] = [.haloNeedsDevice]

    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks) {
        checks.need(
            Provision(.device),
            .haloNeedsDevice,
            at: place,
            "\(path) sends the token with the device, and there is no 'device' section",
            help: "write \(setting: "device: {}") at the top of the file"
        )
    }

    func address(of name: String, in host: PushHost) -> String {
        host.uses.embedded?.halo(name)
        return ""
    }

    func owner(_ registrar: NamedRegistrar, at reconciler: RegistrationReconciler) -> PushOwner {
        .device(HaloWire(self))
    }

    var operations: Set<PushOperation.Kind> {
        Set([.register, .update, .unregister] + PushEvent.allCases.filter(HaloWire(self).wants).map { .init($0) })
    }

    var sender: PlainPush.Sender? { .halo }
    var needsDeviceID: Bool { true }
    var deviceTokens: (any DeviceTokenNaming)? { HaloWire(self) }
}

extension Code {
    fileprivate static let haloNeedsDevice = Code(
        "CW1213",
        "halo-needs-device",
        .error,
        """
        A HALO server has no push registration of its own: it reads the token from the device that the section \
        'device' saves there.
        """
    )
}

/// An event of a push.
package enum PushEventName: String, Choice, CaseIterable {
    case delivery, open, dismiss

    package var help: String {
        switch self {
        case .delivery: "the push was received"
        case .open: "the user has opened the push"
        case .dismiss: "the user has dismissed the push"
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
