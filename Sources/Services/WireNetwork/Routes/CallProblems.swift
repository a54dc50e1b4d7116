import WireBase
import WireConfig
import WireHTTP
import WireService

extension Problem {
    /// What is told to who sent a request over the local API, when there is no answer.
    init(_ failure: CallFailure) {
        let (status, kind, title) = failure.kind.words
        let detail = failure.help.map { "\(failure.reason); \($0)" } ?? failure.reason
        self.init(status, kind, title, detail: detail)
        origin = failure.origin
        if let pause = failure.retryAfter { fields.add("Retry-After", "\(max(1, pause.wholeSeconds))") }
        if case .noToken(.signedOut) = failure.kind { fields.add("WWW-Authenticate", "Bearer realm=\"auth\"") }
        fields.add("Corewire-Attempts", "\(failure.attempts)")
        if failure.waited > .zero { fields.add("Corewire-Waited", "\(failure.waited.inMicroseconds / 1_000)ms") }
    }

    /// An answer that began, and broke off before anything of it was passed on.
    static func broken(_ failure: TransferFailure) -> Problem {
        Problem(.badGateway, failure.kind.word, "the answer of the server broke off", detail: failure.reason)
    }
}

extension CallFailure.Kind {
    fileprivate var words: (status: Status, kind: String, title: String) {
        switch self {
        case .offline: (.unavailable, "offline", "there is no network")
        case .notStored: (.gatewayTimeout, "not-stored", "nothing is stored for this request")
        case .noToken(let reason):
            switch reason {
            case .signedOut: (.unauthorized, "signed-out", "nobody is signed in")
            case .locked: (.locked, "locked", "the session is locked")
            case .blocked: (.forbidden, "blocked", "the account is blocked")
            case .distrusted: (.forbidden, "distrusted", "this machine is not trusted now")
            case .unavailable: (.unavailable, "token-unavailable", "there is no token now")
            case .undeclared: (.conflict, "undeclared-mode", "the file declares no such mode")
            }
        case .resting: (.unavailable, "host-resting", "the server is left alone for a while")
        case .busy: (.unavailable, "busy", "too many requests are under way")
        case .noAddress: (.conflict, "no-address", "the request leads nowhere")
        case .forbidden: (.forbidden, "forbidden", "the file does not allow this request")
        case .timeout: (.gatewayTimeout, "timeout", "the time of the request is over")
        case .transfer(.timeout): (.gatewayTimeout, "timeout", "the server did not answer in time")
        case .transfer(.invalidURL), .transfer(.invalidRequest):
            (.badRequest, "invalid-request", "the request cannot be sent")
        case .transfer(.exhausted): (.unavailable, "exhausted", "the request cannot be sent now")
        case .transfer(let kind): (.badGateway, kind.word, "there is no answer of the server")
        case .ended: (.unavailable, "ended", "the service has ended")
        case .cancelled: (.unavailable, "cancelled", "the request was ended before it was answered")
        }
    }
}

extension TransferFailure.Kind {
    /// Its name as problems have it: `protocolError` becomes `protocol-error`.
    fileprivate var word: String {
        rawValue.reduce(into: "") { text, character in
            if character.isUppercase { text += "-" }
            text += character.lowercased()
        }
    }
}

extension Duration {
    /// Rounded up, as `Retry-After` wants it.
    fileprivate var wholeSeconds: Int64 {
        components.attoseconds > 0 ? components.seconds + 1 : components.seconds
    }
}
