import WireAuthContract
import WireService

extension SignInFailure.Kind {
    /// The built-in text for the user: the problem, then the remedy.
    package var text: String {
        switch self {
        case .blocked: "Your account is blocked. Ask the administrator to unblock it."
        case .invalidCredentials: "User name or password is wrong. Check both and try again."
        case .secondFactor: "A second factor is required. Sign in with a browser."
        case .tooManyAttempts: "There were too many attempts. Try again in a few minutes."
        case .unverified: "Your email address is not verified. Open the link in the verification message, then sign in."
        case .passwordLeaked: "Your password was found in a leak. Choose a new one, then sign in."
        case .accessDenied: "Access was denied. Sign in again and give consent, or request access to this app."
        case .sessionExpired, .invalidGrant, .invalidToken: "Your session has ended. Sign in again."
        case .loginRequired: "The server requires a new sign-in. Sign in again."
        case .interactionRequired: "The server requires your input. Sign in with a browser."
        case .accountSelectionRequired: "You have several accounts. Sign in with a browser and choose one."
        case .consentRequired: "The server requires your consent. Sign in with a browser and give consent."
        case .deviceCodeExpired: "The code was not confirmed in time. Start the sign-in again to get a new code."
        case .offline: "The sign-in server cannot be reached. Check the network connection, then try again."
        case .noListener:
            "The port for the redirect of the browser is in use. Close the program that uses it, then try again."
        case .untrusted: "The sign-in server is not trusted. Check the network, and do not enter a password."
        case .serverError: "The sign-in server failed. Try again later."
        case .temporarilyUnavailable: "The sign-in server is busy. Try again later."
        case .wrongAnswer, .noKey: "The sign-in server sent an invalid response. Try again later."
        case .wrongIssuer, .wrongState, .wrongToken:
            "The response does not belong to this sign-in and was rejected. Sign in again; report the problem if it recurs."
        case .wrongClock: "The clock of this machine is wrong. Set it to the right time, then sign in again."
        case .cancelled: "The sign-in was cancelled. Sign in again to continue."
        case .abandoned: "The sign-in was cancelled. Sign in again to continue."
        case .invalidClient, .unauthorizedClient, .unsupported, .unsupportedGrantType, .unsupportedResponseType,
            .unsupportedTokenType:
            "This app is not configured for this sign-in flow. Contact the administrator."
        case .invalidScope, .insufficientScope:
            "This app requests more access than the server grants. Contact the administrator."
        case .invalidRedirectURI, .invalidRequest, .requestNotSupported, .invalidTarget:
            "The server rejected the request of this app. Contact the administrator."
        }
    }
}

extension SignInFailure {
    /// The text for a wrong clock with a known offset.
    var clockText: String? {
        guard kind == .wrongClock, let clockOffset else { return nil }
        let side = clockOffset < .zero ? "behind" : "ahead of"
        return "The clock of this machine is about \(clockOffset.roughly) \(side) the server's. "
            + "Set it to the right time, then sign in again."
    }
}

extension Duration {
    /// The duration in its largest fitting unit, without its sign.
    var roughly: String {
        let seconds = abs(self / .seconds(1))
        for (unit, size) in [("d", 86_400.0), ("h", 3_600.0), ("min", 60.0)] where seconds >= size * 1.5 {
            return "\(Int((seconds / size).rounded())) \(unit)"
        }
        return "\(Int(seconds.rounded())) s"
    }
}
