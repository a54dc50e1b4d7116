import WireBase
import WireContent
import WireHTTP
import WireService

extension Area {
    static let content = Area(section: ContentSection.name, help: "add the section 'content' to have content")
}

extension ContentFailure: AreaFailure {
    var error: CorewireError {
        let code: CorewireError.Code =
            switch kind {
            case .invalid: .invalid
            case .noSuchModule, .noSuchInstance: .notFound
            case .notStored, .notAnswerable: .notStored
            case .offline: .offline
            case .unreachable: .unreachable
            case .noToken: .tokenUnavailable
            case .refused(let status) where status.code == 404: .notFound
            case .refused, .forbidden: .refused
            case .conflict: .conflict
            case .serverFailed, .malformed, .tooLarge, .store: .failed
            case .ended: .stopped
            case .cancelled: .cancelled
            }
        var error = CorewireError(code, reason, help: help, origin: origin)
        error.retryAfter = retryAfter
        return error
    }
}
