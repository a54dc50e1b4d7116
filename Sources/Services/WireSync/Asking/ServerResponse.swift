package import WireConfig

/// A response of a GraphQL server.
package struct ServerResponse: Sendable {
    /// Nil where nothing was executed; `.null` where the operation failed as a whole.
    package var data: JSONValue?
    package var errors: [JSONValue]
    package var extensions: JSONValue?

    /// Reads a response; nil for other JSON (GraphQL specification, section 7.1).
    package init?(_ json: JSONValue) {
        guard case .object = json else { return nil }
        switch json["data"] {
        case .object?, .null?, nil: data = json["data"]
        default: return nil
        }
        extensions = json["extensions"]
        switch json["errors"] {
        case .array(let errors)?: self.errors = errors
        case nil, .null?: errors = []
        default: return nil
        }
        guard data != nil || !errors.isEmpty else { return nil }
    }

    /// The message of the first error, for reports.
    package var complaint: String? { errors.first?["message"]?.string }
}
