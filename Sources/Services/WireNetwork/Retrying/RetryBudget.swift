/// The retry budget: a share of recent requests, so that retries never multiply the load of a failing server.
struct RetryBudget: Sendable {
    /// One retry for this many requests.
    static let share = 5
    /// The minimum number of retries, for rare requests.
    static let least = 10
    /// The length of the window.
    static let window: Duration = .seconds(10)

    private static let slots = 10
    private var requests = [Int](repeating: 0, count: slots)
    private var repetitions = [Int](repeating: 0, count: slots)
    private var totals = (requests: 0, repetitions: 0)
    /// The present slot, counted from the start of the clock.
    private var present: Int64 = 0

    init() {}

    mutating func noteRequest(at now: Duration) {
        advance(to: now)
        requests[slot] += 1
        totals.requests += 1
    }

    /// Takes one retry; false where none is left.
    mutating func consumeRetry(at now: Duration) -> Bool {
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
        // After a long rest all slots are empty, and the index only depends on the number.
        present = number
    }
}
