import Foundation
import Support
import Testing
import WireConfig

/// AG-6, SC-6 and the push of AC: registered with Web Push, and BY-3: with no outside server.
@Suite("Embedded push servers deliver through the Web Push subscription of the device", .timeLimit(.minutes(2)))
struct EmbeddedSenderTests {
    private struct Listed: Decodable {
        struct Item: Decodable {
            let title: String?
            let body: String?
        }

        let notifications: [Item]
    }

    private static func file(_ registrar: String) -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: { policy: authentication }
        backends:
          listen: 127.0.0.1:0
          issuer:
            users: { ada: { password: wonder, claims: { matching: '{"db_id":1,"matching":"email","email":"ada@example.com"}' } } }
        push: { providers: [webPush, firebase], registrars: { one: { \(registrar) } } }
        notifications: { permission: granted, handlers: { show: { on: presentable, present: [list] } } }
        api: { socket: auto }
        """
    }

    @Test(
        arguments: [
            "type: unifiedPush, url: https://push.example.com, variantId: tasks, variantSecret: known",
            "type: healthCloud, path: mako/notifications, apiKey: known",
            "type: altcraft, url: https://pxl.example.com, jwt: auth, webPushProvider: browsers",
        ]
    )
    func delivered(registrar: String) async throws {
        let runner = try await RunningRunner(Self.file(registrar))
        try await runner.signIn(as: "ada", "wonder")
        func send(_ arguments: String...) throws -> Run {
            try runner.corewire(["notifications", "send", "--via", "one", "--format", "json"] + arguments)
        }
        let isRegistered = try await eventually {
            try await runner.ask("GET", "/v1/push").text.contains(#""state":"registered""#)
        }
        #expect(isRegistered)
        let sent = try send("Ward", "Bed 4 is free", "--data", "bed=4")
        #expect(sent.status == 0 && sent.output.contains("\"devices\": 1"), "\(sent.everything)")
        func listed() throws -> [Listed.Item] {
            let run = try runner.corewire(["notifications", "list", "--format", "json"])
            return try JSONDecoder().decode(Listed.self, from: Data(run.output.utf8)).notifications
        }
        #expect(try await eventually { try !listed().isEmpty })
        let items = try listed()
        #expect(items.map(\.title) == ["Ward"] && items.map(\.body) == ["Bed 4 is free"], "\(items)")
        // Nothing went through the queue of APNs, Firebase and Huawei.
        let push = try JSONValue(parsing: try await runner.ask("GET", "/v1/backends/push").body, named: "push")
        #expect(push["carried"]?.integer == 0 && push["waiting"]?.integer == 0, "\(push.text())")
        try await runner.stop()
    }
}
