import Support
import Testing
import WireBase

@testable import WireHost

@Suite("Sleeping")
struct SleepTests {
    @Test("sleepers wake in order of their deadlines", arguments: 0..<8 as Range<UInt64>)
    func order(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var deadlines = Deadlines<Int>()
        // The same in the simplest way there is.
        var waiting: [(moment: Int64, number: Int)] = []
        var moment: Int64 = 0
        for number in 1...2_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let end = moment + Int64.random(in: 0..<1_000, using: &random)
                deadlines.add(number, number, until: end)
                waiting.append((end, number))
            case 6..<9:
                let gone = Int.random(in: 1...number, using: &random)
                let expected = waiting.firstIndex { $0.number == gone }.map { waiting.remove(at: $0).number }
                #expect(deadlines.remove(gone) == expected)
            default:
                moment += Int64.random(in: 0..<50, using: &random)
                let due = waiting.filter { $0.moment <= moment }.sorted { $0 < $1 }.map(\.number)
                waiting.removeAll { $0.moment <= moment }
                #expect(deadlines.due(at: moment) == due)
            }
            #expect(deadlines.count == waiting.count)
            #expect(deadlines.first() == waiting.map(\.moment).min())
            #expect(deadlines.placeCount <= 2 * waiting.count + 64)
        }
    }

    @Test("a sleep lasts its duration, whatever other sleeps do", .timeLimit(.minutes(1)))
    func lasting() async throws {
        let long = (0..<100).map { _ in Task { try await TimeSource.host.sleep(.seconds(1_000_000)) } }
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for length in [30, 1, 20, 1, 10] as [Int64] {
                group.addTask {
                    try await TimeSource.host.sleep(.milliseconds(length))
                    #expect(ContinuousClock.now - begin >= .milliseconds(length))
                }
            }
            try await group.waitForAll()
        }
        for task in long {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("a cancelled sleep ends at once, and is removed", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let sleepers = try #require(Sleepers.shared)
        let before = sleepers.counts
        let ended = await withTaskGroup(of: Bool.self) { group in
            for round in 0..<4_000 {
                group.addTask {
                    let task = Task { try await TimeSource.host.sleep(.seconds(1_000_000)) }
                    // Before it sleeps, while it lies down, or once it sleeps.
                    for _ in 0..<round % 4 { await Task.yield() }
                    task.cancel()
                    if case .failure(let error) = await task.result { return error is CancellationError }
                    return false
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(ended == 4_000)
        let after = sleepers.counts
        #expect(after.sleeping <= before.sleeping + 16)
        #expect(after.places <= 2 * after.sleeping + 64)
    }

    @Test(
        "any duration is accepted",
        .timeLimit(.minutes(1)),
        arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1), .seconds(-1)]
    )
    func lengths(length: Duration) async throws {
        let sleepers = try #require(Sleepers.shared)
        let before = sleepers.counts.sleeping
        let task = Task { try await TimeSource.host.sleep(length) }
        if length > .seconds(1) {
            #expect(await eventually { sleepers.counts.sleeping > before })
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        } else {
            try await task.value
        }
    }
}
