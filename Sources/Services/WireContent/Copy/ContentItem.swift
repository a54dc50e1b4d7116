package import WireConfig

/// An instance: the server's bytes, and their parsed value.
package struct ContentItem: Sendable {
    package let id: String
    /// The bytes of the server.
    package let bytes: [UInt8]
    package let value: JSONValue
    /// The custom fields.
    let values: JSONValue?

    /// Nil for a value that is no instance: not an object, or without an id.
    package init?(_ value: JSONValue, bytes: [UInt8]) {
        guard let id = value["id"]?.string, !id.isEmpty, id.utf8.count <= Self.identifierSize else { return nil }
        self.id = id
        self.bytes = bytes
        self.value = value
        values = value["values"]
    }

    /// The maximum length of an id.
    static let identifierSize = 256

    /// The server's id of its module.
    var module: String? { value["module"]?.string }

    /// The approximate size in memory: an estimate that is never far too low.
    var cost: Int { 128 + bytes.count + value.cost }
}

extension JSONValue {
    /// The approximate size in memory.
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

    /// A field by name; without a field of the whole name, dots lead into nested objects.
    func field(_ name: String) -> JSONValue? {
        if let value = self[name] { return value }
        guard let point = name.utf8.firstIndex(of: UInt8(ascii: ".")), let outer = self[String(name[..<point])] else {
            return nil
        }
        return outer.field(String(name[name.index(after: point)...]))
    }
}
