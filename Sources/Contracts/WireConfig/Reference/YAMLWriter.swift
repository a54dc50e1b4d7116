import WireBase

/// Writes values as block-style YAML, with quotes only where necessary.
package enum YAMLWriter {
    package static func text(of value: Literal) -> String {
        var text = ""
        write(value, indentation: 0, to: &text)
        return text
    }

    /// A scalar on one line; nil for a non-empty collection.
    package static func scalar(_ value: Literal) -> String? {
        switch value {
        case .text(let text): needsQuotes(text) ? JSONText.quoted(text) : text
        case .list(let items) where !items.isEmpty: nil
        case .mapping(let entries) where !entries.isEmpty: nil
        default: value.flowText
        }
    }

    private static func write(_ value: Literal, indentation: Int, to text: inout String) {
        let margin = String(repeating: "  ", count: indentation)
        switch value {
        case .mapping(let entries):
            for entry in entries {
                text += "\(margin)\(scalar(.text(entry.key)) ?? "")" + ":"
                writeNested(entry.value, indentation: indentation + 1, to: &text)
            }
        case .list(let items):
            for item in items {
                text += "\(margin)-"
                writeItem(item, indentation: indentation + 1, to: &text)
            }
        default:
            text += "\(margin)\(scalar(value) ?? "")\n"
        }
    }

    private static func writeNested(_ value: Literal, indentation: Int, to text: inout String) {
        if let scalar = scalar(value) {
            text += " \(scalar)\n"
        } else {
            text += "\n"
            write(value, indentation: indentation, to: &text)
        }
    }

    /// Writes an item on the line of its dash.
    private static func writeItem(_ value: Literal, indentation: Int, to text: inout String) {
        guard scalar(value) == nil else { return writeNested(value, indentation: indentation, to: &text) }
        var block = ""
        write(value, indentation: indentation, to: &block)
        text += " " + block.dropFirst(indentation * 2)
    }

    private static func needsQuotes(_ text: String) -> Bool {
        guard CoreScalar(text) == .text, let first = text.utf8.first, let last = text.utf8.last else {
            return true
        }
        if "-?:,[]{}#&*!|>'\"%@`".utf8.contains(first) || first == 0x20 || last == 0x20 || last == UInt8(ascii: ":") {
            return true
        }
        if text.unicodeScalars.contains(where: \.isUnfitForDisplay) { return true }
        // YAML 1.1 reads these words as Booleans: quoted for other readers.
        if ["yes", "no", "on", "off", "y", "n"].contains(text.lowercased()) || text == "<<" || text.hasPrefix("---")
            || text.hasPrefix("...")
        {
            return true
        }
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if previous == UInt8(ascii: ":"), byte == 0x20 { return true }
            if previous == 0x20, byte == UInt8(ascii: "#") { return true }
            previous = byte
        }
        return text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ":") }
    }
}
