package import WireBase

/// Reads strict JSON (RFC 8259): no comments, no trailing commas, no other number formats.
package enum JSONReader {
    package static func read(_ builder: inout DocumentBuilder, _ source: SourceFile) throws(Unreadable) {
        var scanner = JSONScanner(source)
        if let problem = scanner.foreignFormat { throw Unreadable(problem) }
        try scanner.skipSpace()
        guard !scanner.isAtEnd else { return }
        try scanner.readDocument(into: &builder)
    }
}

/// Scans a JSON text once, without recursion, so that nesting needs no stack.
struct JSONScanner {
    let source: SourceFile
    var offset = 0

    /// The open collections, innermost last.
    private var isObject: [Bool] = []

    init(_ source: SourceFile) {
        self.source = source
    }

    var isAtEnd: Bool { offset == source.bytes.count }
    var byte: UInt8? { offset < source.bytes.count ? source.bytes[offset] : nil }

    mutating func readDocument(into builder: inout DocumentBuilder) throws(Unreadable) {
        repeat {
            if try readValue(into: &builder) { try closeCollections(into: &builder) }
        } while !isObject.isEmpty
        try skipSpace()
        if !isAtEnd { throw failure("the document has ended", "nothing may follow") }
    }

    /// Reads a value; returns false when it opened a collection.
    private mutating func readValue(into builder: inout DocumentBuilder) throws(Unreadable) -> Bool {
        try skipSpace()
        guard let byte else { throw failure("the file ends where a value is expected", "") }
        switch byte {
        case UInt8(ascii: "{"):
            try builder.beginCollection(.mapping, at: offset)
            return try openCollection(isObject: true, end: UInt8(ascii: "}"), &builder)
        case UInt8(ascii: "["):
            try builder.beginCollection(.sequence, at: offset)
            return try openCollection(isObject: false, end: UInt8(ascii: "]"), &builder)
        case UInt8(ascii: "\""):
            try readString(into: &builder)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try readNumber(into: &builder)
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            try readWord(into: &builder)
        case UInt8(ascii: "'"):
            throw failure("strings need double quotes in JSON", "write a double quote")
        case UInt8(ascii: "$"):
            throw Unreadable(bareReference)
        default:
            throw failure("a value is expected here", "this cannot begin one")
        }
        return true
    }

    private mutating func openCollection(isObject object: Bool, end: UInt8, _ builder: inout DocumentBuilder)
        throws(Unreadable)
        -> Bool
    {
        offset += 1
        try skipSpace()
        if byte == end {
            offset += 1
            try builder.endCollection(at: offset)
            return true
        }
        isObject.append(object)
        if object { try readKey(into: &builder) }
        return false
    }

    /// Reads the comma or closing brackets after a value.
    private mutating func closeCollections(into builder: inout DocumentBuilder) throws(Unreadable) {
        while let object = isObject.last {
            try skipSpace()
            let end = UInt8(ascii: object ? "}" : "]")
            switch byte {
            case UInt8(ascii: ","):
                let comma = offset
                offset += 1
                try skipSpace()
                if byte == end {
                    offset = comma
                    throw failure("a comma after the last member is not allowed in JSON", "remove this comma")
                }
                if object { try readKey(into: &builder) }
                return
            case end:
                offset += 1
                isObject.removeLast()
                try builder.endCollection(at: offset)
            case nil:
                throw failure(
                    "the file ends before this \(object ? "object" : "array") does",
                    "'\(object ? "}" : "]")' is missing"
                )
            default:
                throw failure(
                    "members are separated by commas",
                    "',' or '\(object ? "}" : "]")' is expected before this"
                )
            }
        }
    }

    private mutating func readKey(into builder: inout DocumentBuilder) throws(Unreadable) {
        try skipSpace()
        guard byte == UInt8(ascii: "\"") else { throw failure("a key in double quotes is expected", "this is not one") }
        try readString(into: &builder)
        try skipSpace()
        guard byte == UInt8(ascii: ":") else { throw failure("a colon is expected after a key", "") }
        offset += 1
    }

    private mutating func readWord(into builder: inout DocumentBuilder) throws(Unreadable) {
        let start = offset
        while let byte, isWord(byte) { offset += 1 }
        let word = String(decoding: source.bytes[start..<offset], as: UTF8.self)
        guard ["true", "false", "null"].contains(word) else {
            throw Unreadable(strangeWord(start..<offset))
        }
        try builder.scalar(.plain, at: start..<offset, text: start..<offset)
    }

    func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }

    private mutating func readNumber(into builder: inout DocumentBuilder) throws(Unreadable) {
        let start = offset
        if byte == UInt8(ascii: "-") { offset += 1 }
        let firstDigit = offset
        if byte == UInt8(ascii: "I") || byte == UInt8(ascii: "N"), let problem = notFinite(from: start) {
            throw Unreadable(problem)
        }
        try readDigits("a digit is expected")
        if source.bytes[firstDigit] == UInt8(ascii: "0"), offset - firstDigit > 1 {
            let zeros = source.bytes[firstDigit..<offset - 1].prefix { $0 == UInt8(ascii: "0") }
            offset = firstDigit
            throw failure(
                "leading zeros are not allowed in a JSON number",
                "remove \(zeros.count == 1 ? "it" : "them")",
                length: zeros.count
            )
        }
        if byte == UInt8(ascii: ".") {
            offset += 1
            try readDigits("a digit is expected after the point")
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try readDigits("a digit is expected in the exponent")
        }
        if let problem = notDecimal(from: start, digitsTo: offset) { throw Unreadable(problem) }
        try builder.scalar(.plain, at: start..<offset, text: start..<offset)
    }

    private mutating func readDigits(_ complaint: String) throws(Unreadable) {
        guard let first = byte, first.isDigit else { throw failure(complaint, "") }
        while let byte, byte.isDigit { offset += 1 }
    }

    private mutating func readString(into builder: inout DocumentBuilder) throws(Unreadable) {
        let start = offset
        offset += 1
        while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { offset += 1 }
        if byte == UInt8(ascii: "\"") {
            offset += 1
            return try builder.scalar(.quoted, at: start..<offset, text: start + 1..<offset - 1)
        }
        var text = Array(source.bytes[start + 1..<offset])
        try readEscapedText(into: &text, openedAt: start)
        try builder.scalar(.quoted, at: start..<offset, rewritten: text)
    }

    /// Reads the rest of a string, from its first escape.
    mutating func readEscapedText(into text: inout [UInt8], openedAt start: Int) throws(Unreadable) {
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"):
                try readEscape(into: &text)
            case 0..<0x20:
                throw Unreadable(unescaped(openedAt: start))
            default:
                text.append(byte)
                offset += 1
            }
        }
        offset = start
        throw failure("the string is not closed", "opened here")
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(Unreadable) {
        let start = offset
        offset += 1
        defer { offset += 1 }
        switch byte {
        case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): text.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): try readUnicodeEscape(into: &text, at: start)
        default:
            offset = start
            throw failure("this escape is not valid in JSON", #"write '\\' for a backslash"#)
        }
    }

    /// Reads a `\u` escape; leaves the offset on its last digit.
    private mutating func readUnicodeEscape(into text: inout [UInt8], at start: Int) throws(Unreadable) {
        var units = [try hexUnit(at: start)]
        if UTF16.isLeadSurrogate(units[0]), offset + 2 < source.bytes.count,
            source.bytes[offset + 1] == UInt8(ascii: "\\"),
            source.bytes[offset + 2] == UInt8(ascii: "u")
        {
            offset += 2
            units.append(try hexUnit(at: start))
        }
        guard let decoded = String(validating: units, as: UTF16.self) else {
            offset = start
            throw failure("half of a surrogate pair is not a character", "both halves are needed")
        }
        text.append(contentsOf: decoded.utf8)
    }

    /// Reads four hexadecimal digits; leaves the offset on the last one.
    private mutating func hexUnit(at start: Int) throws(Unreadable) -> UInt16 {
        let digits = source.bytes.dropFirst(offset + 1).prefix(4)
        guard digits.count == 4, let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16),
            digits.allSatisfy({ isWord($0) })
        else {
            offset = start
            throw failure(#"'\u' is followed by four hexadecimal digits"#, "")
        }
        offset += 4
        return unit
    }

    mutating func skipSpace() throws(Unreadable) {
        while let byte {
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            case UInt8(ascii: "/"), UInt8(ascii: "#"):
                throw failure("comments are not allowed in JSON", "remove it, or write the file in YAML")
            default: return
            }
        }
    }

    private func failure(_ message: String, _ label: String, length: Int = 1) -> Unreadable {
        let start = min(offset, source.bytes.count)
        let place = SourceRange(source, start..<min(start + length, source.bytes.count))
        return Unreadable(Diagnostic(.jsonSyntax, message, at: place).labelled(label))
    }
}
