import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireNetworkContract
import WireService
import WireStore

extension ContentFailure {
    var fault: Fault { Fault(reason, help: help, origin: origin) }

    /// Whether what is stored may be given in the place of an answer of the server.
    ///
    /// A server that says no is believed; and who may not have a token may not have what is stored.
    var letsStoredBeGiven: Bool {
        switch kind {
        case .offline, .unreachable, .serverFailed, .malformed, .tooLarge, .tokenUnavailable, .locked, .distrusted,
            .refusedForNow:
            true
        default: false
        }
    }

    /// Whether it says something about the server or the file, rather than about the network or the moment.
    var isTelling: Bool {
        switch kind {
        case .offline, .ending, .cancelled, .signedOut, .locked, .blocked, .distrusted, .tokenUnavailable,
            .undeclaredToken:
            false
        default: true
        }
    }

    /// The same, with more of what to do about it.
    func helping(_ more: String) -> ContentFailure {
        var failure = self
        failure.help = [help, more].compactMap(\.self).joined(separator: "; ")
        return failure
    }

    static var cancelled: ContentFailure { ContentFailure(.cancelled, "the work was ended before it was done") }

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
    /// What a server means that answers so in place of content.
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
