import Support
import Synchronization
import Testing
import WireBase

@Suite("Wakeups", .timeLimit(.minutes(1)))
struct WakeupTests {
    private let wakeup = Wakeup()

    @Test("any number of wakeups before a check are one")
    func coalesces() async {
        for _ in 0..<3 { wakeup.wake() }
        #expect(await wakeup.next() != nil)
        let second = Task.immediate { await wakeup.next() }
        second.cancel()
        #expect(await second.value == nil)
    }

    @Test("a wakeup between two checks is not missed")
    func betweenLooks() async {
        wakeup.wake()
        #expect(await wakeup.next() != nil)
        wakeup.wake()
        #expect(await wakeup.next() != nil)
    }

    @Test("a wakeup ends the current wait")
    func endsWait() async {
        let wait = Task.immediate { await wakeup.next() }
        wakeup.wake()
        #expect(await wait.value != nil)
    }

    @Test("a cancelled wait ends, and leaves a later wakeup to the next wait")
    func cancelledWait() async {
        let cancelled = Task.immediate { await wakeup.next() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        wakeup.wake()
        #expect(await wakeup.next() != nil)
    }

    @Test("a wait that begins cancelled leaves a pending wakeup to the next wait")
    func cancelledBefore() async {
        wakeup.wake()
        await withDiscardingTaskGroup { group in
            group.cancelAll()
            group.addTask { #expect(await wakeup.next() == nil) }
        }
        #expect(await wakeup.next() != nil)
    }

    @Test("finishing ends the current wait and all later ones")
    func finishes() async {
        let wait = Task.immediate { await wakeup.next() }
        wakeup.finish()
        #expect(await wait.value == nil)
        wakeup.wake()
        #expect(await wakeup.next() == nil)
    }

    @Test("a wakeup before the end is returned first, and none after it")
    func wokenBeforeEnd() async {
        wakeup.wake()
        wakeup.finish()
        wakeup.wake()
        #expect(await wakeup.next() != nil)
        #expect(await wakeup.next() == nil)
    }

    @Test("a loop checks once per wakeup, and ends when finished")
    func loop() async {
        var looks = 0
        wakeup.wake()
        for await _ in wakeup {
            looks += 1
            if looks < 3 { wakeup.wake() } else { wakeup.finish() }
        }
        #expect(looks == 3)
    }

    @Test("a wait ends at its limit, and the next wait works as before")
    func limit() async throws {
        let hand = HandClock()
        let waiting = Task { await wakeup.next(atMost: .seconds(5), hand.clockwork) }
        try #require(await eventually { hand.sleepers == 1 })
        hand.pass(.seconds(5))
        await waiting.value
        wakeup.wake()
        #expect(await wakeup.next() != nil)
    }

    @Test("everything that threads add before a wakeup is found")
    func manyThreads() async {
        let (threads, times) = (8, 10_000)
        let left = Counter()
        let found = Task {
            var found = 0
            while found < threads * times {
                await wakeup.next()
                found += left.take()
            }
            return found
        }
        await withDiscardingTaskGroup { group in
            for _ in 0..<threads {
                group.addTask {
                    for _ in 0..<times {
                        left.add()
                        wakeup.wake()
                    }
                }
            }
        }
        #expect(await found.value == threads * times)
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}
