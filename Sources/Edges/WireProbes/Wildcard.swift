/// A pattern whose only wildcard is `*`.
struct Wildcard {
    private let pattern: [UInt8]
    /// What is before the first wildcard: most names differ there already.
    private let beginning: ArraySlice<UInt8>

    init(_ pattern: Substring) {
        self.pattern = Array(pattern.utf8)
        beginning = self.pattern.prefix { $0 != UInt8(ascii: "*") }
    }

    func matches(_ name: String) -> Bool {
        guard name.utf8.starts(with: beginning) else { return false }
        let name = Array(name.utf8)
        var (place, step) = (0, 0)
        // Where the last wildcard stands, and up to where it reaches so far.
        var star: (step: Int, place: Int)?
        while place < name.count {
            if step < pattern.count, pattern[step] == UInt8(ascii: "*") {
                star = (step, place)
                step += 1
            } else if step < pattern.count, pattern[step] == name[place] {
                step += 1
                place += 1
            } else if let last = star {
                // It takes one more, and the rest is tried again.
                star = (last.step, last.place + 1)
                (step, place) = (last.step + 1, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[step...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
