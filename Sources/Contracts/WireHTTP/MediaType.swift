import WireBase

/// The media type of a body (RFC 9110, section 8.3.1).
package struct MediaType: Sendable, Hashable {
    /// The type and subtype, in lower case.
    package let type: String
    package let subtype: String
    package let parameters: [String: String]

    /// Parses a media type; nil for any other text.
    package init?(parsing text: String) {
        var parts = QuotedSplit(text, at: UInt8(ascii: ";")).makeIterator()
        guard let essence = parts.next() else { return nil }
        let sides = essence.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isTokenByte) }) else { return nil }
        var parameters: [String: String] = [:]
        while let part = parts.next() {
            if part.isEmpty { continue }
            let pair = part.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, !pair[0].isEmpty, pair[0].allSatisfy(\.isTokenByte),
                let value = Self.value(Substring(pair[1]))
            else { return nil }
            // A parameter given twice is ambiguous, so the whole value is rejected.
            guard parameters.updateValue(value, forKey: Substring(pair[0]).lowercased()) == nil else { return nil }
        }
        type = Substring(sides[0]).lowercased()
        subtype = Substring(sides[1]).lowercased()
        self.parameters = parameters
    }

    /// Reads a token or a quoted string.
    private static func value(_ text: Substring) -> String? {
        guard text.utf8.first == UInt8(ascii: "\"") else {
            return !text.isEmpty && text.utf8.allSatisfy(\.isTokenByte) ? String(text) : nil
        }
        guard text.utf8.count >= 2, text.utf8.last == UInt8(ascii: "\"") else { return nil }
        var value = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if isEscaped {
                value.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return nil
            } else {
                value.append(character)
            }
        }
        return isEscaped ? nil : value
    }

    package var essence: String { "\(type)/\(subtype)" }

    /// Whether a pattern matches: the same type, `text/*` or `*/*`; `application/json` also matches types with `+json`.
    package func isCovered(by pattern: String) -> Bool {
        guard let pattern = MediaType(parsing: pattern) else { return false }
        return isCovered(by: pattern)
    }

    package func isCovered(by pattern: MediaType) -> Bool {
        guard pattern.type != "*" else { return true }
        guard type == pattern.type else { return false }
        return pattern.subtype == "*" || subtype == pattern.subtype || subtype.hasSuffix("+" + pattern.subtype)
    }
}

extension Request {
    /// Whether the caller accepts a media type: its `Accept` field allows the type with a weight above zero, or is
    /// absent.
    ///
    /// The most specific range decides (RFC 9110, section 12.5.1).
    package func accepts(_ name: String) -> Bool {
        let ranges = fields.values(of: "Accept").flatMap { QuotedSplit($0, at: UInt8(ascii: ",")) }
            .compactMap { MediaType(parsing: String($0)) }
        guard !ranges.isEmpty, let type = MediaType(parsing: name) else { return true }
        func rank(_ range: MediaType) -> Int { range.type == "*" ? 0 : range.subtype == "*" ? 1 : 2 }
        let best = ranges.filter { type.isCovered(by: $0) }.max { rank($0) < rank($1) }
        return best.map { $0.parameters["q"].flatMap(Double.init) ?? 1 > 0 } ?? false
    }
}

/// The parts of a field value, trimmed; separators within quotes do not count.
struct QuotedSplit: Sequence, IteratorProtocol {
    private var rest: Substring?
    private let separator: UInt8
    /// Whether a backslash escapes the next character.
    private let hasEscapes: Bool

    init(_ text: String, at separator: UInt8, hasEscapes: Bool = true) {
        rest = text[...]
        self.separator = separator
        self.hasEscapes = hasEscapes
    }

    mutating func next() -> Substring? {
        guard let text = rest else { return nil }
        var isQuoted = false
        var isEscaped = false
        var end = text.utf8.startIndex
        while end < text.utf8.endIndex {
            let byte = text.utf8[end]
            if isEscaped {
                isEscaped = false
            } else if hasEscapes, isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                break
            }
            end = text.utf8.index(after: end)
        }
        rest = end < text.utf8.endIndex ? text[text.utf8.index(after: end)...] : nil
        return text[..<end].trimmed
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var bytes = utf8[...]
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return Substring(bytes)
    }
}

extension UInt8 {
    /// Whether the byte is a token character, as in methods, field names and types (RFC 9110, section 5.6.2).
    package var isTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
        default: false
        }
    }
}
