package import WireBase
package import WireDeviceContract
package import WireNotificationContract
package import WireService

/// Something that add-ons are told about.
package enum AddonMoment: Sendable {
    case starting, ready, draining, stopping
    case environmentWillChange(from: String?, to: String?)
    case environmentDidChange(from: String?, to: String?)
    /// The one that goes on, and why the other one does not run.
    case environmentStayed(String?, reason: String)
    case deviceDidRegister(KnownDevice)
    case tokenCame(provider: String, token: Secret<String>)
    case tokenFailed(provider: String, reason: String)
    /// The button that was pressed; nil for the notification itself.
    case response(notification: String, button: String?)
    case requestDidPerform(AddonRequest, AddonRequest.End)
    /// Whose session it is, by the mode of its tokens; the user is nil for the app itself.
    case signedIn(mode: String, SignedInUser?)
    case signedOut(mode: String, reason: String)
    /// What others are asked, for those who only watch.
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

/// Something that add-ons may decide.
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

    /// How long somebody waits for the answer, however long the add-on may take for others; nil where that is what counts.
    package var patience: Duration? { if case .signIn(let wish) = self { wish.patience } else { nil } }
}

/// What an add-on answers; no answer leaves everything as it is.
package enum AddonReply: Sendable {
    case device(KnownDevice)
    case verdict(AddonVerdict)
    /// Why the request must not be made; nil where it may.
    case request(refusal: String?)
    case link(isOpened: Bool)
    case signIn(AddonSignInAnswer)
}

/// What is to become of a notification.
package struct AddonVerdict: Sendable, Equatable {
    /// Why nothing is done with it; nil where it is handled.
    package var veto: String?
    /// How it is shown, by the words of the file; as its handlers say where nil.
    package var present: [String]?

    package init(veto: String? = nil, present: [String]? = nil) { (self.veto, self.present) = (veto, present) }
}

/// A request as add-ons see it: never its token, its fields, its query or its body.
package struct AddonRequest: Sendable, Equatable {
    package let method: String
    /// Where it goes, without the query.
    package let url: String
    /// The service that asks.
    package let service: String

    /// How it ended.
    package struct End: Sendable, Equatable {
        /// The status of the answer; nil where there is none.
        package var status: Int?
        /// The kind of its failure, and why.
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
