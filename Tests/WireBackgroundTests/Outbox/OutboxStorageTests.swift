import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireStore
import WireWorkContract
import Workbench

@Suite("The stored format of the outbox")
struct OutboxStorageTests {
    private static let head = #"""
        {"version":1,"method":"PUT","address":"/things/1?x=y","fields":[["X-B","1"],["X-A","2"],["X-B","3"]],\#
        "authorization":"app","tokenModes":["app"],"tokenScopes":["a","b"],"idField":"X-Id","note":{"n":[1,null]},\#
        "needsClerk":true,"device":true,"forgetsAnswer":true,"attempts":7,"maxAge":90,"user":"ada"}
        """#

    private func add(_ head: String, to box: Postbox, service: String = "app") async throws {
        var work = NewWork(id: "r1", lane: "l", payload: Array("body".utf8))
        (work.kind, work.metadata) = (service, Array(head.utf8))
        try await box.bench.store.add(work, to: box.queue)
    }

    private final class Clerk: OutboxDelegate {}

    @Test("a stored request of every version is read and sent unchanged")
    func reads() async throws {
        let box = try await Postbox()
        box.outbox.register("push", Clerk(), in: Registrations())
        box.people.signIn("ada")
        box.servers.play { _, _ in .answer(200, [:], "secret") }
        try await add(Self.head, to: box, service: "push")
        #expect(await eventually { box.told("sent") == ["r1"] })
        let call = try #require(box.servers.sent.first).call
        #expect(call.method.name == "PUT")
        #expect(call.fields == ["X-B": "1", "X-A": "2", "X-B": "3", "X-Id": "r1"])
        #expect(call.authorization.rawValue == "app")
        #expect(call.tokenRights == TokenRights(modes: ["app"], scopes: ["a", "b"]))
        guard case .bytes(let body) = call.body else { throw Postbox.Missing() }
        #expect(body == Array("body".utf8))
        let entry = try await box.ask(.get, "/v1/outbox/r1").json
        #expect(entry["path"]?.string == "/things/1" && entry["answer"]?["text"] == nil)
        await box.stop()
    }

    @Test("a request waits at most as long as stored")
    func ages() async throws {
        let box = try await Postbox()
        box.network.set(online: false)
        try await add(#"{"version":1,"method":"PUT","address":"/x","maxAge":90}"#, to: box)
        try await box.pass(.seconds(91))
        box.network.set(online: true)
        #expect(await eventually { box.told("failed") + box.told("dropped") == ["r1"] })
        #expect(box.servers.sent.isEmpty)
        await box.stop()
    }

    @Test("a request is written exactly as it is read")
    func writes() async throws {
        let box = try await Postbox()
        box.network.set(online: false)
        box.people.signIn("ada")
        _ = try await box.post("r1")
        _ = try await box.post("r2") { request in
            (request.method, request.address, request.service) = (.put, "/things/1?x=y", "push")
            request.fields = ["X-B": "1", "X-A": "2", "X-B": "3"]
            (request.authorization, request.idField) = (.token(.user), "X-Id")
            request.tokenRights = TokenRights(modes: ["app"], scopes: ["a", "b"])
            request.note = .members(["n": .array([.integer(1), .null])])
            (request.needsDelegate, request.isOfDevice, request.storesResponse) = (true, true, false)
            (request.attempts, request.maxAge) = (7, .milliseconds(90_500))
        }
        let heads = try box.bench.store.list(box.queue, lane: nil, after: nil, limit: 9).map { item in
            String(decoding: try #require(item.metadata), as: UTF8.self)
        }
        #expect(
            heads == [
                #"{"version":1,"method":"POST","address":"/things/r1","idField":"Request-ID","user":"ada"}"#,
                Self.head.replacing(#""authorization":"app""#, with: #""authorization":"user""#),
            ]
        )
        await box.stop()
    }

    @Test("unreadable optional members count as absent, but an unreadable list of tokens allows none")
    func tolerates() async throws {
        let box = try await Postbox()
        let head = #"""
            {"version":1,"colour":"red","method":"PUT","address":"/x","fields":null,"authorization":7,"tokenModes":"all",\#
            "tokenScopes":null,"idField":7,"needsClerk":"x","attempts":"x","maxAge":1.5,"user":7}
            """#
        try await add(head, to: box)
        #expect(await eventually { box.told("sent") == ["r1"] })
        let call = try #require(box.servers.sent.first).call
        #expect(call.tokenRights == TokenRights(modes: [], scopes: []))
        #expect(call.fields == [:] && call.authorization.rawValue == "usual")
        await box.stop()
    }

    @Test("a request of a newer version waits for that version")
    func newer() async throws {
        let box = try await Postbox()
        try await add(#"{"version":2,"way":"new"}"#, to: box)
        #expect(await eventually { box.told("waiting") == ["r1"] })
        let entry = try await box.ask(.get, "/v1/outbox/r1").json
        #expect(entry["reason"]?.string == "a later version of this program wrote the request")
        #expect(entry["state"]?.string == "waiting" && entry["method"] == nil)
        await box.stop()
    }

    @Test(
        "a damaged request is not sent",
        arguments: [
            "{", "{}", "[]", #"{"method":"PUT","address":"/x"}"#, #"{"version":"2","method":"PUT","address":"/x"}"#,
            #"{"version":1,"method":"PUT"}"#, #"{"version":1,"method":7,"address":"/x"}"#,
            #"{"version":1,"method":"PUT","address":"/x","fields":[["X-A"]]}"#,
            #"{"version":1,"method":"PUT","address":"/x","fields":[["X-A",7]]}"#,
            #"{"version":1,"method":"PUT","address":"/x","authorization":"nobody"}"#,
        ]
    )
    func damaged(head: String) async throws {
        let box = try await Postbox()
        try await add(head, to: box)
        #expect(await eventually { box.told("failed") == ["r1"] })
        #expect(
            try await box.ask(.get, "/v1/outbox/r1").json["reason"]?.string == "the stored request is damaged"
        )
        #expect(box.servers.sent.isEmpty)
        await box.stop()
    }

    // MARK: Outcomes

    @Test("an outcome is written as it is read")
    func writesOutcomes() async throws {
        let box = try await Postbox()
        box.servers.play { _, _ in .answer(410, ["Content-Type": "text/plain"], "gone") }
        _ = try await box.post("r1") { $0.address = "/things/1?key=secret" }
        #expect(await eventually { box.told("failed") == ["r1"] })
        let ended = try #require(try box.bench.store.outcome(of: "r1", in: box.queue))
        #expect(
            String(decoding: ended.payload, as: UTF8.self) == #"""
                {"state":"failed","method":"POST","path":"/things/1","lane":"ada","service":"app","attempts":1,\#
                "posted":1772323199999,"status":410,"type":"text/plain","body":"Z29uZQ==",\#
                "reason":"the server responded with status 410 Gone"}
                """#
        )
        await box.stop()
    }

    @Test(
        "an outcome is read unchanged, and one without a state is 'dropped'",
        arguments: [
            (
                #"""
                {"state":"failed","method":"PUT","path":"/x","lane":"l","service":"app","attempts":3,"posted":5,\#
                "status":500,"type":"text/plain","body":"bm8=","cut":true,"reason":"no"}
                """#,
                #"""
                "state":"failed","method":"PUT","path":"/x","lane":"l","service":"app","posted":5,"attempts":3,\#
                "reason":"no","ended":1,"answer":{"status":500,"type":"text/plain","text":"no","cut":true}}
                """#
            ),
            (
                #"{"state":"sent","method":"","status":200,"body":"//4=","attempts":"x","posted":5,"later":[1]}"#,
                #""state":"sent","lane":"","service":"","posted":5,"attempts":0,"ended":1,"answer":{"status":200,"base64":"//4="}}"#
            ),
            (
                #"{"state":"sent","posted":5,"status":"200","body":"?"}"#,
                #""state":"sent","lane":"","service":"","posted":5,"attempts":0,"ended":1}"#
            ),
            (
                #"{"state":"lost","posted":5}"#,
                #""state":"dropped","lane":"","service":"","posted":1,"attempts":0,"ended":1}"#
            ),
            ("", #""state":"dropped","lane":"","service":"","posted":1,"attempts":0,"ended":1}"#),
        ]
    )
    func readsOutcomes(note: String, told: String) async throws {
        let box = try await Postbox(clock: HandClock(wall: 1))
        box.network.set(online: false)
        _ = try await box.post("r1")
        _ = try await box.bench.store.remove("r1", from: box.queue, leaving: WorkOutcome(Array(note.utf8)))
        #expect(try await box.ask(.get, "/v1/outbox/r1").json.text() == #"{"id":"r1","# + told)
        await box.stop()
    }
}
