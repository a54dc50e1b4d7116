package import WireHTTP
import Glibc

/// The reason for which a listener could not be started.
package struct ListenerFailure: Error, Sendable, CustomStringConvertible {
    package let endpoint: Endpoint
    /// The cause, as text.
    package let reason: String

    init(_ endpoint: Endpoint, _ reason: String) {
        self.endpoint = endpoint
        self.reason = reason
    }

    package var description: String {
        let place =
            switch endpoint {
            case .unix(let path, _): "'\(path)'"
            case .tcp(let host, let port): "'\(host)', port \(port)"
            case .inherited(let descriptor): "descriptor \(descriptor)"
            }
        return "cannot listen at \(place): \(reason)"
    }
}

/// Returns the system's text for the last error.
func lastError() -> String {
    let text = unsafe String(cString: strerror(errno))
    return text.prefix(1).lowercased() + text.dropFirst()
}
