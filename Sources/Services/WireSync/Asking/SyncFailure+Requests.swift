import WireHTTP
import WireNetworkContract
import WireService
import WireSyncContract

extension SyncFailure {
    /// Why a request to the server has no answer.
    init(_ failure: CallFailure) {
        let kind: SyncFailureKind =
            switch failure.kind {
            case .offline: .offline
            case .notStored: .notStored
            case .noToken(.signedOut): .signedOut
            case .noToken(.locked): .locked
            case .noToken(.distrusted): .distrusted
            case .noToken(.blocked): .blocked
            case .noToken: .tokenUnavailable
            case .resting, .busy, .timeout, .transfer: .unreachable
            case .noAddress, .forbidden: .notSent
            case .ended: .ending
            case .cancelled: .cancelled
            }
        self.init(kind, failure.reason, help: failure.help, origin: failure.origin)
    }
}

extension SyncFailureKind {
    /// Whether stored data may be used instead: the server was not asked, or had no answer.
    ///
    /// A rejection by the server counts, and stored data is not shown to a caller who may have no token.
    var letsStoredStandIn: Bool {
        switch self {
        case .offline, .unreachable, .serverFailed, .malformed, .tooLarge, .tokenUnavailable: true
        default: false
        }
    }
}
