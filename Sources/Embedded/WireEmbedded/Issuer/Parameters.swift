import WireBackends
import WireBase
import WireHTTP

/// What a request says: the items of its query, or of the form in its body, each there once (RFC 6749, section 3.1).
struct Parameters: Sendable {
    let items: [(name: String, value: String)]

    /// Why they cannot be read; tells names and never values.
    struct Misread: Error {
        let reason: String
    }

    /// The query.
    init(query request: Request) throws(Misread) {
        try self.init(request.target.query)
    }

    /// The form in the body.
    init(form request: Request) throws(Misread) {
        guard let type = request.fields["Content-Type"].flatMap(MediaType.init(parsing:)),
            type.essence == "application/x-www-form-urlencoded"
        else { throw Misread(reason: "the body must be application/x-www-form-urlencoded") }
        guard let text = String(validating: request.body, as: UTF8.self), let target = Target(parsing: "/?" + text)
        else { throw Misread(reason: "the form cannot be decoded") }
        try self.init(target.query)
    }

    /// The form for a POST, the query otherwise.
    init(of request: Request) throws(Misread) {
        if request.method == .post { try self.init(form: request) } else { try self.init(query: request) }
    }

    init(_ items: [(name: String, value: String)]) throws(Misread) {
        var names: Set<String> = []
        for item in items {
            guard names.insert(item.name).inserted else {
                throw Misread(reason: "\(item.name.shownSafely) is there more than once")
            }
        }
        self.items = items
    }

    /// What stands under a name; a parameter without a value counts as absent (RFC 6749, section 3.1).
    subscript(name: String) -> String? {
        items.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// The items of a list that is separated by spaces.
    func words(_ name: String) -> [String] {
        (self[name] ?? "").split(separator: " ").map(String.init)
    }

    /// The same as the query of a URL.
    var query: String {
        items.map { "\($0.name.queryEscaped)=\($0.value.queryEscaped)" }.joined(separator: "&")
    }
}

extension String {
    /// As part of a message: what was sent, shortened, without letters that mean something elsewhere
    /// (RFC 6749, section 5.2).
    var shownSafely: String {
        let kept = unicodeScalars.prefix(40).filter {
            $0.isASCII && $0.value > 0x20 && $0 != "\"" && $0 != "\\" && $0.value != 0x7f
        }
        return "'" + String(String.UnicodeScalarView(kept)) + "'"
    }
}
