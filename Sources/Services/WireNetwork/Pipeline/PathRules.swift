import WireBase

/// What a path and a query may be that are put below a URL of the file: whatever they say, they stay below.
enum PathRules {
    /// What is wrong with a path, percent-encoded; nil for one that may be sent.
    static func flaw(ofPath path: String) -> String? {
        if let flaw = strangeByte(in: path, expecting: "a path, percent-encoded", but: "?#") { return flaw }
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return nil }
        guard let decoded = decoded(path) else { return "the path is wrongly percent-encoded" }
        if decoded.contains(where: { $0 < 0x20 || $0 == 0x7f }) { return "the path holds a control character" }
        // Servers differ in what they take for a separator, and some leave out what follows a semicolon.
        let segments = decoded.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        for segment in segments {
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            if name.elementsEqual("..".utf8) || name.elementsEqual(".".utf8) {
                return "the path has a segment '.' or '..', and would leave the base URL"
            }
        }
        return nil
    }

    static func flaw(ofQuery query: String) -> String? {
        strangeByte(in: query, expecting: "a query, percent-encoded", but: "#")
    }

    private static func strangeByte(in text: String, expecting form: String, but excluded: String) -> String? {
        let strange = text.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "#"):
                true
            case UInt8(ascii: "?"): excluded.utf8.contains(byte)
            default: byte <= 0x20 || byte >= 0x7f
            }
        }
        return strange ? "there is a character that no URL may hold, expected \(form)" : nil
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        let source = Array(text.utf8)
        bytes.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%") {
                guard index + 2 < source.count, let byte = Hexadecimal.byte(source[index + 1], source[index + 2]) else {
                    return nil
                }
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        return bytes
    }
}
