import WireBase
import WireConfig

/// A parsed JSON text with the location of every value.
package struct JSONDocument: Sendable {
    let document: Document
    let root: NodeID
    /// Whether unknown members are ignored, because a newer program may have written the text.
    let toleratesUnknown: Bool

    /// The reading limits; a text written by corewire may contain a caller's document a few levels deeper.
    private static func limits(ofOwn isOwn: Bool) -> ReadingLimits {
        var limits = ReadingLimits()
        limits.depth = isOwn ? 72 : 32
        limits.nodes = 1_000_000
        limits.scalarLength = .mebibytes(16)
        return limits
    }

    package init(
        _ bytes: [UInt8],
        named name: String = "body",
        toleratesUnknown: Bool = false
    ) throws(JSONMismatch) {
        self.toleratesUnknown = toleratesUnknown
        if let offset = Self.firstStrangeByte(of: bytes) {
            throw JSONMismatch("the \(name) is not UTF-8: byte \(offset + 1) is invalid", nil)
        }
        let source = SourceFile(name: name, bytes: bytes, isFile: false)
        var builder = DocumentBuilder(source: source, into: Document(), limits: Self.limits(ofOwn: toleratesUnknown))
        do throws(Unreadable) {
            try JSONReader.read(&builder, source)
        } catch {
            throw JSONMismatch(error.problem.message, error.problem.place)
        }
        let (document, root, problems) = builder.finish()
        if let problem = problems.first { throw JSONMismatch(problem.message, problem.place) }
        guard let root else { throw JSONMismatch("the \(name) is empty, expected JSON", nil) }
        self.document = document
        self.root = root
    }

    /// Checks the encoding before decoding, because repaired text would silently change names and secrets.
    private static func firstStrangeByte(of bytes: [UInt8]) -> Int? {
        if bytes.allSatisfy({ $0 < 0x80 }) { return nil }
        var decoder = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.parseScalar(from: &rest) {
            case .valid(let encoded): offset += encoded.count
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }

    func mismatch(_ detail: String, _ node: NodeID) -> JSONMismatch { JSONMismatch(detail, document.place(node)) }

    /// Reads the text of a node, which is where a mismatch of the text is.
    func plain<Value>(
        _ node: NodeID,
        _ read: (String) throws(JSONMismatch) -> Value
    ) throws(JSONMismatch) -> Value {
        let written = try String.read(node, in: self)
        do throws(JSONMismatch) { return try read(written) } catch { throw mismatch(error.detail, node) }
    }

    /// Reports a node of an unexpected type.
    func wrongKind(_ node: NodeID, expected: String) -> JSONMismatch {
        var mismatch = mismatch("found \(kind(node)), expected \(expected)", node)
        mismatch.needsMemberName = true
        return mismatch
    }

    /// The type of a node for messages; never its content, which may be a secret.
    func kind(_ node: NodeID) -> String {
        switch document.kind(node) {
        case .mapping: "an object"
        case .sequence: "an array"
        case .quoted, .alias: "text"
        case .plain:
            switch CoreScalar(document.bytes(node)) {
            case .null: "null"
            case .boolean: "a boolean"
            case .integer, .hugeInteger, .number: "a number"
            case .text: "text"
            }
        }
    }

    /// The node with all its descendants.
    func value(_ node: NodeID) throws(JSONMismatch) -> JSONValue {
        switch document.kind(node) {
        case .quoted, .alias: return .string(document.text(node))
        case .sequence:
            var items: [JSONValue] = []
            for item in document.items(node) { items.append(try value(item)) }
            return .array(items)
        case .mapping:
            var members: [(key: String, value: JSONValue)] = []
            for entry in document.entries(node) {
                members.append((document.text(entry.key), try value(entry.value)))
            }
            return .object(members)
        case .plain:
            switch CoreScalar(document.bytes(node)) {
            case .null: return .null
            case .boolean(let value): return .boolean(value)
            case .integer(let value): return .integer(value)
            case .number(let value) where value.isFinite: return .number(value)
            // A stored text keeps the digits that its sender wrote.
            case .number, .hugeInteger:
                if toleratesUnknown { return .decimal(document.text(node)) }
                throw mismatch("the number is too large to be represented exactly", node)
            case .text:
                throw mismatch("the number is too large to be represented exactly", node)
            }
        }
    }
}
