import WireBackends
import WireBase
import WireHTTP

/// The parameters of a request, from its query or its form, each at most once (RFC 6749, section 3.1).
///
/// The fault of unreadable parameters contains names and never values.
struct Parameters: Sendable {
    let items: [(name: String, value: String)]

    /// Reads the query.
    init(query request: Request) throws(Fault) {
        try self.init(request.target.query)
    }

    /// Reads the form in the body.
    init(form request: Request) throws(Fault) {
        guard let type = request.fields["Content-Type"].flatMap(MediaType.init(parsing:)),
            type.essence == "application/x-www-form-urlencoded"
        else { throw Fault("the body must be application/x-www-form-urlencoded") }
        guard let text = String(validating: request.body, as: UTF8.self), let target = Target(parsing: "/?" + text)
        else { throw Fault("the form cannot be decoded") }
        try self.init(target.query)
    }

    /// Reads the form of a POST, and otherwise the query.
    init(of request: Request) throws(Fault) {
        if request.method == .post { try self.init(form: request) } else { try self.init(query: request) }
    }

    init(_ items: [(name: String, value: String)]) throws(Fault) {
        var names: Set<String> = []
        for item in items {
            guard names.insert(item.name).inserted else {
                throw Fault("\(item.name.shownSafely) occurs more than once")
            }
        }
        self.items = items
    }

    /// The value of a parameter; one without a value counts as absent (RFC 6749, section 3.1).
    subscript(name: String) -> String? {
        items.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// Returns the items of a space-separated list.
    func words(_ name: String) -> [String] {
        (self[name] ?? "").split(separator: " ").map(String.init)
    }

    /// The parameters as the query of a URL.
    var query: String {
        items.map { "\($0.name.queryEscaped)=\($0.value.queryEscaped)" }.joined(separator: "&")
    }
}

extension String {
    /// The text for use in a message: shortened, without special characters (RFC 6749, section 5.2).
    var shownSafely: String {
        let kept = unicodeScalars.prefix(40).filter {
            $0.isASCII && $0.value > 0x20 && $0 != "\"" && $0 != "\\" && $0.value != 0x7f
        }
        return "'" + String(String.UnicodeScalarView(kept)) + "'"
    }
}
