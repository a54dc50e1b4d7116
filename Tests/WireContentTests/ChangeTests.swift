import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireContent
import WireContentContract
import WireHTTP
import WireNetworkContract

/// Modules, and changes at the server.
@Suite("Content modules and changes")
struct ChangeTests {
    private static let modules = #"[{"id":"m1","name":"News","isSingle":false},{"id":"m2","name":"Shops"}]"#

    @Test("modules are returned as sent by the server, by pages or all at once")
    func modules() async throws {
        let shop = try await Workshop()
        shop.server.say("GET module", Self.modules)
        shop.server.say("GET module/m1", #"{"id":"m1" , "name":"News"}"#)
        let page = try await shop.service.modules(.init(page: 2, limit: 5), withFields: true)
        #expect(page.json["items"]?.text() == Self.modules)
        _ = try await shop.service.modules(.init(isSkipped: true))
        #expect(shop.server.asked("GET module").map(\.query) == ["?page=2&limit=5&withFields=true", "?skip=true"])
        // By the name of the file, and that of the server; looked up once.
        #expect(try await shop.service.module("news").string == #"{"id":"m1" , "name":"News"}"#)
        #expect(try await shop.service.module("News").string == #"{"id":"m1" , "name":"News"}"#)
        #expect(shop.server.asked("GET module").count == 3)
        // By what the server calls it.
        shop.server.say("GET module/m2", #"{"id":"m2"}"#)
        #expect(try await shop.service.module("m2").string == #"{"id":"m2"}"#)
        do throws(ContentFailure) {
            _ = try await shop.service.module("Newz")
            Issue.record("it was found")
        } catch {
            #expect(error.kind == .noSuchModule)
            #expect(error.reason == "unknown module 'Newz' at the content server, did you mean 'News'?")
        }
    }

    @Test("instances are created, changed and deleted by the API")
    func changes() async throws {
        let shop = try await Workshop()
        shop.server.say("GET module", Self.modules)
        shop.server.say("POST instance", 201, #"{"id":"i1","module":"m1"}"#)
        shop.server.say("PUT instance/i1", 204, "")
        shop.server.say("DELETE instance/i1", #"{"id":"i1"}"#)
        var draft = ContentDraft(module: "news", name: "One", values: .members(["open": .boolean(true)]))
        #expect(try await shop.service.create(draft).string == #"{"id":"i1","module":"m1"}"#)
        #expect(shop.server.asked("POST instance")[0].body == #"{"module":"m1","name":"One","values":{"open":true}}"#)
        draft.id = "i1"
        #expect(try await shop.service.update("i1", draft).text.isEmpty)
        draft.id = "i2"
        let other = await #expect(throws: ContentFailure.self) { try await shop.service.update("i1", draft) }
        #expect(other?.kind == .invalid)
        #expect(
            shop.server.asked("PUT instance/i1").map(\.body)
                == [#"{"module":"m1","id":"i1","name":"One","values":{"open":true}}"#]
        )
        try await shop.service.remove("i1")
        #expect(shop.schedules.wanted == ["content.news"])
        shop.server.say("PUT instance/..%2Fx", 200, "{}")
        _ = try await shop.service.update("../x", ContentDraft(name: "y"))
        #expect(shop.server.asked("PUT instance/..%2Fx").count == 1)
    }

    @Test("a concurrent change is a conflict")
    func conflicts() async throws {
        let shop = try await Workshop()
        shop.server.say("PUT instance/i1", 409, #"{"error":{"message":"newer","extra":{}}}"#)
        do throws(ContentFailure) {
            _ = try await shop.service.update("i1", ContentDraft(name: "y"))
            Issue.record("it was changed")
        } catch {
            #expect(error.kind == .conflict)
            #expect(error.reason == "the content server responded with status 409 Conflict: newer")
        }
    }

    @Test("with an offline policy no change is sent, unless the caller overrides it")
    func held() async throws {
        let shop = try await Workshop()
        shop.server.say("DELETE instance/i1", 204, "")
        let local = OfflinePolicy.returnLocalDataDontLoad
        let draft = ContentDraft(module: "news", name: "y")
        var batch = ContentBatch()
        (batch.deleted, batch.policy) = (["i1"], local)
        let failures = [
            await #expect(throws: ContentFailure.self) { try await shop.service.create(draft, policy: local) },
            await #expect(throws: ContentFailure.self) { try await shop.service.update("i1", draft, policy: local) },
            await #expect(throws: ContentFailure.self) { try await shop.service.remove("i1", policy: local) },
            await #expect(throws: ContentFailure.self) { try await shop.service.batch(batch) },
        ]
        #expect(failures.allSatisfy { $0?.kind == .offline })
        shop.requests.offlinePolicy = local
        let usual = await #expect(throws: ContentFailure.self) { try await shop.service.remove("i1") }
        #expect(usual?.kind == .offline)
        #expect(shop.server.asked("DELETE instance/i1").isEmpty)
        try await shop.service.remove("i1", policy: OfflinePolicy.none)
        #expect(shop.server.asked("DELETE instance/i1").count == 1)
    }

    @Test("a batch returns a result for each change")
    func batch() async throws {
        let shop = try await Workshop()
        shop.server.say("GET module", Self.modules)
        shop.server.say(
            "POST instance/batch",
            #"{"operations":[{"operation":"created","position":0,"success":true,"data":{"id":"i1"}},{"operation":"updated","position":"x","success":false,"data":{"error":{"status":409,"message":"newer"},"instance":{"id":"i2"}}},{"operation":"deleted","position":0,"success":"false","data":{"error":{"status":"404"}}}]}"#
        )
        var batch = ContentBatch()
        batch.created = [ContentDraft(module: "news", name: "One")]
        batch.updated = [ContentDraft(id: "i2", name: "Two")]
        batch.createdOrUpdated = [ContentDraft(module: "Shops", id: "i4")]
        batch.deleted = ["i3"]
        batch.truncated = ["Shops"]
        let outcomes = try await shop.service.batch(batch).operations
        #expect(
            shop.server.asked("POST instance/batch")[0].body
                == #"{"created":[{"module":"m1","name":"One"}],"updated":[{"id":"i2","name":"Two"}],"createdOrUpdated":[{"module":"m2","id":"i4"}],"deleted":[{"id":"i3"}],"truncated":[{"module":"m2"}]}"#
        )
        #expect(outcomes.map(\.isDone) == [true, false, false])
        #expect(outcomes.map(\.isConflict) == [false, true, false])
        #expect(outcomes.map(\.status) == [nil, 409, 404])
        // Where the server says nothing of use, the place in its list counts.
        #expect(outcomes.map(\.position) == [0, 1, 0])
    }
}
