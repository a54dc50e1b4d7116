/// A rate limit: a burst, and an amount per second after it.
struct Allowance: Sendable {
    private let most: Double
    private let perSecond: Double
    private var left: Double
    private var time: Duration?

    init(_ most: Int, perSecond: Int) {
        (self.most, self.perSecond, left) = (Double(most), Double(perSecond), Double(most))
    }

    /// Takes an amount if it is available; otherwise takes nothing.
    mutating func consume(_ amount: Int = 1, at now: Duration) -> Bool {
        if let time {
            let passed = (now - time).components
            let seconds = Double(passed.seconds) + Double(passed.attoseconds) / 1e18
            left = min(most, left + max(0, seconds) * perSecond)
        }
        time = now
        guard left >= Double(amount) else { return false }
        left -= Double(amount)
        return true
    }
}
