import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

extension CallFailure: AreaFailure {
    var error: CorewireError {
        var error = CorewireError(.init(kind.requestFailure), reason, help: help, origin: origin)
        error.wasNotSent = wasNotSent
        error.retryAfter = retryAfter
        error.helpsToRetry = retryAfter != nil
        return error
    }
}

extension CorewireError {
    /// Converts a failure while reading a response body.
    init(reading error: any Error) {
        switch error {
        case let failure as TransferFailure: self.init(Code(failure.kind.requestFailure), failure.reason)
        case let large as BodyTooLarge: self.init(.tooLarge, "the body is larger than \(large.limit)")
        case is CancellationError: self.init(.cancelled, "the task was cancelled")
        default: self.init(.interrupted, "the body is incomplete")
        }
    }
}
