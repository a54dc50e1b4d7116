import WireBase
import WireHTTP
import WireService

/// What is told to who asks over the local API, when it is not done.
extension Problem {
    init(_ failure: StateFailure) {
        let (status, kind, title) = failure.kind.words
        let detail = failure.help.map { "\(failure.reason); \($0)" } ?? failure.reason
        self.init(status, kind, title, detail: detail)
        origin = failure.origin
        if failure.kind == .unavailable { fields = ["Retry-After": "5"] }
    }

    static func noSuchEntry(_ key: String, in namespace: String) -> Problem {
        Problem(
            .notFound,
            "no-such-entry",
            "nothing is stored there",
            detail: "there is no entry \(key.quoted) in '\(namespace)'"
        )
    }

    static func field(_ name: String, _ detail: String, status: Status = .badRequest) -> Problem {
        Problem(status, "malformed-field", "a field is not as expected", detail: "'\(name)': \(detail)")
    }
}

extension StateFailure.Kind {
    fileprivate var words: (status: Status, kind: String, title: String) {
        switch self {
        case .badName: (.badRequest, "bad-name", "this cannot be a name here")
        case .badLifetime: (.unprocessableContent, "bad-lifetime", "nothing is kept for so long here")
        case .tooLarge: (.contentTooLarge, "value-too-large", "the value is too large")
        case .undeclared: (.forbidden, "undeclared-namespace", "the namespace is not declared")
        case .conflict: (.preconditionFailed, "precondition-failed", "it has changed meanwhile")
        case .full: (.insufficientStorage, "full", "there is no room")
        case .unavailable: (.unavailable, "store-unavailable", "the store cannot be used now")
        case .sealed: (.internalError, "sealed", "the value cannot be unsealed")
        case .store: (.internalError, "store-failed", "the store failed")
        }
    }
}
