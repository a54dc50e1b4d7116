/// Puts together lines of what comes in pieces; holds one unfinished line, as long as a line may be.
struct LineSplitter: Sendable {
    private var rest: [UInt8] = []
    private let limit: Int
    /// Whether a line became longer than it may; nothing more comes of it until it ends.
    private(set) var isTooLong = false

    init(limit: Int) { self.limit = limit }

    /// The lines that are whole now, without their ends; what is too long is cut where it may end.
    mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
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
