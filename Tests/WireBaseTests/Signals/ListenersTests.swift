import Testing
import WireBase

@Suite("Listeners", .timeLimit(.minutes(1)))
struct ListenersTests {
    private let listeners = Subscribers<Int>()

    @Test("every listener gets a value")
    func tellsAll() async {
        let streams = (0..<10).map { _ in listeners.listen() }
        listeners.notify(7)
        for stream in streams { #expect(await first(of: stream) == 7) }
    }

    @Test("a busy listener gets the latest value")
    func newest() async {
        let stream = listeners.listen(beginningWith: 1)
        listeners.notify(2)
        listeners.notify(3)
        #expect(await first(of: stream) == 3)
    }

    @Test("a value sent while the current one is read is not lost")
    func toldMeanwhile() async {
        func present() -> Int {
            listeners.notify(2)
            return 1
        }
        #expect(await first(of: listeners.listen(beginningWith: present())) == 2)
    }

    @Test("a cancelled listener gets no more values, the others do")
    func cancelled() async {
        let stream = listeners.listen()
        let other = Task.immediate { for await _ in listeners.listen() {} }
        other.cancel()
        await other.value
        listeners.notify(1)
        #expect(await first(of: stream) == 1)
    }

    @Test("values are delivered while waiting listeners are cancelled")
    func cancelledMeanwhile() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<5_000 {
                        let listener = Task { for await _ in listeners.listen(beginningWith: 0) {} }
                        await Task.yield()
                        listener.cancel()
                        await listener.value
                    }
                }
                group.addTask {
                    for value in 0..<50_000 {
                        listeners.notify(value)
                        if value.isMultiple(of: 8) { await Task.yield() }
                    }
                }
            }
        }
        listeners.finish()
        #expect(await all(of: listeners.listen(beginningWith: 1)) == [1])
    }

    @Test("finishing ends all streams after their pending values, and later ones after the current value")
    func finishes() async {
        let (before, waiting) = (listeners.listen(), listeners.listen(beginningWith: 1))
        listeners.finish()
        #expect(await all(of: before) == [])
        #expect(await all(of: waiting) == [1])
        #expect(await all(of: listeners.listen(beginningWith: 2)) == [2])
        #expect(await all(of: listeners.listen()) == [])
    }

    @Test("the last value of many threads reaches every listener")
    func manyThreads() async {
        let threads = 8
        await withDiscardingTaskGroup { group in
            for _ in 0..<threads {
                let stream = listeners.listen()
                group.addTask { for await value in stream where value == -1 { return } }
            }
            await withDiscardingTaskGroup { tellers in
                for _ in 0..<threads { tellers.addTask { for value in 0..<10_000 { listeners.notify(value) } } }
            }
            listeners.notify(-1)
        }
    }

    private func first(of stream: AsyncStream<Int>) async -> Int? {
        for await value in stream { return value }
        return nil
    }

    private func all(of stream: AsyncStream<Int>) async -> [Int] {
        var values: [Int] = []
        for await value in stream { values.append(value) }
        return values
    }
}
