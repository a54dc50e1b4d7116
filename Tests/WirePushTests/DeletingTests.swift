import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WirePushContract
import WireService
import Workbench

@Suite("Deleting push tokens", .timeLimit(.minutes(2)))
struct TokenDeletingTests {
    private static let token = String(repeating: "a1", count: 32)

    private static func section(_ tokens: String) -> String {
        """
        push:
          tokens: \(tokens)
          registrars:
            it: { type: unifiedPush, url: https://push.example.com, variantId: v-1, variantSecret: secret-1 }

        """
    }

    @Test("the program's code deletes a token; a failure reports its reason")
    func deletedByCode() async throws {
        let bench = try await PushBench(Self.section("{ apns: app }"))
        let failures: [(error: any Error, reason: String)] = [
            (Fault("the keychain is locked"), "the keychain is locked"),
            (Strange(), "the add-on failed"),
        ]
        for (error, reason) in failures {
            let ticket = bench.code.add("apns", .init(get: { Secret(Self.token) }, delete: { throw error }))
            let answer = try await bench.ask(.delete, "/v1/push/tokens/apns")
            #expect(answer.status == 409 && answer.json["detail"]?.string == reason)
            bench.code.remove(ticket)
        }
        let isDeleted = OneShot()
        _ = bench.code.add("apns", .init(get: { Secret(Self.token) }, delete: { isDeleted.fire() }))
        #expect(try await bench.ask(.delete, "/v1/push/tokens/apns").status == 202)
        #expect(isDeleted.hasFired)
        await bench.end()
    }

    @Test(
        "a token of another source is not deleted, and the error names its source",
        arguments: ["{ apns: { file: apns } }", "{ apns: { exec: { get: [/bin/true] } } }"]
    )
    func notDeleted(tokens: String) async throws {
        let bench = try await PushBench(Self.section(tokens))
        let answer = try await bench.ask(.delete, "/v1/push/tokens/apns")
        #expect(answer.status == 409)
        #expect(answer.json["config"]?["path"]?.string == "push.tokens.apns")
        await bench.end()
    }
}
