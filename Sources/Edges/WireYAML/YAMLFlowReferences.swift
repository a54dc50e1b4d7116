import WireBase
import WireConfig

/// The unquoted values with references in brackets or braces, where YAML reads the brace of a reference as the start
/// of a mapping.
struct YAMLFlowReferences {
    private let source: SourceFile
    /// The places of these values, in order.
    private(set) var values: [Range<Int>] = []
    private var offset: Int
    private var depth = 0

    /// Searches from an opening bracket to its end, and that of the brackets around it.
    init(from opening: Int, of source: SourceFile) {
        self.source = source
        offset = opening
        while let byte = byte(at: offset), step(byte) {}
    }

    private func byte(at offset: Int) -> UInt8? { offset < source.bytes.count ? source.bytes[offset] : nil }

    /// Skips one token; returns false at the end.
    private mutating func step(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
            offset += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            depth -= 1
            offset += 1
            return depth > 0 || isInOuterBrackets()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuotes(byte)
        case UInt8(ascii: "#"): skipLine()
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0a, 0x0d: offset += 1
        default: return takePlain()
        }
        return true
    }

    /// Whether the outer brackets continue.
    private mutating func isInOuterBrackets() -> Bool {
        while let byte = byte(at: offset), byte == 0x20 || byte == 0x0a || byte == 0x0d { offset += 1 }
        depth = 1
        return byte(at: offset).map { ",]}".utf8.contains($0) } ?? false
    }

    private mutating func skipQuotes(_ quote: UInt8) {
        offset += 1
        while let byte = byte(at: offset), byte != quote {
            offset += byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
        }
        offset += 1
    }

    private mutating func skipLine() {
        while let byte = byte(at: offset), byte != 0x0a, byte != 0x0d { offset += 1 }
    }

    /// Reads an unquoted text with its references; returns false for a reference without an end.
    private mutating func takePlain() -> Bool {
        let start = offset
        var end = offset
        var hasReference = false
        while let byte = byte(at: offset), !endsPlain(byte) {
            if byte == UInt8(ascii: "$"), self.byte(at: offset + 1) == UInt8(ascii: "{") {
                guard let close = closingBrace(from: offset + 1) else { return false }
                (offset, hasReference) = (close, true)
            }
            offset += 1
            if byte != 0x20 { end = offset }
        }
        // An anchor, a tag or another indicator is not part of the value.
        if hasReference, !"&!*?|>%@`".utf8.contains(byte(at: start) ?? 0) { values.append(start..<end) }
        return offset > start
    }

    private func endsPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), 0x0a, 0x0d:
            true
        case UInt8(ascii: ":"): self.byte(at: offset + 1).map { $0 <= 0x20 || ",[]{}".utf8.contains($0) } ?? true
        case UInt8(ascii: "#"): source.bytes[offset - 1] == 0x20
        default: false
        }
    }

    /// Returns the closing brace on the same line.
    private func closingBrace(from opening: Int) -> Int? {
        var open = 0
        for offset in opening..<source.bytes.count {
            switch source.bytes[offset] {
            case UInt8(ascii: "{"): open += 1
            case UInt8(ascii: "}"):
                open -= 1
                if open == 0 { return offset }
            case 0x0a, 0x0d: return nil
            default: break
            }
        }
        return nil
    }
}

extension YAMLDiagnostic {
    /// `{ a: ${env:X} }` begins a mapping after the '$'; this value and similar ones beside it need quotes.
    var referenceWithoutQuotes: Diagnostic? {
        guard byte(at: place) == UInt8(ascii: "{"), place > 0, byte(at: place - 1) == UInt8(ascii: "$") else {
            return nil
        }
        let values = YAMLFlowReferences(from: contextPlace, of: source).values
        guard let value = values.first(where: { $0.contains(place) }) else { return nil }
        let edits = values.compactMap { value in
            quoted(value).map { Fix.Edit(SourceRange(source, value), $0) }
        }
        let text = String(decoding: source.bytes[value], as: UTF8.self)
        let parsed = try? ReferringText(parsing: text)
        // Literal text and defaults may be secret.
        let shown = parsed.flatMap { $0.pieces.count == 1 && !$0.holdsTextOfItsOwn ? quoted(value) : nil }
        return Diagnostic(
            .yamlSyntax,
            "in brackets and braces, a value with a reference needs quotes",
            at: SourceRange(source, value)
        )
        .labelled(shown.map { "put it in quotes: \($0)" } ?? "put the whole value in quotes")
        .helped(by: "without quotes, YAML reads the '{' of the reference as the beginning of a mapping")
        .fixed(by: edits.count == values.count ? Fix("put references in quotes", edits) : nil)
    }

    private func quoted(_ value: Range<Int>) -> String? {
        let text = String(decoding: source.bytes[value], as: UTF8.self)
        // A reference without an end has consumed the brace of its mapping.
        guard (try? ReferringText(parsing: text)) != nil else { return nil }
        if !text.contains("\"") && !text.contains("\\") { return "\"\(text)\"" }
        return text.contains("'") ? nil : "'\(text)'"
    }
}
