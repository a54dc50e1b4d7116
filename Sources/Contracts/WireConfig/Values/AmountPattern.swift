package import WireBase

/// Regular expressions for numbers with units, for editors.
enum AmountPattern {
    /// Amounts of a single unit in a range.
    static func single(_ units: [(name: String, length: Int)], _ range: ClosedRange<Int>) -> [String] {
        units.compactMap { name, length in
            let low = (range.lowerBound + length - 1) / length
            let high = min(range.upperBound / length, 1_000_000_000)
            return low <= high ? "0*(?:\(numbers(low...high)))\(name)" : nil
        }
    }

    /// Whole numbers in a range, without leading zeros.
    static func numbers(_ range: ClosedRange<Int>) -> String {
        var start = range.lowerBound
        return ends(in: range).map { end in
            defer { start = end + 1 }
            return digits(start, end)
        }
        .joined(separator: "|")
    }

    /// Splits a range into parts whose numbers differ only in their last digits.
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
        // A pattern cannot limit a sum; each part is limited to the upper bound instead.
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
