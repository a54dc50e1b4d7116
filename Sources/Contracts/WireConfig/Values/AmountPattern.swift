package import WireBase

/// Patterns of numbers with units, for editors.
enum AmountPattern {
    /// Amounts of one unit that lie in a range, each with the length of its unit.
    static func single(_ units: [(name: String, length: Int)], _ range: ClosedRange<Int>) -> [String] {
        units.compactMap { name, length in
            let low = (range.lowerBound + length - 1) / length
            let high = min(range.upperBound / length, 1_000_000_000)
            return low <= high ? "0*(?:\(numbers(low...high)))\(name)" : nil
        }
    }

    /// Whole numbers of a range, without leading zeros.
    static func numbers(_ range: ClosedRange<Int>) -> String {
        var start = range.lowerBound
        return ends(in: range).map { end in
            defer { start = end + 1 }
            return digits(start, end)
        }
        .joined(separator: "|")
    }

    /// Where stretches end whose numbers differ in their last digits alone.
    private static func ends(in range: ClosedRange<Int>) -> [Int] {
        var ends: Set = [range.upperBound]
        var power = 10
        while power <= 1_000_000_000_000 {
            let nines = range.lowerBound - range.lowerBound % power + power - 1
            guard nines <= range.upperBound else { break }
            ends.insert(nines)
            power *= 10
        }
        power = 10
        while power <= 1_000_000_000_000 {
            let zeros = (range.upperBound + 1) / power * power - 1
            guard zeros > range.lowerBound else { break }
            ends.insert(zeros)
            power *= 10
        }
        return ends.sorted()
    }

    private static func digits(_ low: Int, _ high: Int) -> String {
        zip(String(low), String(high)).map { first, last in
            first == last ? String(first) : "[\(first)-\(last)]"
        }
        .joined()
    }
}

extension Duration {
    package static func pattern(from low: Duration, to high: Duration) -> String? {
        let units = units.map { (name: $0.name, length: $0.length.wholeMilliseconds) }
        let bounds = low.wholeMilliseconds...high.wholeMilliseconds
        // The sum of several is beyond a pattern; each of them is not more than all of them may be.
        let parts = AmountPattern.single(units, 0...bounds.upperBound).map { "(?:\($0))?" }.joined()
        let singles = AmountPattern.single(units, bounds).joined(separator: "|")
        return "^(?:\(singles)|(?=[0-9]+[a-z]+[0-9])\(parts))$"
    }

    private var wholeMilliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}

extension ByteCount {
    package static func pattern(from low: ByteCount, to high: ByteCount) -> String? {
        let singles = AmountPattern.single(units, low.bytes...high.bytes)
        return "^(?:\(singles.joined(separator: "|")))$"
    }
}
