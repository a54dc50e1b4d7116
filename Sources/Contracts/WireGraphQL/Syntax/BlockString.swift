/// The value of a block string (GraphQL specification, section 2.9.4).
enum BlockString {
    /// The text without common indentation and without blank lines at both ends.
    static func value(of raw: [UInt8]) -> String {
        var lines = lines(of: raw)
        let indentation = lines.dropFirst().compactMap(indentation).min() ?? 0
        for index in lines.indices.dropFirst() { lines[index] = lines[index].dropFirst(indentation) }
        guard let first = lines.firstIndex(where: isText), let last = lines.lastIndex(where: isText) else { return "" }
        return String(decoding: Array(lines[first...last].joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }

    private static func lines(of raw: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var (start, offset) = (0, 0)
        while offset < raw.count {
            let byte = raw[offset]
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                offset += 1
                continue
            }
            lines.append(raw[start..<offset])
            let isPair = byte == UInt8(ascii: "\r") && offset + 1 < raw.count && raw[offset + 1] == UInt8(ascii: "\n")
            offset += isPair ? 2 : 1
            start = offset
        }
        lines.append(raw[start...])
        return lines
    }

    /// How many spaces and tabs a line begins with; nil for a blank one, which does not count.
    private static func indentation(_ line: ArraySlice<UInt8>) -> Int? {
        line.firstIndex { !isWhite($0) }.map { $0 - line.startIndex }
    }

    private static func isText(_ line: ArraySlice<UInt8>) -> Bool { !line.allSatisfy(isWhite) }

    private static func isWhite(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
