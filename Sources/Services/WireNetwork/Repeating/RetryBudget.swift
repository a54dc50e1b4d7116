/// How many repetitions there may be: a share of the requests of the last while, so that a server which fails for everybody
/// is never asked much more than it would be anyway.
struct RetryBudget: Sendable {
    /// One repetition for so many requests.
    static let share = 5
    /// So many are allowed in any case, for who asks seldom.
    static let least = 10
    /// How long requests count.
    static let window: Duration = .seconds(10)

    private static let slots = 10
    private var requests = [Int](repeating: 0, count: slots)
    private var repetitions = [Int](repeating: 0, count: slots)
    private var totals = (requests: 0, repetitions: 0)
    /// The slot of now, counted from the beginning of the clock.
    private var present: Int64 = 0

    init() {}

    mutating func noteRequest(at now: Duration) {
        advance(to: now)
        requests[slot] += 1
        totals.requests += 1
    }

    /// Takes one repetition; false where there is none left.
    mutating func takeRepetition(at now: Duration) -> Bool {
        advance(to: now)
        guard totals.repetitions < Self.least + totals.requests / Self.share else { return false }
        repetitions[slot] += 1
        totals.repetitions += 1
        return true
    }

    private var slot: Int { Int(present % Int64(Self.slots)) }

    private mutating func advance(to now: Duration) {
        let number = max(present, now.components.seconds)
        for _ in 0..<min(number - present, Int64(Self.slots)) {
            present += 1
            totals.requests -= requests[slot]
            totals.repetitions -= repetitions[slot]
            (requests[slot], repetitions[slot]) = (0, 0)
        }
        // After a long rest the slots are empty, and which one it is only depends on the number.
        present = number
    }
}
