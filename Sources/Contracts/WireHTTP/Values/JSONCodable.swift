import WireBase
package import WireConfig

/// A value that can be read from JSON, written as JSON, and described by a schema.
///
/// Objects conform to ``JSONRecord``, enumerations to ``JSONWord``.
package protocol JSONCodable: JSONConvertible, Sendable {
    /// Reads a node of a JSON document; throws where it does not match.
    static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Self
    /// A stand-in used only to describe the record that contains the value.
    static var placeholder: Self { get }
    /// Reads a whole text; with `toleratesUnknown`, unknown members, as of a newer program, are ignored.
    init(parsing bytes: [UInt8], named name: String, toleratesUnknown: Bool) throws(JSONMismatch)
    func write(to writer: inout JSONWriter)
    /// The type, where its values can be plain text.
    static var plainType: (any PlainCodable.Type)? { get }
}

extension JSONCodable {
    package static var plainType: (any PlainCodable.Type)? { nil }

    /// The value encoded as JSON on one line.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    package init(parsing bytes: [UInt8], named name: String, toleratesUnknown: Bool = false) throws(JSONMismatch) {
        let text = try JSONDocument(bytes, named: name, toleratesUnknown: toleratesUnknown)
        self = try Self.read(text.root, in: text)
    }
}

extension String: JSONCodable {
    package static var placeholder: String { "" }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> String {
        guard text.document.kind(node) == .quoted else { throw text.wrongKind(node, expected: "text") }
        return text.document.text(node)
    }

    package func write(to writer: inout JSONWriter) { writer.quote(self) }
}

extension Int: JSONCodable {
    package static var placeholder: Int { 0 }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Int {
        guard text.document.kind(node) == .plain else { throw text.wrongKind(node, expected: "a whole number") }
        switch CoreScalar(text.document.bytes(node)) {
        case .integer(let value): return value
        case .hugeInteger: throw text.mismatch("the number is too large", node)
        case .number(let value):
            // In JSON, 1.0 is a whole number, and some programs write whole numbers so.
            guard let whole = Int(exactly: value) else { fallthrough }
            return whole
        default: throw text.wrongKind(node, expected: "a whole number")
        }
    }

    package func write(to writer: inout JSONWriter) { writer.put(String(self)) }
}

extension Int64: JSONCodable {
    package static var placeholder: Int64 { 0 }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Int64 {
        Int64(try Int.read(node, in: text))
    }

    package func write(to writer: inout JSONWriter) { writer.put(String(self)) }
}

extension Bool: JSONCodable {
    package static var placeholder: Bool { false }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Bool {
        guard text.document.kind(node) == .plain, case .boolean(let value) = CoreScalar(text.document.bytes(node))
        else { throw text.wrongKind(node, expected: "true or false") }
        return value
    }

    package func write(to writer: inout JSONWriter) { writer.put(self ? "true" : "false") }
}

extension Double: JSONCodable {
    package static var schema: JSONSchema { .number }
    package static var placeholder: Double { 0 }
    package var jsonValue: JSONValue? { .number(self) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Double {
        guard text.document.kind(node) == .plain else { throw text.wrongKind(node, expected: "a number") }
        switch CoreScalar(text.document.bytes(node)) {
        case .integer(let value): return Double(value)
        case .number(let value) where value.isFinite: return value
        default: throw text.wrongKind(node, expected: "a number")
        }
    }

    package func write(to writer: inout JSONWriter) { writer.write(.number(self)) }
}

/// A duration as in the services file, such as `10m`.
extension Duration: JSONCodable {
    package static var schema: JSONSchema { .text }
    package static var placeholder: Duration { .zero }
    package var jsonValue: JSONValue? { .string(literal.plainText) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Duration {
        try text.plain(node) { written throws(JSONMismatch) in try Duration.read(plain: written) }
    }

    package func write(to writer: inout JSONWriter) { writer.quote(literal.plainText) }
}

/// Opaque JSON, passed on unchanged.
extension JSONValue: JSONCodable {
    package static var placeholder: JSONValue { .null }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> JSONValue {
        try text.value(node)
    }

    /// Reads a whole text; one written by corewire may contain what another program has sent, however large.
    package init(parsing bytes: [UInt8], named name: String, toleratesUnknown: Bool) throws(JSONMismatch) {
        guard toleratesUnknown else {
            let text = try JSONDocument(bytes, named: name)
            self = try text.value(text.root)
            return
        }
        var limits = ReadingLimits()
        (limits.depth, limits.scalarLength) = (256, .mebibytes(64))
        do throws(Unreadable) {
            self = try JSONValue(parsing: bytes, named: name, limits: limits)
        } catch {
            throw JSONMismatch(error.problem.message, error.problem.place)
        }
    }

    package func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension JSONWord where Self: PlainCodable {
    package static var placeholder: Self {
        guard let word = allCases.first else { preconditionFailure("\(Self.self) has no cases") }
        return word
    }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Self {
        try text.plain(node) { written throws(JSONMismatch) in try Self.read(plain: written) }
    }

    package func write(to writer: inout JSONWriter) { writer.quote(rawValue) }
}

extension Array: JSONCodable where Element: JSONCodable {
    package static var placeholder: [Element] { [] }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> [Element] {
        guard text.document.kind(node) == .sequence else { throw text.wrongKind(node, expected: "an array") }
        var elements: [Element] = []
        for item in text.document.items(node) {
            do throws(JSONMismatch) {
                elements.append(try Element.read(item, in: text))
            } catch {
                throw error.inside(index: elements.count)
            }
        }
        return elements
    }

    package func write(to writer: inout JSONWriter) {
        writer.put("[")
        for index in indices {
            if index > startIndex { writer.put(",") }
            self[index].write(to: &writer)
        }
        writer.put("]")
    }
}
