package import WireHTTP

/// The events of push registration.
package enum PushEvents: String, APIEvent {
    package typealias Payload = PushEventData

    case configured = "push.configured"
    case token = "push.token"
    case pending = "push.pending"
    case registered = "push.registered"
    case updated = "push.updated"
    case unregistered = "push.unregistered"
    case suspended = "push.suspended"
    case unsuspended = "push.unsuspended"
    case profileChanged = "push.profileChanged"
    case statusAsked = "push.statusAsked"
    case deliveryTold = "push.deliveryTold"
    case openTold = "push.openTold"
    case dismissTold = "push.dismissTold"
    case mobileEventTold = "push.mobileEventTold"
    case failed = "push.failed"
    case held = "push.held"
    case retried = "push.retried"
    case strangeAnswer = "push.strangeAnswer"
    case rejected = "push.rejected"
    case unauthorized = "push.unauthorized"
    case received = "push.received"
    case posted = "push.posted"
    case unusable = "push.unusable"
    case cleared = "push.cleared"

    package var help: String {
        switch self {
        case .configured: "The service runs with a registrar of the file."
        case .token: "A provider has issued another token."
        case .pending: "A registration waits; see `for`."
        case .registered: "The server has the registration."
        case .updated: "The server has the new token."
        case .unregistered: "The server has removed the registration."
        case .suspended: "The server has suspended the subscription."
        case .unsuspended: "The server has ended the suspension."
        case .profileChanged: "The server has changed fields of the profile."
        case .statusAsked: "The server has returned the status of the subscription."
        case .deliveryTold: "The delivery of a push was reported."
        case .openTold: "The opening of a push was reported."
        case .dismissTold: "The dismissal of a push was reported."
        case .mobileEventTold: "An app event was reported."
        case .failed: "The server has rejected a request, or did not respond in time."
        case .held: "A request is due, but a precondition is missing."
        case .retried: "A request is retried."
        case .strangeAnswer: "The URL of the push server returns responses of another server."
        case .rejected: "A request of the app was not accepted."
        case .unauthorized: "The server does not accept the JWT of the user."
        case .received: "A push of the platform was received."
        case .posted: "A push of the platform was shown."
        case .unusable: "A push lacks a member that its server guarantees."
        case .cleared: "Registrations were removed on this device."
        }
    }
}

/// The payload of a push event.
package struct PushEventData: JSONRecord {
    package var registrar, what, push, provider, token, waitsFor, answer, reason: String?
    package var status, attempts, removed: Int?
    package var altcraft: Numbers?

    /// The numbers of an event in Altcraft's SDKs.
    package struct Numbers: JSONRecord {
        package let ios, android: Int?

        package init(ios: Int?, android: Int?) { (self.ios, self.android) = (ios, android) }
    }

    package init(_ registrar: String? = nil) { self.registrar = registrar }
}

extension PushEventData {
    package static let form = JSONForm<Self>("PushEventData", "The payload of a push event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.optional("registrar", \.registrar, "The registrar.")
        what = try members.optional("what", \.what, "The kind of request.")
        push = try members.optional("push", \.push, "The push.")
        provider = try members.optional("provider", \.provider, "The provider of the token.")
        token = try members.optional("token", \.token, "The last characters of the token.")
        waitsFor = try members.optional("for", \.waitsFor, "What the registration waits for.")
        attempts = try members.optional("attempts", \.attempts, "The number of attempts.", .count)
        reason = try members.optional("reason", \.reason, "The reason.")
        status = try members.optional("status", \.status, "The status of the response.")
        answer = try members.optional("answer", \.answer, "The message of the server.")
        removed = try members.optional("removed", \.removed, "The number of removed registrations.", .count)
        altcraft = try members.optional("altcraft", \.altcraft, "The numbers of Altcraft's SDKs.")
    }
}

extension PushEventData.Numbers {
    package static let form = JSONForm<Self>("AltcraftNumbers", "The numbers of an event in Altcraft's SDKs.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        ios = try members.optional("ios", \.ios, "The number in the iOS SDK.")
        android = try members.optional("android", \.android, "The number in the Android SDK.")
    }
}
