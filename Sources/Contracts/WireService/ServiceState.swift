package import WireBase
import WireConfig

/// The state of a service.
package enum ServiceState: Sendable {
    case idle
    case starting
    case ready
    /// Works in part.
    case degraded(Fault)
    /// Not supported on this machine, for the given reason; the other services run.
    case inert(String)
    /// Starts when a user signs in; the text names what it waits for.
    case waiting(String)
    case draining
    case stopped
    case failed(Fault)

    package var name: String { word.rawValue }

    /// Why the service is not ready.
    package var reason: String? {
        switch self {
        case .degraded(let fault), .failed(let fault): fault.reason
        case .inert(let reason), .waiting(let reason): reason
        default: nil
        }
    }

    package var fault: Fault? {
        switch self {
        case .degraded(let fault), .failed(let fault): fault
        default: nil
        }
    }
}

/// The machine lacks what a service needs: the service is inert, and the others run.
package struct MissingCapability: Error {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
