import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireSync
import Workbench

@Suite("Shared queries", .timeLimit(.minutes(2)))
struct SharedFetchTests {
    private static let text = "{ now }"

    @Test("equal queries share one request; a cancelled caller does not end it")
    func shared() async throws {
        let barrier = OneShot()
        let bench = try await AskBench(
            server: HandServer { _, number in
                await barrier.wait()
                return HandServer.data(#"{"now":\#(number)}"#)
            }
        )
        let asked = (0..<3).map { _ in Task { try await bench.query(Self.text).json["data"]?.text() } }
        #expect(await eventually { bench.service.waiting == 3 && bench.server.count == 1 })
        asked[0].cancel()
        #expect(await eventually { bench.service.waiting == 2 })
        barrier.fire()
        for task in asked.dropFirst() { #expect(try await task.value == #"{"now":1}"#) }
        #expect(bench.server.count == 1 && bench.server.cancelled == 0)
        await bench.end()
    }

    @Test("the last cancelled caller ends the request")
    func abandoned() async throws {
        let bench = try await AskBench(
            server: HandServer { _, _ in
                await OneShot().wait()
                return .null
            }
        )
        let asked = (0..<2).map { _ in Task { try await bench.query(Self.text) } }
        #expect(await eventually { bench.service.waiting == 2 && bench.server.count == 1 })
        for task in asked { task.cancel() }
        #expect(await eventually { bench.server.cancelled == 1 })
        await bench.end()
    }

    @Test("other variables, other rights, and queries after a mutation use separate requests")
    func apart() async throws {
        let barrier = OneShot()
        let bench = try await AskBench(
            server: HandServer { request, _ in
                if request["query"]?.string?.hasPrefix("query") == true { await barrier.wait() }
                return HandServer.data(#"{"now":1}"#)
            }
        )
        let limited = Rights(access: .admin, tokens: .none, account: "limited")
        var asked = [Task { try await bench.query("query { now }").status }]
        #expect(await eventually { bench.server.count == 1 })
        asked.append(Task { try await bench.query("query { now }", rights: limited).status })
        #expect(await eventually { bench.server.count == 2 })
        asked.append(Task { try await bench.query("query { now(zone: 1) }").status })
        #expect(await eventually { bench.server.count == 3 })
        _ = try await bench.ask(.post, "/v1/sync/mutate", #"{"query":"mutation { touch }"}"#)
        asked.append(Task { try await bench.query("query { now }").status })
        #expect(await eventually { bench.server.count == 5 })
        #expect(bench.server.calls.map(\.tokenRights) == [.all, .none, .all, .all, .all])
        barrier.fire()
        for task in asked { #expect(try await task.value == 200) }
        await bench.end()
    }

    @Test("a response requested before a clearing is not stored after it")
    func cleared() async throws {
        let barrier = OneShot()
        let bench = try await AskBench(
            server: HandServer { _, _ in
                await barrier.wait()
                return HandServer.data(#"{"now":1}"#)
            }
        )
        let asked = Task { try await bench.query(Self.text).status }
        #expect(await eventually { bench.server.count == 1 })
        #expect(try await bench.ask(.delete, "/v1/sync/cache").status == 200)
        barrier.fire()
        #expect(try await asked.value == 200)
        #expect(try await bench.query(Self.text, policy: "cacheOnly").status != 200)
        await bench.end()
    }

    @Test("mutations are never shared")
    func mutations() async throws {
        let barrier = OneShot()
        let bench = try await AskBench(
            server: HandServer { _, _ in
                await barrier.wait()
                return HandServer.data(#"{"touch":1}"#)
            }
        )
        let asked = (0..<2).map { _ in
            Task { try await bench.ask(.post, "/v1/sync/mutate", #"{"query":"mutation { touch }"}"#).status }
        }
        #expect(await eventually { bench.server.count == 2 })
        barrier.fire()
        for task in asked { #expect(try await task.value == 200) }
        await bench.end()
    }

    @Test("background refreshes run a few at a time, and a hanging one blocks no other")
    func renewals() async throws {
        let bench = try await AskBench(server: HandServer { _, _ in HandServer.data(#"{"a":1}"#) })
        for number in 0..<8 { _ = try await bench.query("{ a(n: \(number)) }") }
        let barrier = OneShot()
        bench.server.answer { request, _ in
            if request["query"]?.string?.contains("n:0") == true { await barrier.wait() }
            return HandServer.data(#"{"a":2}"#)
        }
        for number in 0..<8 { _ = try await bench.query("{ a(n: \(number)) }", policy: "cacheAndNetwork") }
        #expect(await eventually { bench.server.count == 16 })
        // Those that do not hang were answered and the workers are free again.
        let isRenewed = try await eventually {
            // A renewal that is not over yet is shared.
            _ = try await bench.query("{ a(n: 1) }", policy: "cacheAndNetwork")
            return bench.server.count > 16
        }
        #expect(isRenewed)
        barrier.fire()
        await bench.end()
    }
}
