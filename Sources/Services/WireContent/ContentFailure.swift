import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireNetworkContract
import WireService
import WireStore

extension ContentFailure {
    var fault: Fault { Fault(reason, help: help, origin: origin) }

    /// Whether stored content may replace the server's response.
    ///
    /// A refusal of the server is final, and without a right to a token there is none to stored content.
    var letsStoredBeGiven: Bool {
        switch kind {
        case .offline, .unreachable, .serverFailed, .malformed, .tooLarge, .tokenUnavailable, .locked, .distrusted,
            .refusedForNow:
            true
        default: false
        }
    }

    /// Whether the failure is about the server or the file, rather than the network or the moment.
    var isTelling: Bool {
        switch kind {
        case .offline, .ending, .cancelled, .signedOut, .locked, .blocked, .distrusted, .tokenUnavailable,
            .undeclaredToken:
            false
        default: true
        }
    }

    /// The failure with a longer help.
    func helping(_ more: String) -> ContentFailure {
        var failure = self
        failure.help = [help, more].compactMap(\.self).joined(separator: "; ")
        return failure
    }

    static var cancelled: ContentFailure { ContentFailure(.cancelled, "the request was cancelled") }

    init(_ failure: CallFailure) {
        let kind: ContentFailureKind =
            switch failure.kind {
            case .offline: .offline
            case .notStored: .notStored
            case .noToken(.signedOut): .signedOut
            case .noToken(.locked): .locked
            case .noToken(.blocked): .blocked
            case .noToken(.distrusted): .distrusted
            case .noToken(.unavailable): .tokenUnavailable
            case .noToken(.undeclared): .undeclaredToken
            case .resting, .busy, .timeout, .transfer: .unreachable
            case .noAddress, .forbidden: .forbidden
            case .ended: .ending
            case .cancelled: .cancelled
            }
        self.init(kind, failure.reason, help: failure.help, origin: failure.origin)
        retryAfter = failure.retryAfter ?? retryAfter
    }
}

extension ContentFailureKind {
    /// The failure of an unsuccessful status.
    init(_ status: Status) {
        self =
            switch status.code {
            case 404: .noSuchContent
            case 408, 429: .refusedForNow
            case 409: .conflict
            case 410: .gone
            case 401, 403, 425: .denied
            case 500...: .serverFailed
            default: .refused
            }
    }
}
