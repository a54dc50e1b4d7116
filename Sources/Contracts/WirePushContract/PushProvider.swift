import WireConfig
import WireHTTP

/// A service that delivers pushes to devices.
package enum PushProvider: String, Choice {
    case apns, firebase, huawei

    package var otherWords: [String] {
        switch self {
        case .apns: ["apple", "ios", "apn"]
        case .firebase: ["fcm", "gcm", "google", "android"]
        case .huawei: ["hms"]
        }
    }

    package var help: String {
        switch self {
        case .apns: "Apple Push Notification service"
        case .firebase: "Firebase Cloud Messaging"
        case .huawei: "Huawei Push Kit"
        }
    }
}

extension PushProvider: JSONWord, PlainCodable {
    package static var placeholder: Self { .apns }
}
