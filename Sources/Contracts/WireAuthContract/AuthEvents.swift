package import WireBase
import WireConfig
package import WireHTTP

/// What happens to the session.
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
        case .signedIn: "A user has signed in, or the app has its token."
        case .signedOut: "A session has ended."
        case .locked: "The session is locked: it gives out no token."
        case .unlocked: "The session was unlocked."
        case .refreshed: "The tokens were renewed."
        case .failed: "A sign-in or a renewal has failed."
        case .revoked:
            "Tokens of a session that ended earlier were revoked at last, or cannot be; `revocation` says which."
        }
    }
}

/// What an event of the session carries.
package struct AuthEvent: JSONRecord {
    package let mode: String
    package var session, reason, revocation, kind, guidance: String?
    package var isTransient: Bool?
    package var origin: ValueOrigin?

    package init(_ mode: String) { self.mode = mode }
}

extension AuthEvent {
    package static let form = JSONForm<Self>("AuthEvent", "What an event of the session carries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        mode = try members.required("mode", \.mode, "Whose session it is: the user's or the app's.")
        session = try members.optional("session", \.session, "The session; only for callers who may use it.")
        reason = try members.optional("reason", \.reason, "Why the session has ended.")
        revocation = try members.optional("revocation", \.revocation, "What the server did about the tokens.")
        kind = try members.optional("kind", \.kind, "What has failed.")
        guidance = try members.optional("guidance", \.guidance, "What to do about it.")
        isTransient = try members.optional("transient", \.isTransient, "Whether trying again may help.")
        origin = try members.optional("config", \.origin, "The value of the services file that it comes from.")
    }
}
