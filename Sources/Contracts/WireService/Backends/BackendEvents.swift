package import WireConfig
import WireHTTP

/// What happens to the embedded servers.
package enum BackendEvents: String, APIEvent {
    package typealias Payload = JSONValue

    case listening = "backends.listening"
    case version = "backends.version"
    case fault = "backends.fault"
    case faultEnded = "backends.fault-ended"

    package var help: String {
        switch self {
        case .listening: "The embedded servers can be reached; `baseUrl` says where."
        case .version: "Another version of the app is allowed, or no longer."
        case .fault: "A fault was injected; the members are the fault's."
        case .faultEnded: "Faults were ended; `ended` says how many."
        }
    }
}
