import WireConfig
import WireHTTP

/// How a user signs in.
package enum SignInFlow: String, Choice {
    case browser, device, password, addon

    package var otherWords: [String] {
        switch self {
        case .browser: ["code", "authorization_code", "authorizationcode", "pkce", "web"]
        case .device: ["device_code", "devicecode", "tv"]
        case .password: ["ropc", "direct", "credentials"]
        case .addon: ["plugin"]
        }
    }

    package var help: String {
        switch self {
        case .browser: "authorization code with PKCE in a browser (RFC 8252)"
        case .device: "a code entered on another device (RFC 8628)"
        case .password: "user name and password from this file; for machines only"
        case .addon: "an add-on provides the credentials: name and password, or a token of a network (docs/addons.md)"
        }
    }

    /// Whether corewire handles the password of the user.
    package var takesPasswords: Bool { self == .password || self == .addon }
}

/// How a locked session is unlocked.
package enum UnlockMethod: String, Choice {
    case pin, pam

    package var otherWords: [String] {
        switch self {
        case .pin: ["code", "passcode"]
        case .pam: ["password", "system", "biometric", "biometrics", "fingerprint"]
        }
    }

    package var help: String {
        switch self {
        case .pin: "a number chosen by the user"
        case .pam: "the password of the user's account on this machine"
        }
    }
}

extension SignInFlow: JSONWord, PlainCodable {
    package static var placeholder: Self { .browser }
}

extension UnlockMethod: JSONWord, PlainCodable {
    package static var placeholder: Self { .pin }
}

/// The state of a session.
package enum SessionState: String, JSONWord, PlainCodable {
    case signedOut, signingIn, signedIn, locked, blocked
}

/// Why the session has ended.
package enum SignOutReason: String, JSONWord, PlainCodable {
    /// A caller signed the user out.
    case user
    /// The server has ended the session, or the tokens have expired and cannot be refreshed.
    case expired
    /// The account is blocked.
    case blocked
    /// Too many attempts to unlock it.
    case wiped
    /// Another process of the group signed the user out.
    case elsewhere
    /// A sign-in failed.
    case failed
    /// A sign-in was cancelled.
    case cancelled
    /// The file names another server or client than that of the session.
    case otherServer
}

/// The result of revoking the tokens of a session (RFC 7009).
package enum Revocation: String, JSONWord, PlainCodable {
    /// The server has revoked them.
    case revoked
    /// The server does not support revocation: the tokens expire by themselves.
    case notOffered
    /// The server could not be reached yet; the revocation is retried.
    case pending
    /// The server could not be reached, and the store cannot record the retry.
    case failed
}
