import WireBase
import WireService

/// The failure of a handler.
struct HandlerFault: WrappingError {
    let fault: Fault
    /// Whether a retry would fail too.
    let isLasting: Bool

    init(_ fault: Fault, isLasting: Bool) { (self.fault, self.isLasting) = (fault, isLasting) }
    init(_ fault: Fault) { self.init(fault, isLasting: false) }
}
