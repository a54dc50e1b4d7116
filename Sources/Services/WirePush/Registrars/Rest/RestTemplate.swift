import WireBase
import WireConfig
import WireHTTP

/// A template of a request, and the escaping of its values.
struct RestTemplate: Sendable {
    let method: WireHTTP.Method
    private let path: Template?
    private let headers: [(name: String, value: Template)]
    private let body: Template?

    init(_ request: RestRequest) {
        method = Method(request.method.rawValue)
        (path, body) = (request.path, request.body)
        headers = request.headers.fields.items.map { ($0.name, $0.value) }
    }

    init(_ method: WireHTTP.Method, path: String? = nil, body: String? = nil) {
        (self.method, headers) = (method, [])
        self.path = path.map { Template(known: $0) }
        self.body = body.map { Template(known: $0) }
    }

    func path(_ values: [String: String]) -> String {
        path.map { $0.filled(values) { $0.percentEncoded } } ?? ""
    }

    func fields(_ values: [String: String]) -> Fields {
        var fields = Fields()
        for header in headers {
            // A line break would begin another field.
            fields.add(
                header.name,
                header.value.filled(values) { String($0.unicodeScalars.filter { $0.value >= 0x20 }) }
            )
        }
        if body != nil, fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        return fields
    }

    func body(_ values: [String: String]) -> [UInt8] {
        guard let body else { return [] }
        let type = fields(values)["Content-Type"].flatMap { MediaType(parsing: $0) }?.essence ?? ""
        let text =
            if type.hasSuffix("json") {
                body.filled(values) { String(JSONText.quoted($0).dropFirst().dropLast()) }
            } else if type == "application/x-www-form-urlencoded" {
                body.filled(values) { $0.percentEncoded }
            } else {
                body.filled(values) { $0 }
            }
        return Array(text.utf8)
    }
}

extension Template {
    /// The text with its values, each escaped; a missing value is empty.
    func filled(_ values: [String: String], _ escape: (String) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let path, let filters): Self.filled(values[path], filters, escape)
            }
        }.joined()
    }

    private static func filled(_ given: String?, _ filters: [Filter], _ escape: (String) -> String) -> String {
        var value = given
        var isWritten = false
        for filter in filters {
            switch filter.name {
            case .default: value = value.flatMap { $0.isEmpty ? nil : $0 } ?? filter.argument
            case .upper: value = value?.uppercased()
            case .lower: value = value?.lowercased()
            case .trim: value = value.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            case .truncate: value = value.map { String($0.prefix(filter.argument.flatMap { Int($0) } ?? .max)) }
            case .urlEncode: value = value?.percentEncoded
            // Written with quotation marks, since a missing value is null.
            case .json: (value, isWritten) = (value.map(JSONText.quoted) ?? "null", true)
            // Reported as unsupported when the file is checked.
            default: break
            }
        }
        return isWritten ? value ?? "" : escape(value ?? "")
    }

    /// The filters that only notifications support.
    var foreignFilters: [String] {
        pieces.flatMap { piece -> [String] in
            guard case .value(_, let filters) = piece else { return [] }
            return filters.filter { $0.form != nil }.map(\.name.rawValue)
        }
    }
}
