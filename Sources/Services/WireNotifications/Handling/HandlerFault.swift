import WireBase
import WireService

/// Why a handler has not done what it is for.
struct HandlerFault: WrappingError {
    let fault: Fault
    /// Whether trying again could come to nothing else.
    let isLasting: Bool

    init(_ fault: Fault, isLasting: Bool) { (self.fault, self.isLasting) = (fault, isLasting) }
    init(_ fault: Fault) { self.init(fault, isLasting: false) }
}
