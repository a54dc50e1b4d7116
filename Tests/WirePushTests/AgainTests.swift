import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WirePush
import WireService
import Workbench

@Suite("Repeated push requests", .timeLimit(.minutes(2)))
struct PushAgainTests {
    private static let token = String(repeating: "a1", count: 32)

    private static func ups(_ more: String = "", host: String = "push") -> String {
        """
        push:
          tokens: { apns: { file: apns } }
          registrars:
            it: { type: unifiedPush, url: "https://\(host).example.com", variantId: v-1, variantSecret: s-1\(more) }

        """
    }

    private func bench(_ file: String, after former: PushBench? = nil, until held: OneShot? = nil) async throws
        -> PushBench
    {
        try await PushBench(
            file,
            in: former?.bench.folder,
            sources: Sources(["apns": Self.token], until: held),
            server: former?.server ?? ScriptedServer(),
            outbox: former?.outbox
        )
    }

    @Test("a rejected request is repeated once at start, and not by unrelated changes")
    func refused() async throws {
        let first = try await bench(Self.ups())
        first.server.answer(403)
        try await first.deliver()
        #expect(try await first.stands("refused"))
        for _ in 0..<3 {
            let asked = first.sources.asked.count
            first.service.refreshTokens()
            #expect(await eventually { first.sources.asked.count > asked })
            #expect(try await first.stands("refused"))
        }
        #expect(first.outbox.waiting.isEmpty && first.server.asked.count == 1)
        await first.end()
        let later = try await bench(Self.ups(), after: first)
        try await later.deliver()
        #expect(try await later.stands("registered"))
        #expect(later.server.asked.count == 2)
        await later.end()
    }

    private static let rest = """
        push:
          tokens: { apns: { file: apns } }
          registrars:
            it:
              type: rest
              url: https://push.example.com/devices
              register: { body: "{{ token }}" }
              unregister: { method: DELETE, path: "{{ token }}" }

        """

    @Test(
        "a request that waits across a restart is sent only after its token is known again",
        arguments: [ups(), rest]
    )
    func early(file: String) async throws {
        let first = try await bench(file)
        try await first.deliver()
        #expect(try await first.stands("registered"))
        _ = try await first.ask(.post, "/v1/push/registrars/it/unsubscribe")
        #expect(await eventually { first.outbox.waiting.count == 1 })
        await first.end()
        let isLooked = OneShot()
        let later = try await bench(file, after: first, until: isLooked)
        let waits = try await eventually {
            try await later.outbox.deliver()
            return later.outbox.reasons.last == "the token is not known yet"
        }
        #expect(waits, "found \(later.outbox.reasons)")
        #expect(later.server.asked.count == 1)
        isLooked.fire()
        try await later.deliver()
        #expect(try await later.stands("unregistered"))
        let asked = try #require(later.server.asked.last)
        #expect(asked.method == "DELETE" && asked.address.hasSuffix("/\(Self.token)"), "found \(asked)")
        await later.end()
    }

    @Test("a changed registration is updated without a former token; another server gets a new one")
    func file() async throws {
        let first = try await bench(Self.ups())
        try await first.deliver()
        #expect(try await first.stands("registered"))
        let since = try await first.registrar()["since"]?.integer
        await first.end()
        first.bench.clock.pass(.seconds(5))
        let changed = try await bench(Self.ups(", categories: [news]"), after: first)
        try await changed.deliver()
        #expect(try await changed.stands("registered"))
        #expect(changed.server.asked.count == 2)
        let asked = try #require(changed.server.asked.last)
        #expect(asked.body.contains(#""categories":["news"]"#) && asked.fields["x-ag-old-token"] == nil)
        // It was known there without a break.
        #expect(try await changed.registrar()["since"]?.integer == since)
        await changed.end()
        let moved = try await bench(Self.ups(host: "other"), after: changed)
        try await moved.deliver()
        #expect(try await moved.stands("registered"))
        #expect(moved.server.asked.last?.address == "https://other.example.com/rest/registry/device")
        #expect(moved.server.asked.last?.fields["x-ag-old-token"] == nil)
        await moved.end()
        let same = try await bench(Self.ups(host: "other"), after: moved)
        #expect(try await same.stands("registered"))
        #expect(same.outbox.waiting.isEmpty && same.server.asked.count == 3)
        await same.end()
    }

    @Test("a new token replaces the former one while a subscription is suspended, and it stays suspended")
    func suspended() async throws {
        let sources = Sources(["apns": Self.token])
        let bench = try await PushBench(
            """
            push:
              tokens: { apns: { file: apns } }
              registrars: { it: { type: altcraft, url: https://pxl.example.com, rToken: role-1 } }

            """,
            sources: sources
        )
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        #expect(try await bench.ask(.post, "/v1/push/registrars/it/suspend").status == 202)
        try await bench.deliver()
        #expect(try await bench.stands("suspended"))
        sources.become("apns", String(repeating: "b2", count: 32))
        bench.service.refreshTokens()
        try await bench.deliver()
        #expect(bench.server.asked.last?.address.contains("/update/") == true)
        #expect(bench.server.asked.last?.body.contains(Self.token) == true)
        #expect(try await bench.stands("suspended"))
        #expect(try await bench.registrar()["token"]?.string == "…b2b2")
        #expect(bench.outbox.waiting.isEmpty)
        await bench.end()
    }

    @Test("a token source is read once per check for all servers")
    func shared() async throws {
        let sources = Sources(["apns": Self.token])
        let registrars = (0..<20).map {
            "    r\($0): { type: unifiedPush, url: \"https://push.example.com/\($0)\", variantId: v-1, variantSecret: s-1 }"
        }
        let bench = try await PushBench(
            "push:\n  tokens: { apns: { file: apns } }\n  registrars:\n\(registrars.joined(separator: "\n"))\n",
            sources: sources
        )
        #expect(await eventually { bench.outbox.waiting.count == 20 })
        // Each look is asked for by something; twenty registrations are no twenty thousand questions.
        #expect(sources.asked.count < 60, "\(sources.asked.count)")
        await bench.end()
    }
}
