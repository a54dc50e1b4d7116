import WireBase
package import WireConfig
package import WireHTTP
package import WireService

/// Why something is not done with content.
package struct ContentFailure: Error, Sendable {
    package enum Kind: Sendable, Hashable {
        /// What was asked for cannot be.
        case invalid
        /// No module of that name is kept, or at the server.
        case noSuchModule
        case noSuchInstance
        /// Only what is stored was wanted, and nothing is.
        case notStored
        /// What is stored cannot answer this.
        case notAnswerable
        /// There is no network, or the policy keeps everything here.
        case offline
        /// The server did not answer in time, or not at all.
        case unreachable
        case noToken(TokenRefusal.Reason)
        /// The file, or the environment, does not let it happen.
        case forbidden
        /// The server says no.
        case refused(Status)
        /// Somebody else has changed it.
        case conflict
        /// The server failed.
        case serverFailed(Status)
        /// The answer of the server is not what such answers are.
        case malformed
        case tooLarge
        /// The store does not take it.
        case store
        case ended
        case cancelled
    }

    package let kind: Kind
    /// In words; never a secret, never content.
    package let reason: String
    package var help: String?
    package var retryAfter: Duration?
    /// The value of the file it comes from.
    package var origin: ValueOrigin?

    package init(
        _ kind: Kind,
        _ reason: String,
        help: String? = nil,
        retryAfter: Duration? = nil,
        origin: ValueOrigin? = nil
    ) {
        (self.kind, self.reason, self.help) = (kind, reason, help)
        (self.retryAfter, self.origin) = (retryAfter, origin)
    }

    package var fault: Fault { Fault(reason, help: help, origin: origin) }

    /// Whether what is stored may be given in the place of an answer of the server.
    ///
    /// A server that says no is believed; and what is stored is nobody's who may not have a token.
    var letsStoredBeGiven: Bool {
        switch kind {
        case .offline, .unreachable, .serverFailed, .malformed, .tooLarge, .noToken(.unavailable), .noToken(.locked),
            .noToken(.distrusted):
            true
        case .refused(let status): status.code == 408 || status.code == 429
        default: false
        }
    }

    /// Whether it says something about the server or the file, rather than about the network or the moment.
    var isTelling: Bool {
        switch kind {
        case .offline, .ended, .cancelled, .noToken: false
        default: true
        }
    }
}

extension ContentFailure {
    init(_ failure: CallFailure) {
        let kind: Kind =
            switch failure.kind {
            case .offline: .offline
            case .notStored: .notStored
            case .noToken(let reason): .noToken(reason)
            case .resting, .busy, .timeout, .transfer: .unreachable
            case .noAddress, .forbidden: .forbidden
            case .ended: .ended
            case .cancelled: .cancelled
            }
        self.init(
            kind,
            failure.reason,
            help: failure.help,
            retryAfter: failure.retryAfter,
            origin: failure.origin
        )
    }

    static let cancelled = ContentFailure(.cancelled, "the work was ended before it was done")
}

extension Problem {
    init(_ failure: ContentFailure) {
        let (status, kind, title) = failure.kind.words
        let detail = failure.help.map { "\(failure.reason); \($0)" } ?? failure.reason
        self.init(status, kind, title, detail: detail)
        origin = failure.origin
        if let pause = failure.retryAfter ?? (status == .unavailable ? .seconds(5) : nil) {
            fields["Retry-After"] = "\(max(1, pause.components.seconds))"
        }
        if status == .unauthorized { fields["WWW-Authenticate"] = "Bearer realm=\"content\"" }
    }
}

extension ContentFailure.Kind {
    fileprivate var words: (status: Status, kind: String, title: String) {
        switch self {
        case .invalid: (.badRequest, "invalid-content", "this cannot be asked for")
        case .noSuchModule: (.notFound, "no-such-module", "there is no such module")
        case .noSuchInstance: (.notFound, "no-such-instance", "there is no such instance")
        case .notStored: (.gatewayTimeout, "not-stored", "nothing is stored for this")
        case .notAnswerable: (.unprocessableContent, "not-answerable-offline", "what is stored cannot answer this")
        case .offline: (.unavailable, "offline", "there is no network")
        case .unreachable: (.gatewayTimeout, "unreachable", "the server cannot be reached")
        case .noToken(.signedOut): (.unauthorized, "signed-out", "nobody is signed in")
        case .noToken(.locked): (.locked, "locked", "the session is locked")
        case .noToken(.distrusted): (.forbidden, "distrusted", "this machine is not trusted now")
        case .noToken(.blocked): (.forbidden, "blocked", "the account is blocked")
        case .noToken: (.unavailable, "token-unavailable", "there is no token now")
        case .forbidden: (.badGateway, "not-sent", "the request may not be sent")
        case .refused(let status) where status == .notFound:
            (.notFound, "no-such-content", "the server does not have it")
        case .refused: (.badGateway, "content-refused", "the server refuses it")
        case .conflict: (.conflict, "content-conflict", "it has changed meanwhile")
        case .serverFailed: (.badGateway, "content-failed", "the server failed")
        case .malformed: (.badGateway, "content-malformed", "the answer of the server is not understood")
        case .tooLarge: (.badGateway, "content-too-large", "the answer of the server is too large")
        case .store: (.insufficientStorage, "store-failed", "the store does not take it")
        case .ended: (.unavailable, "closing", "the service ends")
        case .cancelled: (.unavailable, "cancelled", "the work was ended before it was done")
        }
    }
}
