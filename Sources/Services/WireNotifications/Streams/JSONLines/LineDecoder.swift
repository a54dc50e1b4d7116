import WireBase

/// Splits a body into lines; a line beyond the limit is dropped whole.
struct LineDecoder: StreamDecoder {
    enum Line: Sendable, Equatable {
        /// A line that is not empty.
        case line([UInt8])
        case tooLong
    }

    let limit: ByteCount
    private var line: [UInt8] = []
    private var isTooLong = false

    init(limit: ByteCount = .mebibytes(1)) { self.limit = limit }

    mutating func consume(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            add(rest[..<end])
            rest = rest[(end + 1)...]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if isTooLong { lines.append(.tooLong) } else if !line.isEmpty { lines.append(.line(line)) }
            (line, isTooLong) = ([], false)
        }
        add(rest)
        return lines
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        guard !isTooLong, line.count + bytes.count <= limit.bytes else {
            (line, isTooLong) = ([], true)
            return
        }
        line += bytes
    }
}
