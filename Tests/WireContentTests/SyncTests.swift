import Dispatch
import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireContent
import WireContentContract
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireStore
import WireWorkContract

/// Copies of modules, and how they are kept up to date.
@Suite("Content sync")
struct SyncTests {
    private static let first =
        #"{"syncTimestamp":1000,"created":[{"id":"a","values":{"n":1}},{"id":"b","values":{"n":2}}],"updated":[],"deleted":[]}"#
    private static let second =
        #"{"syncTimestamp":2000,"created":[{"id":"c","values":{"n":3}}],"updated":[{"id":"a","values":{"n":9}}],"deleted":[{"id":"b"}]}"#
    private static let third = #"{"syncTimestamp":3000}"#

    @Test("the first sync accepts the server's cache, and fetches the remaining changes at once")
    func firstSync() async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.second, Self.third])
        let record = try #require(try await shop.service.sync("news").first?.sync)
        let asked = shop.server.asked("POST instance/sync")
        #expect(asked.map { $0.fields["to-cache"] } == ["86400", nil])
        #expect(asked.map { $0.json["fromSync"]?.integer } == [nil, 1000])
        #expect(asked[0].json.text() == #"{"moduleName":"News"}"#)
        #expect(record.created == 3)
        #expect(record.updated == 1)
        #expect(record.deleted == 1)
        #expect(record.items == 2)
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "c"])
        #expect(shop.eventNames == ["content.synced"])

        _ = try await shop.service.sync()
        #expect(shop.server.asked("POST instance/sync").map { $0.json["fromSync"]?.integer } == [nil, 1000, 2000])
    }

    @Test("a sync that failed without a token runs when a token is available")
    func tokens() async throws {
        let shop = try await Workshop(
            "authenticated: true\nmodules: { news: { name: News }, shops: { name: Shops }, old: { name: Old } }"
        )
        let life = Task { try await shop.service.run() }
        shop.requests.fail(CallFailure(.noToken(.unavailable), "There is no token now.", wasNotSent: true))
        await #expect(throws: Fault.self) { try await shop.schedules.run("content.news") }
        shop.requests.goOffline()
        await #expect(throws: Fault.self) { try await shop.schedules.run("content.shops") }
        let told = await eventually {
            shop.tokens.recover()
            return shop.schedules.wanted.contains("content.news")
        }
        // Neither what failed for something else nor what has not failed.
        #expect(told && Set(shop.schedules.wanted) == ["content.news"], "\(shop.schedules.wanted)")
        life.cancel()
        _ = await life.result
    }

    @Test("a copy survives a restart, and continues from its timestamp")
    func restart() async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.second, Self.third])
        _ = try await shop.service.sync()
        let next = try await Workshop(before: shop)
        next.requests.goOffline()
        #expect(next.service.memory == .bytes(0))
        #expect(try await next.ids(query(where: "n = 9")) == ["a"])
        #expect(next.service.memory > .bytes(0), "what was read once is in memory")
        next.requests.goOnline()
        _ = try await next.service.sync()
        #expect(shop.server.asked("POST instance/sync").last?.json["fromSync"]?.integer == 2000)
    }

    @Test(
        "another language, name or id uses another copy",
        arguments: [
            "modules: { news: { name: News, locale: en-US } }", "modules: { news: { name: Other } }",
            "modules: { news: { id: 571fb2ff } }",
        ]
    )
    func otherCopy(section: String) async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.third])
        _ = try await shop.service.sync()
        let next = try await Workshop(section, before: shop)
        await #expect(throws: ContentFailure.self) {
            try await next.service.search(query(), policy: .returnLocalDataDontLoad)
        }
        shop.server.say("POST instance/sync", inTurn: [#"{"syncTimestamp":5,"created":[{"id":"z"}]}"#, Self.third])
        _ = try await next.service.sync()
        #expect(shop.server.asked("POST instance/sync").dropFirst(2).first?.json["fromSync"] == nil)
        #expect(try await next.ids(query(), policy: .returnLocalDataDontLoad) == ["z"])
    }

    @Test("another server uses another copy")
    func otherServer() async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.third])
        _ = try await shop.service.sync()
        let next = try await Workshop(before: shop, at: ScriptedServer.start())
        let failure = await #expect(throws: ContentFailure.self) {
            try await next.ids(query(), policy: .returnLocalDataDontLoad)
        }
        #expect(failure?.kind == .notStored)
        next.server.say("POST instance/sync", inTurn: [#"{"syncTimestamp":5,"created":[{"id":"z"}]}"#, Self.third])
        _ = try await next.service.sync()
        #expect(try await next.ids(query(), policy: .returnLocalDataDontLoad) == ["z"])
    }

    @Test("a write that fails at any point keeps the former copy, and the next sync continues", arguments: 0..<4)
    func torn(writes: Int) async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.third])
        _ = try await shop.service.sync()
        shop.server.say("POST instance/sync", Self.second)
        shop.store.allow(writes)
        let outcome = try #require(try await shop.service.sync().first)
        let isDone = outcome.isDone
        // As after a kill: nothing in memory, and the store as it is.
        let next = try await Workshop(before: shop)
        let found = try await next.ids(query(), policy: .returnLocalDataDontLoad)
        // A part is written, and then the head that names it.
        #expect(isDone == (writes > 1))
        #expect(found == (isDone ? ["a", "c"] : ["a", "b"]))
        _ = try await next.service.sync()
        #expect(try await next.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "c"])
        let names = try next.sqlite.namespaces().filter { $0.hasSuffix("/news") }
        let keys = try next.sqlite.list(names[0], prefix: "part-", after: nil, limit: 100).map(\.key)
        let head = try #require(try next.sqlite.entry("head", in: names[0]))
        let named = try #require(JSONValue(parsing: head.bytes, named: "head")["parts"]?.array)
        #expect(keys.sorted() == named.compactMap { $0["key"]?.string }.sorted())
    }

    @Test("a damaged copy is loaded again")
    func damaged() async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.third, Self.first, Self.third])
        _ = try await shop.service.sync()
        let scope = try #require(try shop.sqlite.namespaces().first { $0.hasSuffix("/news") })
        let part = try #require(try shop.sqlite.list(scope, prefix: "part-", after: nil, limit: 1).first?.key)
        _ = try await shop.sqlite.put(NewValue(Array("[{".utf8), type: ""), under: part, in: scope, if: .always)
        let next = try await Workshop(before: shop)
        // Where it cannot be removed, the server is not even asked.
        next.store.allow(0)
        let outcome = try #require(try await next.service.sync().first)
        let failure = outcome.failure
        #expect(failure?.kind == .store && failure?.reason == "the disk is full")
        #expect(shop.server.asked("POST instance/sync").count == 2)
        next.store.allow(nil)
        _ = try await next.service.sync()
        #expect(try await next.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "b"])
    }

    @Test("small changes are compacted, and the sync log is limited")
    func compaction() async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.third])
        _ = try await shop.service.sync()
        let scope = try #require(try shop.sqlite.namespaces().first { $0.hasSuffix("/news") })
        for number in 1...52 {
            shop.server.say(
                "POST instance/sync",
                #"{"syncTimestamp":\#(4000 + number),"updated":[{"id":"a","values":{"n":\#(number)}}]}"#
            )
            _ = try await shop.service.sync()
            let parts = try shop.sqlite.list(scope, prefix: "part-", after: nil, limit: 100).count
            #expect(parts == 1 + number % 32)
        }
        #expect(try await shop.service.copies().first?.log.count == 50)
        let next = try await Workshop(before: shop)
        #expect(try await next.ids(query(where: "n = 52"), policy: .returnLocalDataDontLoad) == ["a"])
    }

    @Test("server variants of timestamps, ids and lists are understood")
    func quirks() async throws {
        let shop = try await Workshop()
        shop.server.say(
            "POST instance/sync",
            inTurn: [
                #"{"syncTimestamp":"1970-01-01T00:00:01Z","created":[{"id":"a"},{"name":"nobody"},7],"updated":null}"#,
                #"{"syncTimestamp":"2500","deleted":["a"],"created":[{"id":"x","values":{"big":123456789012345678901234567890}}]}"#,
            ]
        )
        let record = try #require(try await shop.service.sync().first?.sync)
        #expect(record.unusable == 2)
        #expect(shop.server.asked("POST instance/sync").last?.json["fromSync"]?.integer == 1000)
        let answer = try await shop.service.search(query(), policy: .returnLocalDataDontLoad)
        // What the server wrote is given on as it was.
        #expect(answer.text.contains("123456789012345678901234567890"))
    }

    @Test(
        "an invalid response fails the sync, and changes nothing",
        arguments: [
            "", "[]", "<html>", #"{"created":[]}"#, #"{"syncTimestamp":1,"created":{}}"#, #"{"syncTimestamp":{}}"#,
            String(repeating: "[", count: 100_000),
        ]
    )
    func malformed(text: String) async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.third, text])
        _ = try await shop.service.sync()
        let outcome = try #require(try await shop.service.sync().first)
        let failure = outcome.failure
        #expect(failure?.kind == .malformed)
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "b"])
        #expect(try await shop.service.copies().first?.log.map(\.isDone) == [false, true])
        #expect(shop.eventNames == ["content.synced", "content.failed"])
    }

    @Test("a repeated failure is reported with its place, until it is resolved")
    func health() async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", 500, "{}")
        for _ in 0..<3 { _ = try await shop.service.sync() }
        #expect(
            shop.told.all == [
                "degraded: the module 'news' cannot be synced, 3 times in a row: the content server responded with status 500 Internal Server Error [file.yaml:4:8]"
            ]
        )
        shop.server.say("POST instance/sync", Self.third)
        _ = try await shop.service.sync()
        #expect(shop.told.all.last == "well")
    }

    @Test("an unknown module is reported at once")
    func refused() async throws {
        let shop = try await Workshop()
        _ = try await shop.service.sync()
        #expect(shop.told.all.count == 1)
        #expect(shop.told.all[0].contains("404 Not Found: nothing there"))
    }

    @Test("a missing network is not reported as a failure")
    func offline() async throws {
        let shop = try await Workshop()
        shop.requests.goOffline()
        for _ in 0..<5 { _ = try await shop.service.sync() }
        #expect(shop.told.all == [])
    }

    @Test("a module over the limit is not stored, and the limit is named")
    func tooLarge() async throws {
        let shop = try await Workshop("modules: { news: { name: News } }\nmaxModuleSize: 1MiB")
        let items = (0..<30).map { #"{"id":"\#($0)","values":{"t":"\#(String(repeating: "x", count: 30_000))"}}"# }
        shop.server.say(
            "POST instance/sync",
            inTurn: [
                #"{"syncTimestamp":1,"created":[\#(items.joined(separator: ","))]}"#,
                #"{"syncTimestamp":2,"created":[\#(items.joined(separator: ",").replacing(#""id":""#, with: #""id":"z"#))]}"#,
            ]
        )
        let outcome = try #require(try await shop.service.sync().first)
        #expect(outcome.failure?.kind == .tooLarge)
        #expect(outcome.failure?.origin?.path == "content.maxModuleSize")
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad).count == 30)
    }

    @Test("a request during a sync gets data from after the request")
    func meanwhile() async throws {
        let shop = try await Workshop()
        let (reached, go) = (OneShot(), DispatchSemaphore(value: 0))
        shop.server.say("POST instance/sync") { asked in
            switch asked.json["fromSync"]?.integer {
            case nil: return .json(200, Self.first)
            case 1_000:
                reached.fire()
                go.wait()
                return .json(200, #"{"syncTimestamp":1500}"#)
            default: return .json(200, Self.second)
            }
        }
        let one = Task { try await shop.service.sync() }
        await reached.wait()
        let other = Task.immediate { try await shop.service.sync() }
        for _ in 0..<100 { await Task.yield() }
        go.signal()
        #expect(try await other.value.first?.sync?.to == 2_000)
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "c"])
        _ = try await one.value
    }

    @Test("a sync across a sign-in belongs to the user who was signed in")
    func changeOfHands() async throws {
        let shop = try await Workshop("authenticated: true\nmodules: { news: { name: News } }")
        shop.presence.signIn("ada")
        shop.server.say("POST instance/sync") { asked in
            guard asked.json["fromSync"] == nil else { return .json(200, #"{"syncTimestamp":1500}"#) }
            shop.presence.signIn("bea")
            return .json(200, Self.first)
        }
        #expect(try await shop.service.sync().first?.sync?.items == 2)
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "b"])
        shop.presence.signIn("ada")
        #expect(try await shop.service.copies().map(\.items) == [nil])
    }

    @Test("concurrent callers share one sync")
    func together() async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.second, Self.third])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await shop.service.sync() } }
            try await group.waitForAll()
        }
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "c"])
        #expect(shop.server.asked("POST instance/sync").filter { $0.json["fromSync"] == nil }.count == 1)
    }

    @Test("modules are synced on schedule, when the network returns, and after a change")
    func schedule() async throws {
        let shop = try await Workshop("modules: { news: { name: News }, shops: { id: s1, syncEvery: 15m } }")
        #expect(shop.schedules.tasks.map(\.name) == ["content.news", "content.shops"])
        #expect(shop.schedules.tasks.map(\.every) == [.seconds(3_600), .seconds(900)])
        #expect(shop.schedules.tasks.allSatisfy { $0.constraints == .network && $0.runsAtStart })
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.third])
        try await shop.schedules.run("content.news")
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "b"])
        shop.server.say("DELETE instance/a", 204, "")
        try await shop.service.remove("a")
        #expect(shop.schedules.wanted == ["content.news"])
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await shop.service.run() }
            shop.connectivity.say(false)
            shop.connectivity.say(true)
            while shop.schedules.wanted.count < 3 { await Task.yield() }
            group.cancelAll()
        }
        #expect(shop.schedules.wanted.dropFirst() == ["content.news", "content.shops"])
        await shop.service.stop()
        try await shop.schedules.run("content.news")
        shop.registrations.end()
        #expect(shop.schedules.tasks.isEmpty)
    }

    @Test(
        "a failed sync task reports the reason like the command, and the place of the server",
        arguments: [
            (500, "", "the content server responded with status 500 Internal Server Error"),
            (
                403, #"{"error":{"message":"no licence","extra":{"moduleName":"not yours","code":7}}}"#,
                "the content server responded with status 403 Forbidden: no licence (moduleName: not yours)"
            ),
            (404, "", "the content server responded with status 404 Not Found"),
            (
                200, "<html>",
                "the response of the content server is malformed: a value is expected here (line 1, column 1)"
            ),
        ]
    )
    func taskWords(status: Int, body: String, words: String) async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/sync", status, body)
        let fault = try #require(await #expect(throws: Fault.self) { try await shop.schedules.run("content.news") })
        #expect(fault.reason == words)
        #expect(fault.origin?.path == "content.url")
        let asked = try #require(try await shop.service.sync("news").first)
        let failure = try #require(asked.failure)
        #expect(failure.reason == fault.reason && failure.help == fault.help)
        // It is the copy's own failure as well, until a sync goes well.
        #expect(try await shop.service.copies("news").first?.failure == words)
        shop.requests.goOffline()
        let offline = await #expect(throws: Fault.self) { try await shop.schedules.run("content.news") }
        #expect(offline?.reason == "there is no network")
    }

    @Test("copies are separate per user")
    func users() async throws {
        let section = "modules: { news: { name: News } }\nauthenticated: true"
        let shop = try await Workshop(section)
        shop.presence.signIn("ada")
        shop.server.say("POST instance/sync", inTurn: [Self.first, Self.third])
        _ = try await shop.service.sync()
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "b"])
        shop.presence.signIn("grace")
        await #expect(throws: ContentFailure.self) {
            try await shop.service.search(query(), policy: .returnLocalDataDontLoad)
        }
        shop.presence.signIn("ada")
        #expect(try await shop.ids(query(), policy: .returnLocalDataDontLoad) == ["a", "b"])
    }
}
