package import WireHTTP
import Glibc

/// Why a listener could not begin to listen.
package struct ListenerFailure: Error, Sendable, CustomStringConvertible {
    package let endpoint: Endpoint
    /// What is in the way, in words.
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

/// The system's words for what went wrong last.
func lastError() -> String {
    let text = unsafe String(cString: strerror(errno))
    return text.prefix(1).lowercased() + text.dropFirst()
}
