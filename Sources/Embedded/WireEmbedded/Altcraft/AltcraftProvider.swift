import WireBackends

/// The push provider of a subscription, by the platform's name for it.
enum AltcraftProvider: Sendable, Equatable {
    case known(Known)
    /// Web Push, under the name that the file gives it.
    case webPush(String)

    enum Known: String, Sendable, CaseIterable {
        case iosAPNS = "ios-apns"
        case iosFirebase = "ios-firebase"
        case iosHuawei = "ios-huawei"
        case androidFirebase = "android-firebase"
        case androidHuawei = "android-huawei"
        case androidRuStore = "android-rustore"
    }

    /// Returns nil for an unknown name.
    init?(_ name: String, in admitted: PushAdmissions.Admitted) {
        if let known = Known(rawValue: name) {
            self = .known(known)
        } else if admitted.webPush.contains(name) {
            self = .webPush(name)
        } else {
            return nil
        }
    }

    static func all(in admitted: PushAdmissions.Admitted) -> [Self] {
        Known.allCases.map(Self.known) + admitted.webPush.sorted().map(Self.webPush)
    }

    var name: String {
        switch self {
        case .known(let known): known.rawValue
        case .webPush(let name): name
        }
    }

    /// The embedded push provider; nil where there is none for it.
    var carrier: String? {
        switch self {
        case .known(.iosAPNS): "apns"
        case .known(.iosFirebase), .known(.androidFirebase): "firebase"
        case .known(.iosHuawei), .known(.androidHuawei): "huawei"
        case .known(.androidRuStore): nil
        case .webPush: WebPushSender.provider
        }
    }

    var isApple: Bool { name.hasPrefix("ios-") }
}
