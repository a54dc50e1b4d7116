package import WireBase
import WireConfig

/// How a service is.
package enum ServiceState: Sendable {
    case idle
    case starting
    case ready
    /// It works, but not wholly.
    case degraded(Fault)
    /// It cannot work here, and says why; the rest runs.
    case inert(String)
    /// It starts when somebody signs in, and says what it waits for.
    case waiting(String)
    case draining
    case stopped
    case failed(Fault)

    package var name: String { word.rawValue }

    /// Why it is not simply ready.
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

/// The host lacks what a service is about: it is inert here, and the rest runs.
package struct MissingCapability: Error {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
