import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireSync
import Workbench

@Suite("Watched queries", .timeLimit(.minutes(2)))
struct WatchTests {
    /// An answer with an error at a path is never whole in the cache, and the time differs each time.
    private static func never() -> HandServer {
        HandServer { _, number in
            .members([
                "data": try? json(#"{"now":\#(number),"broken":null}"#),
                "errors": try? json(#"[{"message":"no","path":["broken"]}]"#),
            ])
        }
    }

    @Test("two watchers of a never complete result do not query in turns")
    func neverWhole() async throws {
        let bench = try await AskBench(server: Self.never())
        let heard = [HeardEvents(), HeardEvents()]
        let first = Task { try await bench.watch("{ now broken }", heard[0]) }
        #expect(await eventually { heard[0].all.count == 1 })
        // The second asks by itself; the first is told that answer, and asks no more.
        let second = Task { try await bench.watch("{ now broken }", heard[1], policy: "networkOnly") }
        #expect(await eventually { heard[0].all.count == 2 && heard[1].all.count == 1 })
        bench.bench.clock.pass(.seconds(600))
        for _ in 0..<200 { await Task.yield() }
        #expect(bench.server.count == 2)
        #expect(heard[0].all.last?.contains(#""now":2"#) == true)
        for task in [first, second] { task.cancel() }
        await bench.end()
    }

    @Test("a cached result is not delivered again: the server is queried")
    func latest() async throws {
        let tasks = Mutex([1])
        let bench = try await AskBench(
            server: HandServer { request, _ in
                let title = request["query"]?.string?.contains("title") == true ? #","title":"t""# : ""
                let items = tasks.withLock { $0 }.map { #"{"__typename":"Task","id":"\#($0)"\#(title)}"# }
                return HandServer.data("{\"tasks\":[\(items.joined(separator: ","))]}")
            }
        )
        _ = try await bench.query("{ tasks { id title } }")
        let heard = HeardEvents()
        let watch = Task { try await bench.watch("{ tasks { id title } }", heard) }
        #expect(await eventually { heard.all.count == 1 })
        _ = try await bench.query("{ tasks { id title } }")
        tasks.withLock { $0 = [1, 2] }
        _ = try await bench.query("{ tasks { id } }")
        #expect(await eventually { bench.server.count == 4 && heard.all.count == 2 })
        #expect(heard.all.last?.contains(#""id":"2""#) == true)
        watch.cancel()
        await bench.end()
    }

    @Test("a result from before a mutation is not delivered after it")
    func mutated() async throws {
        let bench = try await AskBench(server: Self.never())
        let heard = [HeardEvents(), HeardEvents()]
        let first = Task { try await bench.watch("{ now broken }", heard[0], policy: "cacheOnly") }
        let second = Task { try await bench.watch("{ now broken }", heard[1]) }
        #expect(await eventually { heard[1].all.count == 1 })
        _ = try await bench.ask(.post, "/v1/sync/mutate", #"{"query":"mutation { touch }"}"#)
        _ = try await bench.query("{ now }")
        #expect(await eventually { bench.server.count >= 4 && heard[1].all.count == 2 })
        for task in [first, second] { task.cancel() }
        await bench.end()
    }

    @Test("requests caused by changes are separated by a pause")
    func pause() async throws {
        let bench = try await AskBench(server: Self.never())
        let heard = HeardEvents()
        let watch = Task { try await bench.watch("{ now broken }", heard) }
        #expect(await eventually { heard.all.count == 1 })
        // Another query changes what the watched one has read: the watcher asks at once, and then not before its time.
        _ = try await bench.query("{ now }")
        #expect(await eventually { bench.server.count == 3 && heard.all.count == 2 })
        _ = try await bench.query("{ now }")
        #expect(await eventually { bench.bench.clock.wakes(in: .seconds(1)) })
        #expect(bench.server.count == 4)
        bench.bench.clock.pass(.seconds(1))
        #expect(await eventually { bench.server.count == 5 && heard.all.count == 3 })
        _ = try await bench.query("{ now }")
        #expect(await eventually { bench.bench.clock.wakes(in: .seconds(2)) })
        #expect(!bench.bench.clock.wakes(in: .milliseconds(1_900)))
        watch.cancel()
        await bench.end()
    }

    @Test("a change during a partial result is not missed: the server is queried once more")
    func changedMeanwhile() async throws {
        let place = Mutex<AskBench?>(nil)
        let server = HandServer { request, number in
            // Another query is answered and written before the first one.
            if number == 1 { _ = try? await place.withLock { $0 }?.query("{ now }") }
            let isWhole = request["query"]?.string?.contains("broken") == false
            return .members([
                "data": try? json(isWhole ? #"{"now":\#(number)}"# : #"{"now":\#(number),"broken":null}"#),
                "errors": isWhole ? nil : try? json(#"[{"message":"no","path":["broken"]}]"#),
            ])
        }
        let bench = try await AskBench(server: server)
        place.withLock { $0 = bench }
        let heard = HeardEvents()
        let watch = Task { try await bench.watch("{ now broken }", heard) }
        #expect(await eventually { heard.all.count == 2 })
        #expect(heard.all.last?.contains(#""now":3"#) == true)
        for _ in 0..<200 { await Task.yield() }
        #expect(server.count == 3)
        watch.cancel()
        place.withLock { $0 = nil }
        await bench.end()
    }

    @Test("the pause grows to a minute, and is reset by a complete result or a quiet time")
    func pauses() {
        var pause = FetchPause()
        var now = Duration.zero
        var waits: [Duration] = []
        for isWhole in [false, false, false, false, false, false, false, false, true, false] {
            pause.note(now, isWhole: isWhole)
            let until = pause.until ?? .zero
            waits.append(until - now)
            now = until
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 1, 2].map { .seconds($0) })
        pause.note(now + .seconds(100), isWhole: false)
        #expect(pause.until == now + .seconds(101))
    }

    @Test("a watch with a policy that caches nothing is rejected")
    func noCache() async throws {
        let bench = try await AskBench()
        let answer = try await bench.ask(.get, "/v1/sync/watch?query=%7Bnow%7D&policy=noCache")
        #expect(answer.status == 400)
        #expect(answer.json["detail"]?.string?.contains("'noCache'") == true)
        await bench.end()
    }
}

extension AskBench {
    func watch(_ text: String, _ heard: HeardEvents, policy: String = "cacheFirst") async throws {
        let query = text.utf8.map { "%" + Hexadecimal.text(of: [$0]) }.joined()
        _ = try await ask(.get, "/v1/sync/watch?query=\(query)&policy=\(policy)", to: heard)
    }
}
