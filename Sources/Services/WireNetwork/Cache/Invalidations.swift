/// Which stored answers a write has made worthless, so that an answer asked for before it is not stored after it.
struct Invalidations: Sendable {
    private(set) var number: UInt64 = 0
    /// What was asked for before this number is not known about any more.
    private var floor: UInt64 = 0
    private var last: [String: UInt64] = [:]

    mutating func add(_ place: String) {
        number += 1
        if last.count >= Self.most {
            last.removeAll(keepingCapacity: true)
            floor = number
        }
        last[place] = number
    }

    /// Whether nothing has been written to a place since a number.
    func allows(_ place: String, since number: UInt64) -> Bool {
        number >= floor && last[place, default: 0] <= number
    }

    private static let most = 1_024
}
