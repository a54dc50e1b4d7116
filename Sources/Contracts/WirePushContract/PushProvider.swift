import WireConfig
import WireHTTP

/// A service that delivers pushes to devices.
package enum PushProvider: String, Choice {
    case apns, firebase, huawei, webPush

    package var otherWords: [String] {
        switch self {
        case .apns: ["apple", "ios", "apn"]
        case .firebase: ["fcm", "gcm", "google", "android"]
        case .huawei: ["hms"]
        case .webPush: ["web", "web_push", "autopush", "vapid"]
        }
    }

    package var help: String {
        switch self {
        case .apns: "Apple Push Notification service"
        case .firebase: "Firebase Cloud Messaging"
        case .huawei: "Huawei Push Kit"
        case .webPush: "Web Push, which this runner receives itself"
        }
    }
}

extension PushProvider: JSONWord, PlainCodable {
    package static var placeholder: Self { .apns }
}
