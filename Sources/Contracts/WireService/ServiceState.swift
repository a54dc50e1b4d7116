package import WireConfig

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

/// What went wrong at run time, and which value of the file it comes from.
package struct Fault: Error, Sendable {
    /// In words; never a secret.
    package let reason: String
    package var help: String?
    package var origin: ValueOrigin?

    package init(_ reason: String, help: String? = nil, origin: ValueOrigin? = nil) {
        self.reason = reason
        self.help = help
        self.origin = origin
    }
}

/// The host lacks what a service is about: it is inert here, and the rest runs.
package struct MissingCapability: Error {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
