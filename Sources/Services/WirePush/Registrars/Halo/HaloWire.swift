import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
package import WirePushContract

/// The requests to a HALO server: the token with the device, and push events.
package struct HaloWire: Sendable {
    private let account: HaloRegistrar

    package init(_ account: HaloRegistrar) { self.account = account }

    /// HALO's name of the device's platform.
    package func platform(of provider: PushProvider) -> String {
        if let platform = account.platform { return platform.text }
        switch provider {
        case .apns: return "ios"
        case .firebase: return "android"
        case .huawei: return "huawei"
        // Not registered there.
        case .webPush: return "web"
        }
    }

    package func activity(_ event: PushEvent, of schedule: String, device: String, _ provider: PushProvider) -> PushCall
    {
        PushCall(
            .post,
            account.activityURL.text,
            json: .members([
                "platform": .string(platform(of: provider)), "schedule": .string(schedule), "device": .string(device),
                "action": .string(Self.action(event)),
            ]),
            authorization: .usual
        )
    }

    private static func action(_ event: PushEvent) -> String {
        switch event {
        case .delivery: "receipt"
        case .open: "open"
        case .dismiss: "dismiss"
        }
    }

    func wants(_ event: PushEvent) -> Bool { account.activity.contains(PushEventName(event)) }
}

extension HaloWire: PushWire, DeviceTokenNaming {
    var server: String { "device" }

    func facts(_: PushRequestValues) -> String { account.platform?.text ?? "" }

    func call(_ operation: PushOperation, _ moment: PushRequestValues) -> PushCall? {
        guard let event = operation.kind.event, let push = operation.push, let device = moment.device.id else {
            return nil
        }
        return activity(event, of: push, device: device, operation.provider ?? moment.token?.provider ?? .apns)
    }
}
