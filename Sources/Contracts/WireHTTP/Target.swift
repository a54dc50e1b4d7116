import WireBase

/// What a request is about: the path and query of its target, taken apart and decoded once.
package struct Target: Sendable {
    /// As it came, for logs and for what is passed on.
    package let text: String
    /// The segments of the path, decoded; an empty last one where the path ends in a slash.
    package let segments: [String]
    /// The items of the query in their order, decoded.
    package let query: [(name: String, value: String)]

    /// Nil for what is no path: not beginning with a slash, with spaces or controls, wrongly encoded, holding NUL or a `.`
    /// or `..` segment.
    package init?(parsing text: String) {
        // A space or a control would end the request line for somebody else; what follows '#' never leaves a client.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "#") }) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for raw in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let segment = Self.decode(raw, plusIsSpace: false), segment != ".", segment != "..",
                !segment.utf8.contains(0)
            else { return nil }
            segments.append(segment)
        }
        var query: [(name: String, value: String)] = []
        if parts.count > 1 {
            for item in parts[1].split(separator: UInt8(ascii: "&")) {
                let sides = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard let name = Self.decode(sides[0], plusIsSpace: true),
                    let value = sides.count > 1 ? Self.decode(sides[1], plusIsSpace: true) : ""
                else { return nil }
                query.append((name, value))
            }
        }
        self.text = text
        self.segments = segments
        self.query = query
    }

    /// The path as it came, without the query.
    package var path: String {
        String(text.prefix { $0 != "?" })
    }

    /// Whether two paths are one is decided after decoding, so what is decoded must be text.
    private static func decode(_ raw: Substring.UTF8View.SubSequence, plusIsSpace: Bool) -> String? {
        guard raw.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") || $0 >= 0x80 }) else {
            return String(Substring(raw))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next(), let low = rest.next(), let byte = Hexadecimal.byte(high, low) else {
                    return nil
                }
                bytes.append(byte)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
