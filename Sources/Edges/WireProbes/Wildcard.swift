/// A pattern whose only wildcard is `*`.
struct Wildcard {
    private let pattern: [UInt8]
    /// The text before the first wildcard, where most names differ already.
    private let beginning: ArraySlice<UInt8>

    init(_ pattern: Substring) {
        self.pattern = Array(pattern.utf8)
        beginning = self.pattern.prefix { $0 != UInt8(ascii: "*") }
    }

    func matches(_ name: String) -> Bool {
        guard name.utf8.starts(with: beginning) else { return false }
        let name = Array(name.utf8)
        var (place, step) = (0, 0)
        // The last wildcard, and where its match ends so far.
        var star: (step: Int, place: Int)?
        while place < name.count {
            if step < pattern.count, pattern[step] == UInt8(ascii: "*") {
                star = (step, place)
                step += 1
            } else if step < pattern.count, pattern[step] == name[place] {
                step += 1
                place += 1
            } else if let last = star {
                // The wildcard matches one more character, and the rest is tried again.
                star = (last.step, last.place + 1)
                (step, place) = (last.step + 1, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[step...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
