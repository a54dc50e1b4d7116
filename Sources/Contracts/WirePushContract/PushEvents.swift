package import WireHTTP

/// What happens between the device and push servers.
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
        case .token: "A provider has given another token."
        case .pending: "A registration waits; `for` says for what."
        case .registered: "The server has the registration."
        case .updated: "The server has the other token."
        case .unregistered: "The server has removed the registration."
        case .suspended: "The server has suspended the subscription."
        case .unsuspended: "The server has taken the suspension back."
        case .profileChanged: "The server has changed fields of the profile."
        case .statusAsked: "The server has told the status of the subscription."
        case .deliveryTold: "The server knows that a push came."
        case .openTold: "The server knows that a push was opened."
        case .dismissTold: "The server knows that a push was dismissed."
        case .mobileEventTold: "The server has an event of the app."
        case .failed: "The server has refused a request, or could not be asked in time."
        case .held: "It was a request's turn, and what it needs is missing."
        case .retried: "A request is sent again."
        case .strangeAnswer: "Something else than the push server answers at its URL."
        case .rejected: "A request of the app was not accepted."
        case .unauthorized: "The server does not accept the JWT of the user."
        case .received: "A push of the platform came."
        case .posted: "A push of the platform was shown."
        case .unusable: "A push lacks what its server promises."
        case .cleared: "Registrations were removed here."
        }
    }
}

/// What an event of push carries.
package struct PushEventData: JSONRecord {
    package var registrar, what, push, provider, token, waitsFor, answer, reason: String?
    package var status, attempts, removed: Int?
    package var altcraft: Numbers?

    /// The numbers that the SDKs of Altcraft have for an event.
    package struct Numbers: JSONRecord {
        package let ios, android: Int?

        package init(ios: Int?, android: Int?) { (self.ios, self.android) = (ios, android) }
    }

    package init(_ registrar: String? = nil) { self.registrar = registrar }
}

extension PushEventData {
    package static let form = JSONForm<Self>("PushEventData", "What an event of push carries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.optional("registrar", \.registrar, "The registrar.")
        what = try members.optional("what", \.what, "The kind of request.")
        push = try members.optional("push", \.push, "The push.")
        provider = try members.optional("provider", \.provider, "The provider of the token.")
        token = try members.optional("token", \.token, "The last characters of the token.")
        waitsFor = try members.optional("for", \.waitsFor, "What the registration waits for.")
        attempts = try members.optional("attempts", \.attempts, "How often it was tried.", .count)
        reason = try members.optional("reason", \.reason, "Why.")
        status = try members.optional("status", \.status, "The status of the server's answer.")
        answer = try members.optional("answer", \.answer, "What the server says of it.")
        removed = try members.optional("removed", \.removed, "How many registrations were removed.", .count)
        altcraft = try members.optional("altcraft", \.altcraft, "The numbers of Altcraft's SDKs.")
    }
}

extension PushEventData.Numbers {
    package static let form = JSONForm<Self>("AltcraftNumbers", "The numbers of an event in Altcraft's SDKs.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        ios = try members.optional("ios", \.ios, "In the one for iOS.")
        android = try members.optional("android", \.android, "In the one for Android.")
    }
}
