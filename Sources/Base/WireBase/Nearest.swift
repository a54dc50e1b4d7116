/// Finds the valid name closest to an invalid one, for "did you mean".
package enum Nearest {
    /// Returns the single best candidate, or nil where none is close enough.
    ///
    /// Close enough means at most one edit for every four characters, one for shorter names, and one for every three
    /// where both begin alike. Differences in case, or in `-` and `_`, are no edits, so `client_id` finds `clientId`.
    package static func name(to given: String, among candidates: some Sequence<String>) -> String? {
        names(to: given, among: candidates).first
    }

    /// Returns all candidates with the smallest distance, in the given order; a single one may be applied as a fix.
    package static func names(to given: String, among candidates: some Sequence<String>) -> [String] {
        let wanted = folded(given)
        guard !wanted.isEmpty, wanted.count <= 64 else { return [] }
        var best: [String] = []
        var smallest = max(1, wanted.count / 3) + 1
        for candidate in candidates where candidate.utf8.count + smallest >= wanted.count {
            let name = folded(candidate)
            guard abs(name.count - wanted.count) <= smallest else { continue }
            let distance = distance(wanted, name, giveUpAt: smallest + 1)
            guard distance <= max(1, wanted.count / 4) || wanted.first == name.first else { continue }
            if distance < smallest {
                (smallest, best) = (distance, [candidate])
            } else if distance == smallest, !best.isEmpty {
                best.append(candidate)
            }
        }
        return best
    }

    /// Whether a name is probably a typing error for a candidate.
    package static func isAlmost(_ given: String, among candidates: some Sequence<String>) -> Bool {
        let wanted = folded(given)
        let slips = wanted.count < 8 ? 1 : 2
        return wanted.count > 2 && wanted.count <= 64
            && candidates.contains { distance(wanted, folded($0), giveUpAt: slips + 1) <= slips }
    }

    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"): nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }

    /// Optimal string alignment: insertions, deletions, replacements and transpositions cost one each.
    private static func distance(_ left: [UInt8], _ right: [UInt8], giveUpAt limit: Int) -> Int {
        if abs(left.count - right.count) >= limit { return limit }
        if left.isEmpty { return right.count }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, leftByte) in left.enumerated() {
            var current = [row + 1]
            current.reserveCapacity(right.count + 1)
            for (column, rightByte) in right.enumerated() {
                var cost = min(
                    last[column + 1] + 1,
                    current[column] + 1,
                    last[column] + (leftByte == rightByte ? 0 : 1)
                )
                if row > 0, column > 0, leftByte == right[column - 1], left[row - 1] == rightByte {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
