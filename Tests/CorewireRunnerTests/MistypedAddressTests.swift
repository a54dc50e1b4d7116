import Foundation
import Support
import Testing

@Suite("Mistyped URLs")
struct MistypedAddressTests {
    @Test(
        "a mistyped URL is rejected at start, so that no secret reaches the server of the base URL",
        arguments: ["https//push.example.com", "push.example.com", "htps://push.example.com", "http:/push.example.com"]
    )
    func refused(url: String) async throws {
        let home = try RunnerHome()
        try home.write(
            """
            version: 1
            app: { id: com.example.tasks }
            baseUrl: http://127.0.0.1:9
            push:
              providers: [apns]
              tokens: { apns: { value: "an-apns-token" } }
              registrars:
                ups: { type: unifiedPush, url: "\(url)", variantId: "1", variantSecret: "${env:UPS_SECRET}" }

            """
        )
        let validated = try home.corewire("validate-config")
        #expect(
            validated.status == 1 && validated.output.contains("error[CW0210]: push.registrars.ups.url"),
            "\(validated.everything)"
        )
        let run = try home.corewire("run")
        #expect(run.status == 78, "\(run.everything)")
        #expect(run.everything.contains("mobile-services.yaml:8:37"), "\(run.everything)")
        #expect(run.everything.contains("did you mean"), "\(run.everything)")
    }

    @Test(
        "a mistyped URL is rejected on the command line, and its query is not shown",
        arguments: [
            "https//files.example.com/x?token=canary", "files.example.com/x?token=canary", "htps://h/x?token=canary",
        ]
    )
    func given(address: String) async throws {
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            baseUrl: http://127.0.0.1:9
            background: { downloads: { directory: files, hosts: [127.0.0.1] } }
            network: {}
            api: {}

            """
        )
        for command in [["downloads", "add", address], ["outbox", "post", address, "{}"]] {
            let run = try Program.corewire(command, environment: ["COREWIRE_SOCKET": runner.socket])
            #expect(run.status != 0, "\(command) \(run.everything)")
            #expect(run.everything.contains("did you mean https://"), "\(command) \(run.everything)")
            #expect(!run.everything.contains("canary"), "\(command) \(run.everything)")
        }
        let path = String(address.prefix { $0 != "?" })
        let run = try Program.corewire(["request", path], environment: ["COREWIRE_SOCKET": runner.socket])
        #expect(run.status == 64, "\(run.everything)")
    }
}
