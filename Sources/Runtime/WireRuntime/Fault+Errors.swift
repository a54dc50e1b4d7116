import WireBase
import WireService
import WireStore

extension Fault {
    /// Converts an error to a fault.
    init(_ error: any Error) {
        switch error {
        case let fault as Fault: self = fault
        case let failure as StoreFailure: self.init("the store: \(failure.reason)", help: failure.help)
        case Deadline.Missed.passed(let limit): self.init("not ready within \(limit)")
        case Deadline.Missed.cancelled: self.init("the runner is stopping")
        case is CancellationError: self.init("cancelled")
        default: self.init("\(error)")
        }
    }
}
