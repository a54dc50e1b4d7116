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
        case .device: "a code typed on another device (RFC 8628)"
        case .password: "user name and password from this file; for machines only"
        case .addon: "an add-on says who it is: name and password, or what another network has given (docs/addons.md)"
        }
    }

    /// Whether the password of the user passes through this program.
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
        case .pin: "a number the user chose"
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

/// Where a session stands.
package enum SessionState: String, JSONWord, PlainCodable {
    case signedOut, signingIn, signedIn, locked, blocked
}

/// Why no user is signed in any more.
package enum SignOutReason: String, JSONWord, PlainCodable {
    /// A caller asked for it.
    case user
    /// The server has ended the session, or its tokens have ended and there is no way to new ones.
    case expired
    /// The account was closed.
    case blocked
    /// There were too many attempts to unlock it.
    case wiped
    /// Another process of the group did it.
    case elsewhere
    /// A sign-in failed.
    case failed
    /// A sign-in was cancelled.
    case cancelled
    /// The file names another server or client than the one that was signed in at.
    case otherServer
}

/// What came of taking the tokens of a session back (RFC 7009).
package enum Revocation: String, JSONWord, PlainCodable {
    /// The server has done it.
    case revoked
    /// The server takes no tokens back: they end by themselves.
    case notOffered
    /// The server could not be told yet; it is tried again.
    case pending
    /// The server could not be told, and the store does not keep that it must be.
    case failed
}
