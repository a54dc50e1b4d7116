import WireService

/// Why a handler has not done what it is for.
struct HandlerFault: Error, Sendable {
    let fault: Fault
    /// Whether trying again could come to nothing else.
    let isLasting: Bool

    init(_ fault: Fault, isLasting: Bool = false) { (self.fault, self.isLasting) = (fault, isLasting) }
}
