import WireBase

/// Splits a text into literal parts and references.
///
/// Works on bytes, so that combining marks do not hide braces.
struct ReferenceParser {
    private var rest: ArraySlice<UInt8>
    /// The maximum nesting of defaults.
    private static let deepest = 8

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    /// Parses up to the end, or in a default up to the closing brace, which is not consumed.
    mutating func text(insideDefaults depth: Int) throws(Fault) -> ReferringText {
        var pieces: [ReferringText.Piece] = []
        var written: [UInt8] = []
        var open = 0
        while let byte = rest.first, depth == 0 || byte != UInt8(ascii: "}") || open > 0 {
            if rest.starts(with: "$${".utf8) {
                written += "${".utf8
                rest = rest.dropFirst(3)
                open += 1
            } else if rest.starts(with: "${".utf8) {
                if !written.isEmpty { pieces.append(.text(String(decoding: written, as: UTF8.self))) }
                written = []
                pieces.append(.reference(try reference(insideDefaults: depth)))
            } else {
                if byte == UInt8(ascii: "{") { open += 1 }
                if byte == UInt8(ascii: "}") { open -= 1 }
                written.append(byte)
                rest = rest.dropFirst()
            }
        }
        if !written.isEmpty || pieces.isEmpty { pieces.append(.text(String(decoding: written, as: UTF8.self))) }
        return ReferringText(pieces)
    }

    private mutating func reference(insideDefaults depth: Int) throws(Fault) -> Reference {
        guard rest.contains(UInt8(ascii: "}")) else { throw .neverClosed }
        rest = rest.dropFirst(2)
        let scheme = take { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "}") }
        let hasColon = rest.first == UInt8(ascii: ":")
        guard let kind = Reference.Kind(rawValue: scheme) else { throw .kind(scheme, hasBody: hasColon) }
        rest = rest.dropFirst(hasColon ? 1 : 0)
        let name = takeName(of: kind)
        guard hasColon, !name.isEmpty else { throw .withoutName(kind) }
        guard !name.utf8.contains(UInt8(ascii: "{")) || !name.contains("${") else { throw .referenceInName }
        if kind == .environmentVariable, !name[...].isVariableName { throw .variableName }
        let fallback = rest.first == UInt8(ascii: ":") ? try fallback(insideDefaults: depth + 1) : nil
        guard rest.first == UInt8(ascii: "}") else { throw fallback == nil ? .neverClosed : .defaultNeverClosed }
        rest = rest.dropFirst()
        return Reference(kind: kind, name: name, fallback: fallback)
    }

    /// Parses a name up to the closing brace, and for a variable up to its default.
    private mutating func takeName(of kind: Reference.Kind) -> String {
        guard kind == .environmentVariable else { return take { $0 == UInt8(ascii: "}") } }
        var length = 0
        for index in rest.indices {
            if rest[index] == UInt8(ascii: "}") || rest[index...].starts(with: ":-".utf8) { break }
            length += 1
        }
        defer { rest = rest.dropFirst(length) }
        return String(decoding: rest.prefix(length), as: UTF8.self)
    }

    private mutating func fallback(insideDefaults depth: Int) throws(Fault) -> ReferringText {
        guard depth <= Self.deepest else { throw .tooDeep(Self.deepest) }
        rest = rest.dropFirst(2)
        return try text(insideDefaults: depth)
    }

    private mutating func take(until isEnd: (UInt8) -> Bool) -> String {
        let taken = rest.prefix { !isEnd($0) }
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }
}

extension Fault {
    fileprivate static let neverClosed = Self(
        "a reference is not closed",
        help: "write '}' at its end, or '$${' for the characters '${'"
    )
    fileprivate static let defaultNeverClosed = Self(
        "a reference is not closed",
        help: "braces in a default must be balanced, and the reference needs a closing '}'"
    )
    fileprivate static let referenceInName = Self(
        "a reference is inside the name of another reference",
        help: "only the default of an environment variable may contain references: ${env:NAME:-${env:OTHER}}"
    )
    fileprivate static let variableName = Self(
        "the text after 'env:' is not a name of an environment variable",
        help: "letters, digits and underscores, not beginning with a digit; a default follows as ':-default'"
    )

    fileprivate static func tooDeep(_ limit: Int) -> Self {
        Self("defaults are nested more than \(limit) deep", help: "use fewer nested defaults")
    }

    fileprivate static func withoutName(_ kind: Reference.Kind) -> Self {
        Self("a reference has no name", help: "write ${\(kind.rawValue):\(kind.sample)}")
    }

    fileprivate static func kind(_ scheme: String, hasBody: Bool) -> Self {
        if !hasBody, scheme[...].isVariableName {
            // A word in capitals is unlikely to be a secret in braces.
            let name = scheme == scheme.uppercased() ? scheme : "NAME"
            return Self(
                "a reference has no kind",
                help: "write ${env:\(name)} for an environment variable"
            )
        }
        let nearest = Nearest.name(to: scheme, among: Reference.Kind.allCases.map(\.rawValue))
        return Self(
            "the text after '${' is not a kind of reference",
            help: nearest.map { "did you mean '${\($0):…}'?" }
                ?? "write ${env:NAME}, ${file:path} or ${credential:name}, or '$${' for the characters '${'"
        )
    }
}

extension Reference.Kind {
    fileprivate var sample: String {
        switch self {
        case .environmentVariable: "NAME"
        case .file: "path"
        case .credential: "name"
        }
    }
}

extension Substring {
    fileprivate var isVariableName: Bool {
        guard let first = utf8.first, first.isLetter || first == UInt8(ascii: "_") else { return false }
        return utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }
}
