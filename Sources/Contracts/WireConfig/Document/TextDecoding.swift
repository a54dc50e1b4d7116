package import WireBase

/// Validates file bytes as UTF-8 text: encodings, byte order marks and control characters.
package enum TextDecoding {
    /// Makes a source file from bytes; problems refer to it.
    package static func accept(_ bytes: [UInt8], named name: String, isFile: Bool = true) throws(Unreadable)
        -> SourceFile
    {
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
        try examine(source)
        return source
    }

    private static func looksLikeUTF16(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2 else { return false }
        switch (bytes[0], bytes[1]) {
        case (0xff, 0xfe), (0xfe, 0xff): return true
        // UTF-16 without a mark: the first character of a services file is ASCII, so one byte of it is zero.
        case (0, 1...), (1..., 0):
            return bytes.count >= 4 && (bytes[0] == 0) == (bytes[2] == 0) && (bytes[1] == 0) == (bytes[3] == 0)
        default: return false
        }
    }

    /// The first byte from an offset that is not printable ASCII or white space; most files have none.
    private static func firstByteToExamine(in bytes: [UInt8], from start: Int) -> Int? {
        let span = bytes.span
        var block = start
        while block < bytes.count {
            let end = min(block + 4096, bytes.count)
            let piece = span.extracting(block..<end)
            if needsExamination(piece) {
                for index in piece.indices where needsExamination(piece[index]) { return block + index }
            }
            block = end
        }
        return nil
    }

    /// Examines a block without an early exit, so that the compiler can vectorize the loop.
    private static func needsExamination(_ block: borrowing Span<UInt8>) -> Bool {
        var found: UInt8 = 0
        for index in block.indices {
            let byte = block[index]
            let isLow: UInt8 = byte < 0x20 ? 1 : 0
            let isHigh: UInt8 = byte >= 0x7f ? 1 : 0
            let isSpace: UInt8 = (byte == 0x0a ? 1 : 0) | (byte == 0x0d ? 1 : 0) | (byte == 0x09 ? 1 : 0)
            found |= isHigh | (isLow ^ isSpace)
        }
        return found != 0
    }

    private static func needsExamination(_ byte: UInt8) -> Bool {
        byte >= 0x7f || (byte < 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09)
    }

    private static func examine(_ source: SourceFile) throws(Unreadable) {
        var start = 0
        while let offset = firstByteToExamine(in: source.bytes, from: start) {
            var decoder = Unicode.UTF8.ForwardParser()
            var rest = source.bytes[offset...].prefix(4).makeIterator()
            switch decoder.parseScalar(from: &rest) {
            case .emptyInput:
                return
            case .error(let length):
                throw Unreadable(notUTF8(SourceRange(source, offset..<offset + length)))
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                start = offset + encoded.count
                if isControl(scalar) { throw Unreadable(control(scalar, SourceRange(source, offset..<start))) }
            }
        }
    }

    private static func notUTF8(_ place: SourceRange) -> Diagnostic {
        let byte = String(place.file.bytes[place.bytes.lowerBound], radix: 16)
        return Diagnostic(.notUTF8, "byte 0x\(byte) is not valid UTF-8", at: place)
            .labelled("the first invalid byte is here")
            .helped(by: "save the file as UTF-8")
    }

    private static func control(_ scalar: Unicode.Scalar, _ place: SourceRange) -> Diagnostic {
        Diagnostic(.controlCharacter, "control character U+\(hex(scalar)) is not allowed in a services file", at: place)
            .helped(by: "write it as an escape in double quotes: \"\(escape(scalar, in: place.file))\"")
    }

    /// An escape that this reader and other readers of the format accept.
    private static func escape(_ scalar: Unicode.Scalar, in source: SourceFile) -> String {
        if source.name.lowercased().hasSuffix(".json") || scalar.value > 0xff {
            return "\\u" + hex(scalar).lowercased()
        }
        return "\\x" + hex(scalar).lowercased().suffix(2)
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether YAML 1.2 calls the character not printable; JSON forbids further ones in strings.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a, 0x0d, 0x85: false
        case 0..<0x20, 0x7f..<0xa0, 0xfffe, 0xffff: true
        case 0xfeff: true
        default: false
        }
    }
}
