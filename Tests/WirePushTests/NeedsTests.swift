import Support
import Testing
import WireBase
import WireConfig
import WirePush
import WireService
import Workbench

@Suite("Registrars that need a user", .timeLimit(.minutes(2)))
struct PushNeedsTests {
    private static let token = String(repeating: "a1", count: 32)

    private static func file(_ registrar: String) -> String {
        """
        push:
          tokens: { apns: { file: apns } }
          registrars: { it: { \(registrar), needs: [user] } }

        """
    }

    private static let ups = file(
        "type: unifiedPush, url: https://push.example.com, variantId: v-1, variantSecret: secret-1"
    )
    private static let crm = file("type: altcraft, url: https://pxl.example.com, rToken: role-1")

    /// A user signs in, and out again.
    private static func visit(_ bench: PushBench) async throws {
        bench.allUsers.become("ada")
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        bench.allUsers.become(nil)
        try await bench.deliver()
        #expect(try await bench.stands("pending", for: "signIn"))
    }

    @Test("a registrar that needs a user registers after sign-in, and unregisters at sign-out")
    func needsUser() async throws {
        let bench = try await PushBench(Self.ups, sources: Sources(["apns": Self.token]))
        #expect(try await bench.stands("pending", for: "signIn"))
        #expect(bench.outbox.waiting.isEmpty)
        try await Self.visit(bench)
        bench.allUsers.become("bob")
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        // What waits when the user leaves is not sent afterwards.
        bench.allUsers.become(nil)
        try await bench.deliver()
        #expect(try await bench.stands("pending", for: "signIn"))
        bench.allUsers.become("ada")
        #expect(await eventually { bench.outbox.waiting.count == 1 })
        bench.allUsers.become(nil)
        #expect(try await bench.stands("pending", for: "signIn"))
        try await bench.outbox.deliver()
        #expect(bench.outbox.reasons.last == "no user is signed in")
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST", "DELETE"])
        await bench.end()
    }

    @Test("a subscription that needs a user is suspended at sign-out, and resumed at the next sign-in")
    func suspended() async throws {
        let bench = try await PushBench(Self.crm, sources: Sources(["apns": Self.token]))
        #expect(try await bench.stands("pending", for: "signIn"))
        try await Self.visit(bench)
        #expect(bench.server.asked.last?.body.contains(#""status":"suspended""#) == true)
        bench.allUsers.become("ada")
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        #expect(bench.server.asked.last?.address.contains("unsuspend") == true)
        #expect(bench.server.asked.count == 3)
        await bench.end()
    }
}
