import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

@testable import WireNetwork

@Suite("Retry rules")
struct RetryRuleTests {
    private static func rules(_ section: String) throws -> RetryRules {
        let settings = try CacheBench.read(section).0
        return RetryRules(backoff: settings.backoff, longestAsked: settings.retryAfterMax)
    }

    @Test("retryable statuses are those of slow, busy or unavailable servers")
    func statuses() {
        let worthwhile = (100...599).filter { RetryRules.isWorthRepeating(.answer(Status($0))) }
        #expect(worthwhile == [408, 425, 429] + (500...599).filter { ![501, 505].contains($0) })
    }

    @Test(
        "retryable failures are those of the network",
        arguments: [
            (.unresolved, true), (.unreachable, true), (.timeout, true), (.interrupted, true), (.exhausted, true),
            (.invalidURL, false), (.invalidRequest, false), (.forbidden, false), (.tls, false), (.pin, false),
            (.protocolError, false), (.tooManyRedirects, false), (.cancelled, false),
        ] as [(TransferFailure.Kind, Bool)]
    )
    func failures(kind: TransferFailure.Kind, isWorthwhile: Bool) {
        let failure = TransferFailure(kind, "no", wasNotSent: true)
        #expect(RetryRules.isWorthRepeating(.failure(failure)) == isWorthwhile)
    }

    @Test("a POST is retried only if nothing can have arrived", arguments: [true, false])
    func posts(wasNotSent: Bool) {
        let call = ServerCall(.post, .path("a", query: nil), from: "test")
        let failure = TransferFailure(.interrupted, "no", wasNotSent: wasNotSent)
        #expect(RetryRules.maySendAgain(call, after: .failure(failure)) == wasNotSent)
    }

    @Test("pauses double up to the maximum, with jitter")
    func waits() throws {
        let exact = try Self.rules("backoff: { first: 1s, max: 5s, jitter: 0 }")
        let doubled = (1...5).map { exact.wait(before: $0, asked: nil, chance: 0) }
        #expect(doubled == [.seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5)])
        let half = try Self.rules("backoff: { first: 4s, max: 5s, jitter: 0.5 }")
        #expect(half.wait(before: 1, asked: nil, chance: 0) == .seconds(2))
        #expect(half.wait(before: 1, asked: nil, chance: 1) == .seconds(4))
    }

    @Test("a Retry-After extends the pause, up to the limit of the file")
    func asked() throws {
        let rules = try Self.rules("retryAfterMax: 10s\nbackoff: { first: 4s, max: 5s, jitter: 0 }")
        #expect(rules.wait(before: 1, asked: .seconds(10), chance: 0) == .seconds(10))
        #expect(rules.wait(before: 1, asked: .milliseconds(10_001), chance: 0) == nil)
        #expect(rules.wait(before: 1, asked: .seconds(1), chance: 0) == .seconds(4))
    }

    @Test(
        "Retry-After is parsed",
        arguments: [
            ("0", .zero), ("7", .seconds(7)), ("99999999999999999999", .seconds(Int64(Int32.max))), ("", nil),
            ("-1", nil), ("1.5", nil), ("soon", nil), ("Tue, 01 Jan 2030 00:00:07 GMT", .seconds(7)),
            ("Mon, 31 Dec 2029 23:59:59 GMT", .zero),
        ] as [(String, Duration?)]
    )
    func retryAfter(text: String, wait: Duration?) {
        // Tue, 01 Jan 2030 00:00:00 GMT.
        let fields: Fields = ["Retry-After": text]
        #expect(fields.retryAfter(at: 1_893_456_000_000) == wait)
    }

    @Test("of 256 hosts healthy ones are evicted first, then all")
    func hosts() throws {
        let circuit = try #require(try CacheBench.read("circuit: { failures: 1, pause: 10s }").0.circuit)
        func visit(_ hosts: HostCircuits, _ name: String, _ outcome: CircuitBreaker.Outcome) {
            _ = hosts.admit(name, isFirst: true, at: .zero, circuit)
            _ = hosts.record(outcome, of: name, isTrial: false, at: .zero, circuit)
        }
        let mixed = HostCircuits()
        visit(mixed, "failing", .failure)
        for number in 1..<256 { visit(mixed, "\(number)", .success) }
        visit(mixed, "1", .success)
        #expect(mixed.all.count == 256)
        visit(mixed, "new", .success)
        #expect(mixed.all.map(\.host) == ["failing", "new"] && mixed.resting == ["failing"])
        let failing = HostCircuits()
        for number in 1...256 { visit(failing, "\(number)", .failure) }
        #expect(failing.resting.count == 256)
        visit(failing, "new", .success)
        #expect(failing.all.map(\.host) == ["new"])
    }

    /// How many repetitions a budget gives at each moment, until it gives no more.
    private func taken(_ budget: inout RetryBudget, at moments: Duration...) -> [Int] {
        moments.map { now in
            var count = 0
            while count < 100, budget.consumeRetry(at: now) { count += 1 }
            return count
        }
    }

    @Test("ten retries are always allowed, and one more per five requests")
    func share() {
        var budget = RetryBudget()
        for _ in 0..<4 { budget.noteRequest(at: .zero) }
        let first = taken(&budget, at: .zero)
        budget.noteRequest(at: .zero)
        let second = taken(&budget, at: .zero)
        #expect(first == [10] && second == [1])
    }

    @Test("requests and retries count for ten seconds")
    func window() {
        var budget = RetryBudget()
        for _ in 0..<5 { budget.noteRequest(at: .seconds(1)) }
        let counts = taken(&budget, at: .seconds(1), .seconds(10), .seconds(11))
        #expect(counts == [11, 0, 10])
        // A long rest is as good as a short one.
        let later = taken(&budget, at: .seconds(100_000), .seconds(100_009))
        #expect(later == [10, 0])
    }
}
