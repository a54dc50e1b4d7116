package import WireBase
package import WireDeviceContract
package import WireNotificationContract
package import WireService

/// A notice for add-ons.
package enum AddonMoment: Sendable {
    case starting, ready, draining, stopping
    case environmentWillChange(from: String?, to: String?)
    case environmentDidChange(from: String?, to: String?)
    /// The environment that stays, and why the other one did not start.
    case environmentStayed(String?, reason: String)
    case deviceDidRegister(KnownDevice)
    case tokenCame(provider: String, token: Secret<String>)
    case tokenFailed(provider: String, reason: String)
    /// A tap on a notification, or on a button where one is given.
    case response(notification: String, button: String?)
    case requestDidPerform(AddonRequest, AddonRequest.End)
    /// The mode of the session's tokens; the user is nil for the app itself.
    case signedIn(mode: String, SignedInUser?)
    case signedOut(mode: String, reason: String)
    /// A question to other add-ons, for those that only observe.
    case asked(AddonQuestion)

    package var point: AddonPoint {
        switch self {
        case .starting: .starting
        case .ready: .ready
        case .draining: .draining
        case .stopping: .stopping
        case .environmentWillChange: .environmentWillChange
        case .environmentDidChange: .environmentDidChange
        case .environmentStayed: .environmentStayed
        case .deviceDidRegister: .deviceDidRegister
        case .tokenCame: .tokenCame
        case .tokenFailed: .tokenFailed
        case .response: .notificationResponse
        case .requestDidPerform: .requestDidPerform
        case .signedIn: .signedIn
        case .signedOut: .signedOut
        case .asked(let question): question.point
        }
    }
}

/// A question that add-ons can decide.
package enum AddonQuestion: Sendable {
    case deviceWillSetUp(KnownDevice)
    case deviceWillRegister(KnownDevice)
    case received(HandedNotification)
    case request(AddonRequest)
    case link(String)
    case signIn(AddonSignIn)

    package var point: AddonPoint {
        switch self {
        case .deviceWillSetUp: .deviceWillSetUp
        case .deviceWillRegister: .deviceWillRegister
        case .received: .notificationReceived
        case .request: .requestWillPerform
        case .link: .linkOpen
        case .signIn: .signIn
        }
    }

    /// How long the caller waits for a reply; nil for the timeout of the add-on.
    package var patience: Duration? {
        if case .signIn(let signInRequest) = self { signInRequest.patience } else { nil }
    }
}

/// The reply of an add-on; without one, nothing changes.
package enum AddonReply: Sendable {
    case device(KnownDevice)
    case verdict(AddonVerdict)
    /// Why the request must not be sent; nil where it may.
    case request(refusal: String?)
    case link(isOpened: Bool)
    case signIn(AddonSignInAnswer)
}

/// The decision about a notification.
package struct AddonVerdict: Sendable, Equatable {
    /// Why the notification is discarded; nil where it is handled.
    package var veto: String?
    /// How to present the notification, in the words of the file; nil for its handlers' choice.
    package var present: [String]?

    package init(veto: String? = nil, present: [String]? = nil) { (self.veto, self.present) = (veto, present) }
}

/// A request as visible to add-ons: without token, header fields, query and body.
package struct AddonRequest: Sendable, Equatable {
    package let method: String
    /// The URL without its query.
    package let url: String
    /// The service that sends the request.
    package let service: String

    /// The result of the request.
    package struct End: Sendable, Equatable {
        /// The status of the response; nil where there is none.
        package var status: Int?
        /// The failure kind with its reason.
        package var outcome: String?
        package var reason: String?
        package var attempts: Int
        package var duration: Duration

        package init(status: Int?, outcome: String?, reason: String?, attempts: Int, duration: Duration) {
            (self.status, self.outcome, self.reason) = (status, outcome, reason)
            (self.attempts, self.duration) = (attempts, duration)
        }
    }

    package init(method: String, url: String, service: String) {
        (self.method, self.url, self.service) = (method, url, service)
    }
}
