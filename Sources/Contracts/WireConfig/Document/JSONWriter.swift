import WireBase

/// Writes JSON as bytes.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes a value on one line, or indented by two spaces per level.
    package mutating func write(_ value: JSONValue, indentation: Int? = nil) {
        switch value {
        case .null: put("null")
        case .boolean(let value): put(value ? "true" : "false")
        case .integer(let value): put(String(value))
        case .number(let value): put("\(value)")
        case .decimal(let text): put(text)
        case .string(let value): quote(value)
        case .array(let items):
            write(items, between: ("[", "]"), indentation) { writer, item, inner in
                writer.write(item, indentation: inner)
            }
        case .object(let members):
            write(members, between: ("{", "}"), indentation) { writer, member, inner in
                writer.quote(member.key)
                writer.put(inner == nil ? ":" : ": ")
                writer.write(member.value, indentation: inner)
            }
        }
    }

    private mutating func write<Item>(
        _ items: [Item],
        between brackets: (String, String),
        _ indentation: Int?,
        _ writeItem: (inout JSONWriter, Item, Int?) -> Void
    ) {
        put(brackets.0)
        let inner = indentation.map { $0 + 1 }
        for (index, item) in items.enumerated() {
            if index > 0 { put(",") }
            if let inner { beginLine(inner) }
            writeItem(&self, item, inner)
        }
        if let indentation, !items.isEmpty { beginLine(indentation) }
        put(brackets.1)
    }

    private mutating func beginLine(_ level: Int) {
        put("\n")
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }

    /// Appends text that is already JSON.
    package mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func put(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    // MARK: Text

    /// Writes a JSON string.
    ///
    /// Text without escapes, which is nearly all, is copied in one piece.
    package mutating func quote(_ text: String) {
        var text = text
        bytes.append(Self.quotationMark)
        text.withUTF8 { text in
            var (begin, place) = (0, 0)
            while place < text.count {
                let first = unsafe text[place]
                if Self.isPlain(first) {
                    place += 1
                    continue
                }
                let (scalar, length) = unsafe Self.scalar(in: text, at: place)
                if let scalar, let escape = Self.escape(scalar) {
                    unsafe bytes.append(contentsOf: text[begin..<place])
                    put(escape)
                    begin = place + length
                }
                place += length
            }
            unsafe bytes.append(contentsOf: text[begin...])
        }
        bytes.append(Self.quotationMark)
    }

    private static let quotationMark = UInt8(ascii: "\"")

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7f).contains(byte) && byte != quotationMark && byte != UInt8(ascii: "\\")
    }

    /// The scalar at an offset; nil for four-byte scalars, which are never escaped.
    private static func scalar(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> (Unicode.Scalar?, length: Int) {
        func bits(_ offset: Int) -> UInt32 { unsafe UInt32(text[place + offset] & 0x3f) }
        let first = unsafe UInt32(text[place])
        return switch first {
        case ..<0x80: (Unicode.Scalar(first), 1)
        case ..<0xe0: (Unicode.Scalar((first & 0x1f) << 6 | bits(1)), 2)
        case ..<0xf0: (Unicode.Scalar((first & 0x0f) << 12 | bits(1) << 6 | bits(2)), 3)
        default: (nil, 4)
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            guard scalar.isUnfitForDisplay else { return nil }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
