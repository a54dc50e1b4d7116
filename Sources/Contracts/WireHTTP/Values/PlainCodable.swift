import WireBase
package import WireConfig

/// A value that can be plain text: in a path, in a query, or as a command-line option.
package protocol PlainCodable: JSONCodable {
    static func read(plain text: String) throws(JSONMismatch) -> Self
    var plain: String { get }
    /// The placeholder in help, such as `duration`; nil for a flag.
    static var valueName: String? { get }
    /// The allowed words, for an enumeration.
    static var words: [String] { get }
}

extension PlainCodable {
    package static var words: [String] { [] }
    package static var plainType: (any PlainCodable.Type)? { Self.self }
}

/// A value whose JSON text equals its plain text.
package protocol PlainText: PlainCodable {}

extension PlainText {
    package var jsonValue: JSONValue? { .string(plain) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Self {
        try text.plain(node) { written throws(JSONMismatch) in try read(plain: written) }
    }

    package func write(to writer: inout JSONWriter) { writer.quote(plain) }
}

extension String: PlainCodable {
    package static var valueName: String? { "text" }
    package static func read(plain text: String) throws(JSONMismatch) -> String { text }
    package var plain: String { self }
}

extension Int: PlainCodable {
    package static var valueName: String? { "count" }
    package var plain: String { String(self) }

    package static func read(plain text: String) throws(JSONMismatch) -> Int {
        if let value = Int(text), !text.hasPrefix("+") { return value }
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        throw JSONMismatch(
            isNumber
                ? "the number is too \(text.hasPrefix("-") ? "small" : "large")"
                : "found \(text.quoted), expected a whole number",
            nil
        )
    }
}

extension Int64: PlainCodable {
    package static var valueName: String? { "count" }
    package var plain: String { String(self) }
    package static func read(plain text: String) throws(JSONMismatch) -> Int64 { Int64(try Int.read(plain: text)) }
}

extension Bool: PlainCodable {
    package static var valueName: String? { nil }
    package var plain: String { self ? "true" : "false" }

    /// An empty text means true, as in `?wait`.
    package static func read(plain text: String) throws(JSONMismatch) -> Bool {
        switch text {
        case "", "true": return true
        case "false": return false
        default: throw JSONMismatch("found \(text.quoted), expected 'true' or 'false'", nil)
        }
    }
}

extension Duration: PlainCodable {
    package static var valueName: String? { "duration" }
    package var plain: String { literal.plainText }

    package static func read(plain text: String) throws(JSONMismatch) -> Duration {
        do throws(Misread) {
            return try Duration(parsing: text)
        } catch {
            throw JSONMismatch("found \(text.quoted), expected a duration such as 10m", nil)
        }
    }
}

extension JSONWord where Self: PlainCodable {
    package static var valueName: String? { "word" }
    package static var words: [String] { allCases.map(\.rawValue) }
    package var plain: String { rawValue }

    package static func read(plain text: String) throws(JSONMismatch) -> Self {
        if let word = Self(rawValue: text) { return word }
        let hint = Nearest.name(to: text, among: words).map { ", did you mean \($0.quoted)?" } ?? ""
        throw JSONMismatch("found \(text.quoted), expected \(words.listed())\(hint)", nil)
    }
}
