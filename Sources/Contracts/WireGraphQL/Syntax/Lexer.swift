import WireBase

/// Splits a text into tokens on demand.
struct Lexer {
    let source: SourceFile
    private(set) var offset = 0
    private var bytes: [UInt8] { source.bytes }

    init(_ source: SourceFile) {
        self.source = source
    }

    mutating func next() throws(Finding) -> Token {
        skipIgnored()
        let start = offset
        guard start < bytes.count else { return Token(kind: .end, bytes: start..<start) }
        let byte = bytes[start]
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            offset += 1
            return Token(kind: .mark(Character(Unicode.Scalar(byte))), bytes: start..<offset)
        case UInt8(ascii: "."):
            guard bytes[start...].starts(with: "...".utf8) else {
                throw failure(
                    "unexpected '.'",
                    start..<start + 1,
                    help: "a fragment is spread with three dots: '...Name'"
                )
            }
            offset += 3
            return Token(kind: .spread, bytes: start..<offset)
        case UInt8(ascii: "\""):
            return try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number()
        case _ where Self.beginsName(byte):
            repeat { offset += 1 } while offset < bytes.count && Self.continuesName(bytes[offset])
            return Token(kind: .name(String(decoding: bytes[start..<offset], as: UTF8.self)), bytes: start..<offset)
        default:
            throw unexpectedCharacter(at: start)
        }
    }

    static func beginsName(_ byte: UInt8) -> Bool { byte.isLetter || byte == UInt8(ascii: "_") }

    static func continuesName(_ byte: UInt8) -> Bool { beginsName(byte) || byte.isDigit }

    /// White space, commas, comments, a byte order mark.
    private mutating func skipIgnored() {
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","):
                offset += 1
            case UInt8(ascii: "#"):
                while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n"), bytes[offset] != UInt8(ascii: "\r") {
                    offset += 1
                }
            case 0xef where bytes[offset...].starts(with: [0xef, 0xbb, 0xbf]):
                offset += 3
            default: return
            }
        }
    }

    // MARK: Numbers

    private mutating func number() throws(Finding) -> Token {
        let start = offset
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        let firstDigit = offset
        try digits()
        if bytes[firstDigit] == UInt8(ascii: "0"), offset - firstDigit > 1 {
            throw failure("a number has no leading zero", start..<offset)
        }
        var isFloat = false
        if peek == UInt8(ascii: ".") {
            isFloat = true
            offset += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isFloat = true
            offset += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        if let peek, Self.beginsName(peek) || peek == UInt8(ascii: ".") {
            throw failure("a number is followed by '\(Character(Unicode.Scalar(peek)))'", offset..<offset + 1)
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        return Token(kind: isFloat ? .float(text) : .int(text), bytes: start..<offset)
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func digits() throws(Finding) {
        guard let first = peek, first.isDigit else {
            throw failure("expected a digit, found \(characterAtOffset)", offset..<min(offset + 1, bytes.count))
        }
        while let peek, peek.isDigit { offset += 1 }
    }

    // MARK: Strings

    private mutating func string() throws(Finding) -> Token {
        let start = offset
        if bytes[offset...].starts(with: "\"\"\"".utf8) { return try blockString() }
        offset += 1
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return Token(kind: .string(String(decoding: text, as: UTF8.self)), bytes: start..<offset)
            case UInt8(ascii: "\\"):
                text.append(contentsOf: String(try escape()).utf8)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                throw unterminated(start)
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw unterminated(start)
    }

    private func unterminated(_ start: Int) -> Finding {
        failure(
            "the string does not end on its line",
            start..<offset,
            help: "close it with '\"', or use a block string between '\"\"\"'"
        )
    }

    private mutating func escape() throws(Finding) -> Unicode.Scalar {
        let start = offset
        offset += 1
        guard let byte = peek else { throw failure("the text ends inside an escape", start..<offset) }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default:
            throw failure(
                "unknown escape: a backslash before \(characterAt(start + 1))",
                start..<end(ofCharacterAt: start + 1)
            )
        }
        let code = try unicodeEscape(start)
        if let scalar = Unicode.Scalar(code) { return scalar }
        // A surrogate pair, as in JSON for characters beyond the basic plane.
        if (0xd800..<0xdc00).contains(code), bytes[offset...].starts(with: "\\u".utf8) {
            offset += 2
            let low = try unicodeEscape(start)
            if (0xdc00..<0xe000).contains(low),
                let scalar = Unicode.Scalar(0x1_0000 + (code - 0xd800) << 10 + (low - 0xdc00))
            {
                return scalar
            }
        }
        throw failure("the escape is not a Unicode scalar value", start..<offset)
    }

    /// `XXXX` or `{X…}`, after `\u`.
    private mutating func unicodeEscape(_ start: Int) throws(Finding) -> UInt32 {
        let isBraced = peek == UInt8(ascii: "{")
        if isBraced { offset += 1 }
        let first = offset
        var code: UInt32 = 0
        while let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80,
            isBraced || offset - first < 4
        {
            guard code < 0x1000_0000 else { throw failure("the escape is not a Unicode scalar value", start..<offset) }
            code = code << 4 | UInt32(digit)
            offset += 1
        }
        guard isBraced ? offset > first && peek == UInt8(ascii: "}") : offset - first == 4 else {
            throw failure("an escape is '\\uXXXX' or '\\u{X}' with hexadecimal digits", start..<offset)
        }
        if isBraced { offset += 1 }
        return code
    }

    private mutating func blockString() throws(Finding) -> Token {
        let start = offset
        offset += 3
        var raw: [UInt8] = []
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "\""), bytes[offset...].starts(with: "\"\"\"".utf8) {
                offset += 3
                return Token(kind: .string(BlockString.value(of: raw)), bytes: start..<offset)
            }
            if bytes[offset] == UInt8(ascii: "\\"), bytes[offset...].starts(with: "\\\"\"\"".utf8) {
                raw.append(contentsOf: "\"\"\"".utf8)
                offset += 4
            } else {
                raw.append(bytes[offset])
                offset += 1
            }
        }
        throw failure("the block string has no end", start..<start + 3, help: "close it with '\"\"\"'")
    }

    // MARK: Failures

    private func unexpectedCharacter(at offset: Int) -> Finding {
        if bytes[offset] == UInt8(ascii: "'") {
            return failure("unexpected single quote", offset..<offset + 1, help: "use double quotes for strings")
        }
        return failure("unexpected character \(characterAt(offset))", offset..<end(ofCharacterAt: offset))
    }

    private var characterAtOffset: String { offset < bytes.count ? characterAt(offset) : "the end of the text" }

    private func characterAt(_ offset: Int) -> String {
        let text = String(decoding: bytes[offset..<end(ofCharacterAt: offset)], as: UTF8.self)
        guard let scalar = text.unicodeScalars.first, !scalar.isUnfitForDisplay else {
            return "U+" + String(text.unicodeScalars.first?.value ?? 0, radix: 16, uppercase: true)
        }
        return "'\(text)'"
    }

    private func end(ofCharacterAt offset: Int) -> Int {
        var end = offset + 1
        while end < bytes.count, bytes[end] & 0xc0 == 0x80 { end += 1 }
        return end
    }

    private func failure(_ message: String, _ place: Range<Int>, help: String? = nil) -> Finding {
        Finding(.syntax, message, at: SourceRange(source, place), help: help)
    }
}
