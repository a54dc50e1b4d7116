package import WireConfig

/// An instance as the server gave it: its bytes, untouched, and what they say.
package struct ContentItem: Sendable {
    package let id: String
    /// As the server wrote it.
    package let bytes: [UInt8]
    package let value: JSONValue
    /// The fields editors have made.
    let values: JSONValue?

    /// Nil for what is no instance: not an object, or without an identifier.
    package init?(_ value: JSONValue, bytes: [UInt8]) {
        guard let id = value["id"]?.string, !id.isEmpty, id.utf8.count <= Self.identifierSize else { return nil }
        self.id = id
        self.bytes = bytes
        self.value = value
        values = value["values"]
    }

    /// How long an identifier may be.
    static let identifierSize = 256

    /// The module it is of, as the server calls it.
    var module: String? { value["module"]?.string }

    /// What it takes in memory, about: an estimate that is never far below.
    var cost: Int { 128 + bytes.count + value.cost }
}

extension JSONValue {
    /// What the value takes in memory, about.
    fileprivate var cost: Int {
        switch self {
        case .null, .boolean, .integer, .number, .decimal: 48
        case .string(let text): 48 + (text.utf8.count > 15 ? text.utf8.count + 32 : 0)
        case .array(let items): 80 + items.reduce(0) { $0 + 8 + $1.cost }
        case .object(let members):
            80
                + members.reduce(0) { sum, member in
                    sum + 24 + (member.key.utf8.count > 15 ? member.key.utf8.count + 32 : 0) + member.value.cost
                }
        }
    }

    /// A field of a name; a name with points leads further inside where there is no field of the whole of it.
    func field(_ name: String) -> JSONValue? {
        if let value = self[name] { return value }
        guard let point = name.utf8.firstIndex(of: UInt8(ascii: ".")), let outer = self[String(name[..<point])] else {
            return nil
        }
        return outer.field(String(name[name.index(after: point)...]))
    }
}
