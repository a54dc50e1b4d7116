import WireBase
import WireHTTP
import WireNetworkContract

extension Problem {
    /// The problem for a caller whose request has no response.
    init(_ failure: CallFailure) {
        let kind = failure.kind.requestFailure
        var refusal = APIFailure(kind, failure.reason, help: failure.help, origin: failure.origin)
        if let pause = failure.retryAfter { refusal.retryAfter = pause }
        self.init(refusal)
        fields.add("Corewire-Attempts", "\(failure.attempts)")
        if failure.waited > .zero { fields.add("Corewire-Waited", failure.waited.inWholeMilliseconds) }
    }

    /// A response that broke off before any of it was passed on.
    static func broken(_ failure: TransferFailure) -> Problem {
        let kind = failure.kind.requestFailure.rawValue
        return Problem(.badGateway, kind, "the response was interrupted", detail: failure.reason)
    }
}

extension Duration {
    /// In milliseconds, as in header fields: `1250ms`.
    var inWholeMilliseconds: String { "\(inMicroseconds / 1_000)ms" }
}
