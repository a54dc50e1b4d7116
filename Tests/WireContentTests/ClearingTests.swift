import Support
import Testing
import WireBase
import WireConfig
import WireContent
import WireContentContract
import WireService
import WireStore

@Suite("Content is cleared")
struct ContentClearingTests {
    private static let section = "modules: { news: { name: News } }\nauthenticated: true"

    private static func clear(_ shop: Workshop, _ scope: ClearingScope) async throws -> [String: Int] {
        let run = Task { try await shop.service.run() }
        defer { run.cancel() }
        #expect(await eventually { !shop.clearings.all.isEmpty })
        let stores = Stores(shop.sqlite)
        var told: [[Cleared]] = []
        for isDryRun in [true, false] {
            let eraser = Eraser(stores, isDryRun: isDryRun)
            let answers = await shop.clearings.clear(scope, with: eraser, shop.clock.clockwork)
            told.append(answers.flatMap { $0.removed ?? [] })
        }
        #expect(told[0] == told[1], "a dry run tells the same")
        return Dictionary(uniqueKeysWithValues: told[1].map { ($0.what, $0.count) })
    }

    @Test("copies and answers of people go, and those for everybody stay")
    func user() async throws {
        let shop = try await Workshop(Self.section)
        shop.server.say("POST instance/sync", #"{"syncTimestamp":1000,"created":[{"id":"a"}]}"#)
        shop.server.say("POST instance/search", #"{"items":[{"id":"canary-1"}],"pagination":{"page":1}}"#)
        var free = ContentQuery()
        free.instanceIDs = ["canary-1"]
        for name in [nil, "ada"] as [String?] {
            shop.presence.signIn(name)
            _ = try await shop.service.sync()
            _ = try await shop.service.search(free)
        }
        shop.requests.goOffline()
        #expect(try await shop.ids(free) == ["canary-1"])
        let told = try await Self.clear(shop, .user)
        #expect(told["copies of modules"] == 1 && told["search results"] == 1)
        await #expect(throws: ContentFailure.self) { try await shop.ids(free) }
        await #expect(throws: ContentFailure.self) { try await shop.ids(query()) }
        shop.presence.signIn(nil)
        #expect(try await shop.ids(free) == ["canary-1"])
        #expect(try await shop.ids(query()) == ["a"])
        #expect(try await Self.clear(shop, .all)["copies of modules"] == 1)
        await #expect(throws: ContentFailure.self) { try await shop.ids(query()) }
    }
}
