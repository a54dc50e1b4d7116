import WireBase

/// Builds Swift source line by line.
struct SwiftText {
    private(set) var text = ""
    private var depth: Int

    init(depth: Int = 0) { self.depth = depth }

    mutating func line(_ line: String = "") {
        text += line.isEmpty ? "\n" : String(repeating: "    ", count: depth) + line + "\n"
    }

    /// Text that continues at the same depth.
    var empty: SwiftText { SwiftText(depth: depth) }

    mutating func append(_ lines: String) { text += lines }

    /// Writes a head with braces around the text of the closure.
    mutating func block<Failure: Error>(
        _ head: String,
        _ body: (inout SwiftText) throws(Failure) -> Void
    ) throws(Failure) {
        line(head + " {")
        depth += 1
        try body(&self)
        depth -= 1
        line("}")
    }

    /// The first line of a description, as a comment.
    mutating func comment(_ description: String?) {
        let first = description?.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        if !first.isEmpty { line("/// " + first) }
    }

    /// The mapping of properties to members of JSON.
    mutating func codingKeys(_ keys: [(property: String, member: String)]) {
        guard !keys.isEmpty else { return }
        line()
        block("private enum CodingKeys: String, CodingKey") { text in
            for (property, member) in keys {
                let isSame = Self.isSame(property, member)
                text.line("case \(property)" + (isSame ? "" : " = \(Self.literal(member))"))
            }
        }
    }

    /// Writes an initialiser where the compiler would not synthesize it.
    mutating func neededCodingKeys(_ keys: [(property: String, member: String)]) {
        if keys.contains(where: { !Self.isSame($0.property, $0.member) }) { codingKeys(keys) }
    }

    private static func isSame(_ property: String, _ member: String) -> Bool {
        property == member || property == "`\(member)`"
    }

    /// A string literal.
    static func literal(_ string: String) -> String {
        var literal = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}
