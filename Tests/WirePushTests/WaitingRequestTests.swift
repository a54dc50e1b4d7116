import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WirePush
import WirePushContract
import WireWorkContract

@Suite("Queued push requests")
struct WaitingRequestTests {
    @Test("stored data has no token in clear, and queued requests have none")
    func sealed() async throws {
        let token = String(repeating: "a1", count: 32)
        let section = """
            push:
              tokens: { apns: { file: apns } }
              registrars:
                it: { type: unifiedPush, url: https://push.example.com, variantId: v-1, variantSecret: secret-1 }

            """
        let bench = try await PushBench(section, sources: Sources(["apns": token]))
        #expect(await eventually { bench.outbox.waiting.count == 1 })
        let request = try #require(bench.outbox.waiting.first)
        let text = "\(request.address) \(request.fields.all) \(request.body) \(request.note.text())"
        #expect(!text.contains(token) && !text.contains("Basic"))
        #expect(!request.storesResponse && request.needsDelegate)
        try await bench.deliver()
        await bench.end()
    }
}
