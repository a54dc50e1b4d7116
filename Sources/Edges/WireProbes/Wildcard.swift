/// Patterns whose only wildcard is `*`.
enum Wildcard {
    static func matches(_ name: String, _ pattern: Substring) -> Bool {
        let (name, pattern) = (Array(name.utf8), Array(pattern.utf8))
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
