/// The method of a request (RFC 9110, section 9).
package struct Method: Sendable, Hashable {
    package let name: String

    package init(_ name: String) {
        self.name = name
    }

    package static let get = Method("GET")
    package static let head = Method("HEAD")
    package static let put = Method("PUT")
    package static let post = Method("POST")
    package static let patch = Method("PATCH")
    package static let delete = Method("DELETE")
    package static let options = Method("OPTIONS")
    package static let trace = Method("TRACE")

    /// Whether the method is safe (RFC 9110, section 9.2.1).
    package var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }

    /// Whether the method is idempotent (RFC 9110, section 9.2.2).
    package var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
