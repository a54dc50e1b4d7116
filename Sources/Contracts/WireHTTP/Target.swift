import WireBase

/// The request target: path and query, split and decoded once.
package struct Target: Sendable {
    /// The target as received, for logs and for forwarding.
    package let text: String
    /// The decoded segments of the path; the last one is empty where the path ends in a slash.
    package let segments: [String]
    /// The decoded query items, in order.
    package let query: [(name: String, value: String)]

    /// Parses a target; nil for a path that does not begin with a slash, is encoded incorrectly, or contains spaces,
    /// control characters, NUL, or a `.` or `..` segment.
    package init?(parsing text: String) {
        let bytes = text.utf8.span
        guard !bytes.isEmpty, bytes[0] == UInt8(ascii: "/") else { return nil }
        var pathEnd = bytes.count
        for index in bytes.indices {
            // A space or control character would end the request line for another parser; a client never sends a
            // fragment.
            guard bytes[index] > 0x20, bytes[index] != 0x7f, bytes[index] != UInt8(ascii: "#") else { return nil }
            if bytes[index] == UInt8(ascii: "?"), pathEnd == bytes.count { pathEnd = index }
        }
        guard let segments = Self.segments(bytes.extracting(1..<pathEnd)),
            let query = pathEnd < bytes.count ? Self.items(bytes.extracting((pathEnd + 1)...)) : []
        else { return nil }
        self.text = text
        self.segments = segments
        self.query = query
    }

    private static func segments(_ path: Span<UInt8>) -> [String]? {
        var segments: [String] = []
        var start = 0
        while start <= path.count {
            let end = path.firstIndex(of: UInt8(ascii: "/"), in: start..<path.count)
            guard let segment = decode(path.extracting(start..<end), plusIsSpace: false), segment != ".",
                segment != "..", !segment.utf8.contains(0)
            else { return nil }
            segments.append(segment)
            start = end + 1
        }
        return segments
    }

    private static func items(_ query: Span<UInt8>) -> [(name: String, value: String)]? {
        var items: [(name: String, value: String)] = []
        var start = 0
        while start < query.count {
            let end = query.firstIndex(of: UInt8(ascii: "&"), in: start..<query.count)
            if start < end {
                let equals = query.firstIndex(of: UInt8(ascii: "="), in: start..<end)
                guard let name = decode(query.extracting(start..<equals), plusIsSpace: true),
                    let value = decode(query.extracting(min(equals + 1, end)..<end), plusIsSpace: true)
                else { return nil }
                items.append((name, value))
            }
            start = end + 1
        }
        return items
    }

    /// The path as received, without the query.
    package var path: String {
        String(text.prefix { $0 != "?" })
    }

    /// Decodes a part as UTF-8: paths are compared after decoding, so the result must be text.
    private static func decode(_ raw: Span<UInt8>, plusIsSpace: Bool) -> String? {
        var isPlain = true
        for index in raw.indices where raw[index] == UInt8(ascii: "%") || raw[index] == UInt8(ascii: "+") {
            isPlain = false
        }
        if isPlain {
            guard let text = try? UTF8Span(validating: raw) else { return nil }
            return String(copying: text)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var index = 0
        while index < raw.count {
            switch raw[index] {
            case UInt8(ascii: "%"):
                guard index + 2 < raw.count, let byte = Hexadecimal.byte(raw[index + 1], raw[index + 2]) else {
                    return nil
                }
                bytes.append(byte)
                index += 2
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            case let byte: bytes.append(byte)
            }
            index += 1
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// The first index of a byte in a range, or the end of the range.
    fileprivate func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, self[index] != byte { index += 1 }
        return index
    }
}
