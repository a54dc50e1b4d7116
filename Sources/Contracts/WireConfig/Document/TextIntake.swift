package import WireBase

/// Takes bytes in as text: the one place that decides about encodings, byte order marks and control characters.
package enum TextIntake {
    /// The bytes as a source file; what is wrong with them points into it.
    package static func accept(_ bytes: [UInt8], named name: String, isFile: Bool = true) throws(Unreadable) -> SourceFile {
        let hasMark = bytes.starts(with: [0xef, 0xbb, 0xbf])
        let source = SourceFile(
            name: name,
            bytes: hasMark ? Array(bytes.dropFirst(3)) : bytes,
            prefixLength: hasMark ? 3 : 0,
            isFile: isFile
        )
        if looksLikeUTF16(bytes) {
            throw Unreadable(
                Diagnostic(.notUTF8, "the file is UTF-16, a services file is UTF-8", at: SourceRange(source, 0..<0))
                    .helped(by: "save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8")
            )
        }
        if let offset = firstByteToExamine(in: source.bytes) { try examine(source, from: offset) }
        return source
    }

    private static func looksLikeUTF16(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2 else { return false }
        switch (bytes[0], bytes[1]) {
        case (0xff, 0xfe), (0xfe, 0xff): return true
        // Text without a mark: the first character of a services file is ASCII, so one half of it is zero.
        case (0, 1...), (1..., 0): return bytes.count >= 4 && (bytes[0] == 0) == (bytes[2] == 0) && (bytes[1] == 0) == (bytes[3] == 0)
        default: return false
        }
    }

    /// The first byte that is not plain printable ASCII or white space; most files have none.
    private static func firstByteToExamine(in bytes: [UInt8]) -> Int? {
        let span = bytes.span
        for index in span.indices {
            let byte = span[index]
            if byte >= 0x7f || (byte < 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) { return index }
        }
        return nil
    }

    private static func examine(_ source: SourceFile, from start: Int) throws(Unreadable) {
        var offset = start
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = source.bytes[start...].makeIterator()
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .emptyInput:
                return
            case .error(let length):
                throw Unreadable(
                    Diagnostic(
                        .notUTF8,
                        "byte 0x\(String(source.bytes[offset], radix: 16)) is not valid UTF-8",
                        at: SourceRange(source, offset..<offset + length)
                    )
                    .labelled("the text stops being UTF-8 here")
                    .helped(by: "save the file as UTF-8")
                )
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if isControl(scalar) {
                    throw Unreadable(
                        Diagnostic(
                            .controlCharacter,
                            "control character U+\(hex(scalar)) may not stand in a services file",
                            at: SourceRange(source, offset..<offset + encoded.count)
                        )
                        .helped(by: #"write it as an escape in double quotes: "\x\#(String(scalar.value, radix: 16))""#)
                    )
                }
                offset += encoded.count
            }
        }
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// What YAML 1.2 calls not printable; JSON forbids more of it, inside strings.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a, 0x0d, 0x85: false
        case 0..<0x20, 0x7f..<0xa0, 0xfffe, 0xffff: true
        case 0xfeff: true
        default: false
        }
    }
}
