import WireAuthContract
import WireService

extension SignInFailure.Kind {
    /// The built-in text for the user: the problem, then the remedy.
    package var text: String {
        switch self {
        case .blocked: "Your account is blocked. Ask the people who run this service to unblock it."
        case .invalidCredentials: "User name or password is wrong. Check both and try again."
        case .secondFactor: "A second factor is needed. Sign in with a browser, where you can give it."
        case .tooManyAttempts: "There were too many attempts. Wait some minutes, then try again."
        case .unverified: "Your address is not verified yet. Open the link in the message you were sent, then sign in."
        case .passwordLeaked: "Your password was found in a leak. Choose a new one, then sign in."
        case .accessDenied: "Access was refused. Sign in again and agree, or ask for access to this app."
        case .sessionExpired, .invalidGrant, .invalidToken: "Your session has ended. Sign in again."
        case .loginRequired: "The server wants to see you again. Sign in again."
        case .interactionRequired: "The server needs your answer. Sign in with a browser."
        case .accountSelectionRequired: "You have several accounts. Sign in with a browser and choose one."
        case .consentRequired: "The server needs your consent. Sign in with a browser and give it."
        case .deviceCodeExpired: "The code was not confirmed in time. Start again to get a new one."
        case .offline: "The sign-in server cannot be reached. Check the network connection, then try again."
        case .noListener:
            "This machine cannot listen for the browser to come back. Close what uses its port, then try again."
        case .untrusted: "The sign-in server is not trusted. Check the network, and do not enter a password."
        case .serverError: "The sign-in server failed. Try again later."
        case .temporarilyUnavailable: "The sign-in server is busy. Try again later."
        case .wrongAnswer, .noKey: "The sign-in server gave an invalid answer. Try again later."
        case .wrongIssuer, .wrongState, .wrongToken:
            "The answer did not belong to this sign-in and was rejected. Start again; if this happens again, report it."
        case .wrongClock: "The clock of this machine is wrong. Set it to the right time, then sign in again."
        case .cancelled: "Sign-in was cancelled. Start again when you are ready."
        case .abandoned: "Sign-in was cancelled. Start again when you are ready."
        case .invalidClient, .unauthorizedClient, .unsupported, .unsupportedGrantType, .unsupportedResponseType,
            .unsupportedTokenType:
            "This app is not set up for this way of signing in. Tell the people who run it."
        case .invalidScope, .insufficientScope:
            "This app asks for more than the server gives. Tell the people who run it."
        case .invalidRedirectURI, .invalidRequest, .requestNotSupported, .invalidTarget:
            "The server did not accept what this app asked. Tell the people who run it."
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
