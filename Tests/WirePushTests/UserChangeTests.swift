import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WirePush
import WireService
import WireSQLite
import WireStore
import Workbench

@Suite("Changing the user of a device", .timeLimit(.minutes(2)))
struct PushUserTests {
    private static let token = String(repeating: "a1", count: 32)

    private static let cloud = """
        push:
          tokens: { apns: { file: apns } }
          registrars: { it: { type: healthCloud, path: notifications, apiKey: key-1 } }

        """

    private static let crm = """
        push:
          tokens: { apns: { file: apns } }
          registrars: { it: { type: altcraft, url: https://pxl.example.com, jwt: { file: jwt } } }

        """

    private static func jwt(_ email: String) -> String {
        let payload = #"{"matching":{"db_id":1,"matching":"email_profile","email":"\#(email)"}}"#
        return "e30.\(Base64URL.text(of: Array(payload.utf8))).c2ln"
    }

    @Test("the former user's registration is ended before the current one starts")
    func ended() async throws {
        let bench = try await PushBench(Self.cloud, allUsers: People("ada"), sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        bench.allUsers.become(nil)
        bench.allUsers.become("bob")
        try await bench.deliver()
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        #expect(bench.server.asked[1].address == "notifications/cart-17")
        // Who comes back is registered anew, and the other one is ended; nothing is asked twice.
        bench.allUsers.become("ada")
        try await bench.deliver()
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST", "DELETE", "POST"])
        #expect(bench.outbox.waiting.isEmpty)
        await bench.end()
    }

    @Test("push data that cannot be read is an error, and nothing is removed")
    func unreadable() async throws {
        let bench = try await PushBench(Self.cloud, allUsers: People("ada"), sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        bench.values.fail("/tokens")
        #expect(try await bench.ask(.get, "/v1/push").status == 503)
        #expect(try await bench.ask(.post, "/v1/push/clear").status == 503)
        bench.values.fail("/registrations/")
        #expect(try await bench.ask(.post, "/v1/push/clear").status == 503)
        bench.values.fail(nil)
        bench.service.refreshTokens()
        #expect(try await bench.stands("registered"))
        #expect(bench.server.asked.map(\.method) == ["POST"])
        await bench.end()
    }

    @Test("damaged push tokens are removed like others; those of a later version are kept", arguments: [false, true])
    func damaged(isNewer: Bool) async throws {
        let bench = try await PushBench(Self.cloud, allUsers: People("ada"), sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        // From here on there is a record.
        #expect(try await bench.ask(.post, "/v1/push/clear").status == 200)
        let store = bench.bench.store
        let keys = try store.list("corewire/push", prefix: "", after: nil, limit: 100).map(\.key)
        let key = try #require(keys.first { $0.hasSuffix("/tokens") })
        let text = isNewer ? #"{"version":99}"# : "[]"
        let value = NewValue(Array(text.utf8), type: "application/json", isSealed: true)
        _ = try await store.put(value, under: key, in: "corewire/push", if: .always)
        #expect(try await bench.ask(.post, "/v1/push/clear").status == (isNewer ? 503 : 200))
        #expect(try await bench.ask(.get, "/v1/push").status == (isNewer ? 503 : 200))
        await bench.end()
    }

    @Test("a server that rejects the end is retried for a limited time, and blocks nothing", arguments: [403, 404])
    func refused(status: Int) async throws {
        let bench = try await PushBench(Self.cloud, allUsers: People("ada"), sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        bench.server.answer(status)
        bench.allUsers.become("bob")
        try await bench.deliver()
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        bench.service.refreshTokens()
        #expect(try await bench.stands("registered"))
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        await bench.end()
    }

    @Test("at Altcraft the current profile's subscription replaces the former one")
    func replaced() async throws {
        let sources = Sources(["apns": Self.token, "jwt": Self.jwt("a@b")])
        let bench = try await PushBench(Self.crm, sources: sources)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        for email in ["c@d", "a@b"] {
            sources.become("jwt", Self.jwt(email))
            bench.service.refreshTokens()
            try await bench.deliver()
            #expect(try await bench.stands("registered"))
        }
        #expect(bench.server.asked.map { $0.body.contains(#""replace":true"#) } == [false, true, true])
        #expect(bench.server.asked.allSatisfy { $0.address.contains("subscription/push/subscribe") })
        await bench.end()
    }

    @Test("clearing ends registrations at the server if reachable, and removes all local data")
    func cleared() async throws {
        let bench = try await PushBench(Self.cloud, allUsers: People("ada"), sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let told = try await bench.bench.clear(.user)
        #expect(told["push registrations of users"] == 1 && told["registrations ended at their servers"] == 1)
        #expect(told["registrations that servers still have"] == 0)
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE"])
        // Whoever is still signed in is not registered again by itself, and nothing is there to be ended.
        #expect(try await bench.stands("pending", for: "removed"))
        #expect(try await bench.bench.clear(.user)["push registrations of users"] == 0)
        bench.allUsers.become("bob")
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        #expect(bench.outbox.waiting.isEmpty)
        await bench.end()
    }
}
