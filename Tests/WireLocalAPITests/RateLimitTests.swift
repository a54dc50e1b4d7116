import Dispatch
import Support
import Synchronization
import Testing

@testable import WireLocalAPI

@Suite("Rate limits")
struct RateLimitTests {
    @Test("exactly the allowed number of requests passes at once, per account")
    func count() {
        let clock = HandClock()
        let limit = RateLimit(3, each: .seconds(3), clock: clock.clockwork)
        for _ in 0..<3 {
            #expect(limit.consume("a"))
        }
        #expect(!limit.consume("a"))
        #expect(limit.consume("b"))
    }

    @Test("exactly the allowed number passes with concurrent threads", .timeLimit(.minutes(1)))
    func threads() {
        let limit = RateLimit(10_000, each: .seconds(1), clock: HandClock().clockwork)
        let taken = Taken()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<2_000 where limit.consume("a") { taken.count.add(1, ordering: .relaxed) }
        }
        let count = taken.count.load(ordering: .relaxed)
        #expect(count == 10_000)
    }

    @Test("capacity is refilled at the rate, up to the maximum")
    func refill() {
        let clock = HandClock()
        let limit = RateLimit(3, each: .seconds(3), clock: clock.clockwork)
        for _ in 0..<3 { #expect(limit.consume("a")) }
        clock.pass(.milliseconds(999))
        #expect(!limit.consume("a"))
        clock.pass(.milliseconds(1))
        #expect(limit.consume("a"))
        #expect(!limit.consume("a"))
        clock.pass(.seconds(100))
        for _ in 0..<3 { #expect(limit.consume("a")) }
        #expect(!limit.consume("a"))
    }

    @Test("a limit of zero rejects everything")
    func none() {
        let limit = RateLimit(0, each: .seconds(1), clock: HandClock().clockwork)
        #expect(!limit.consume("a"))
    }

    @Test("with more accounts than are tracked, exhausted ones stay rejected")
    func manyAccounts() {
        let limit = RateLimit(1, each: .seconds(10), clock: HandClock().clockwork)
        #expect(limit.consume("a"))
        for number in 0..<1_500 { _ = limit.consume("\(number)") }
        #expect(!limit.consume("a"))
    }
}

/// A number that threads share; a local variable is on the stack, and was overwritten there.
private final class Taken: Sendable {
    let count = Atomic(0)
}
