/// The recent writes by place, so that a response requested before a write is not stored after it.
struct Invalidations: Sendable {
    private(set) var number: UInt64 = 0
    /// Writes before this number are not known any more.
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

    /// Whether a place has not been written to since a number.
    func allows(_ place: String, since number: UInt64) -> Bool {
        number >= floor && last[place, default: 0] <= number
    }

    private static let most = 1_024
}
