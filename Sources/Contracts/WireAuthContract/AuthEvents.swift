package import WireBase
import WireConfig
package import WireHTTP

/// The events of the session.
package enum AuthEvents: String, APIEvent {
    package typealias Payload = AuthEvent

    case signedIn = "auth.signedIn"
    case signedOut = "auth.signedOut"
    case locked = "auth.locked"
    case unlocked = "auth.unlocked"
    case refreshed = "auth.refreshed"
    case failed = "auth.failed"
    case revoked = "auth.revoked"

    package var help: String {
        switch self {
        case .signedIn: "A user has signed in, or the app has received its token."
        case .signedOut: "A session has ended."
        case .locked: "The session is locked; tokens are blocked."
        case .unlocked: "The session was unlocked."
        case .refreshed: "The tokens were refreshed."
        case .failed: "A sign-in or a token refresh has failed."
        case .revoked:
            "A delayed revocation of tokens has succeeded or failed for good; see `revocation`."
        }
    }
}

/// The payload of a session event.
package struct AuthEvent: JSONRecord {
    package let mode: String
    package var session, reason, revocation, kind, guidance: String?
    package var isTransient: Bool?
    package var origin: ValueOrigin?

    package init(_ mode: String) { self.mode = mode }
}

extension AuthEvent {
    package static let form = JSONForm<Self>("AuthEvent", "The payload of a session event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        mode = try members.required("mode", \.mode, "The mode of the session: the user's or the app's.")
        session = try members.optional("session", \.session, "The session; only for callers who may use it.")
        reason = try members.optional("reason", \.reason, "Why the session has ended.")
        revocation = try members.optional("revocation", \.revocation, "The result of the revocation.")
        kind = try members.optional("kind", \.kind, "The kind of failure.")
        guidance = try members.optional("guidance", \.guidance, "What to do.")
        isTransient = try members.optional("transient", \.isTransient, "Whether a retry may help.")
        origin = try members.optional("config", \.origin, "The value of the services file that causes the failure.")
    }
}
