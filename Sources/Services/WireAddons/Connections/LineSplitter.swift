/// Joins received pieces into lines; stores one unfinished line of limited length.
struct LineSplitter: Sendable {
    private var rest: [UInt8] = []
    private let limit: Int
    /// Whether a line exceeds the limit; the rest of that line is dropped.
    private(set) var isTooLong = false

    init(limit: Int) { self.limit = limit }

    /// Returns the completed lines without their ends; a line that is too long is cut at the limit.
    mutating func consume(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for piece in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if piece.offset > 0 {
                lines.append(rest)
                rest = []
            }
            let room = limit - rest.count
            if piece.element.count > room { isTooLong = true }
            rest += piece.element.prefix(max(0, room))
        }
        return lines
    }
}
