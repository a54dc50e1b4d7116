import Support
import Testing
import WireBase

@Suite("Signals", .timeLimit(.minutes(1)))
struct SignalTests {
    private let signal = ChangeSignal()

    @Test("a signal between a check and the wait is not missed")
    func betweenLookAndWait() async {
        let count = signal.count
        signal.signal()
        await signal.wait(after: count)
        #expect(signal.count == count + 1)
    }

    @Test("a wait after the current count lasts until the next signal")
    func waitsForTheNext() async {
        signal.signal()
        let ended = OneShot()
        await withDiscardingTaskGroup { group in
            group.addImmediateTask {
                await signal.wait(after: 1)
                ended.fire()
            }
            #expect(!ended.hasFired)
            signal.signal()
        }
        #expect(ended.hasFired)
    }

    @Test("one signal wakes all waiters")
    func wakesAll() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<100 { group.addImmediateTask { await signal.wait(after: 0) } }
            signal.signal()
        }
        #expect(signal.count == 1)
    }

    @Test("a cancelled wait ends, and the others continue")
    func cancelledWait() async {
        let cancelled = Task.immediate { await signal.wait(after: 0) }
        let ended = OneShot()
        await withDiscardingTaskGroup { group in
            group.addImmediateTask {
                await signal.wait(after: 0)
                ended.fire()
            }
            cancelled.cancel()
            await cancelled.value
            #expect(!ended.hasFired)
            signal.signal()
        }
    }

    @Test("a wait that begins cancelled ends")
    func beginsCancelled() async {
        await withDiscardingTaskGroup { group in
            group.cancelAll()
            group.addTask { await signal.wait(after: 0) }
        }
    }

    @Test("a wait ends at its limit, or earlier with the signal")
    func limit() async throws {
        let hand = HandClock()
        let waiting = Task { await signal.wait(after: 0, atMost: .seconds(5), hand.clockwork) }
        try #require(await eventually { hand.sleepers == 1 })
        hand.pass(.seconds(5))
        await waiting.value
        let other = Task { await signal.wait(after: 0, atMost: .seconds(5), hand.clockwork) }
        signal.signal()
        await other.value
    }

    @Test("no signal of many threads is lost")
    func manyThreads() async {
        let (threads, times) = (8, 30_000)
        for _ in 0..<threads {
            let hasStarted = SystemThread.start("signals") { [signal] in
                for _ in 0..<times { signal.signal() }
            }
            #expect(hasStarted)
        }
        var seen = 0
        while seen < threads * times {
            await signal.wait(after: seen)
            seen = signal.count
        }
        #expect(seen == threads * times)
    }
}
