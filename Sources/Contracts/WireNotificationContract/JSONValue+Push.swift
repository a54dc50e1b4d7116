import WireConfig

extension JSONValue {
    /// The value, if it is an object.
    var object: JSONValue? { members == nil ? nil : self }

    /// The value, or the value that is encoded as text.
    var within: JSONValue? {
        guard let text = string else { return self }
        return try? JSONValue(parsing: Array(text.utf8), named: "data")
    }

    /// The object, or the object encoded as text.
    var objectWithin: JSONValue? { within?.object }

    /// The number, or the number in a text; nil below zero.
    var countWithin: Int? { (integer ?? string.flatMap { Int($0) }).flatMap { $0 >= 0 ? $0 : nil } }

    /// A non-empty text; whole numbers are converted.
    private var asText: String? { (string ?? integer.map(String.init)).ifNotEmpty }

    func text(_ name: String) -> String? { self[name]?.asText }
    func text(at path: String) -> String? { value(at: path)?.asText }
    func text(first names: [String]) -> String? { names.lazy.compactMap { text($0) }.first }

    func isTrue(_ name: String) -> Bool {
        switch self[name] {
        case .boolean(let value)?: value
        case .integer(let value)?: value == 1
        case .number(let value)?: value == 1
        case .string(let text)?: text == "1" || text.lowercased() == "true"
        default: false
        }
    }
}

extension String? {
    var ifNotEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
