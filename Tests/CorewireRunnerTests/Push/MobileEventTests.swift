import Foundation
import Support
import Testing
import WireConfig

@Suite("'corewire push mobile-event'")
struct MobileEventTests {
    private static let event = ["push", "mobile-event"]

    // MARK: The platform built in

    private static let embedded = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: { flow: password, username: ada, password: wonder }
        backends:
          issuer:
            users:
              ada: { password: wonder, claims: { matching: '{"db_id":1,"matching":"email","email":"ada@example.com"}' } }
        push:
          providers: [apns]
          registrars: { crm: { type: altcraft, url: "https://pxl.example.com" } }
        api: {}

        """

    @Test("the platform accepts an event, and a rejection is printed with its message")
    func taken() async throws {
        let runner = try await RunningRunner(Self.embedded)
        #expect(
            try await eventually { try runner.corewire(["push", "status", "crm"]).output.contains(" registered ") }
        )
        let run = try runner.corewire(
            Self.event + ["purchase", "--sid", "17", "--data", "total=9.5", "--profile", "visits=3"]
        )
        #expect(run.status == 0 && run.output == "queued for crm\n", "\(run.everything)")
        #expect(try await eventually { try Self.told(runner, "push.mobileEventTold").count == 1 })
        // Its payload from standard input, and the registrar by its name.
        let second = try runner.corewire(
            Self.event + ["opened", "crm", "--sid", "17", "--data", "-", "--format", "json"],
            input: Data(#"{"list":[1,{"a":null}]}"#.utf8)
        )
        #expect(second.status == 0 && second.output.contains(#""name": "crm""#), "\(second.everything)")
        #expect(try await eventually { try Self.told(runner, "push.mobileEventTold").count == 2 })
        let long = String(repeating: "x", count: 256)
        #expect(try runner.corewire(Self.event + [long, "--sid", "17"]).status == 0)
        #expect(try await eventually { try Self.told(runner, "push.failed").count == 1 })
        let reason = try Self.told(runner, "push.failed").first?["reason"]?.string ?? ""
        #expect(reason.contains("400") && reason.contains("wn: the name of the event"), "\(reason)")
        #expect(try await runner.stop() == 0)
    }

    private static func told(_ runner: RunningRunner, _ name: String) throws -> [JSONValue] {
        try runner.corewire(["events", "--name", name, "--format", "json"]).output.split(separator: "\n").compactMap {
            try JSONValue(parsing: Array($0.utf8), named: "event")["data"]
        }
    }

    // MARK: What is sent

    private static func file(_ server: RecordingServer) -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: prod
        environments: { prod: { baseUrl: "\(server.url)" } }
        allow: { secret-in-clear: "a test" }
        network: {}
        background: { retry: { min: 100ms, max: 1s } }
        push:
          providers: [apns]
          tokens: { apns: { value: "\(String(repeating: "ab", count: 32))" } }
          registrars:
            crm: { type: altcraft, url: "\(server.url)/crm", rToken: role, needs: [] }
            ups: { type: unifiedPush, url: "\(server.url)/ups", variantId: v-1, variantSecret: hush, needs: [] }
        api: {}

        """
    }

    private static func server() throws -> RecordingServer {
        try RecordingServer { _, _ in RecordingServer.answer(#"{"error":0,"error_text":""}"#) }
    }

    @Test("every option is sent as the platform's SDKs do")
    func sent() async throws {
        let server = try Self.server()
        let runner = try await RunningRunner(Self.file(server))
        let options = [
            "--sid", "17/ x", "--data", "total=9.5", "--data", "paid=true", "--data", "note=\"7\"", "--data",
            "word=a=b",
            "--data", "total=10", "--client-id", "web-1", "--push", "m-1", "--profile", "visits=3", "--profile",
            "name=Ada", "--utm", "campaign=spring", "--utm", "content=c", "--utm", "keyword=5", "--utm", "medium=mail",
            "--utm", "source=news", "--utm", "temp=t",
        ]
        let run = try runner.corewire(Self.event + ["Bestellung \u{fc}", "crm"] + options)
        #expect(run.status == 0 && run.output == "queued for crm\n", "\(run.everything)")
        let target = "/crm/event/post?i=17%2F%20x&tr=px&t=open&v=2"
        #expect(await eventually { server.requests(for: target).count == 1 }, "\(server.asked)")
        let form = try #require(server.requests(for: target).first)
        #expect(form.hasPrefix("POST ") && form.contains("Content-Type: multipart/form-data; boundary="))
        let texts = [
            "wn": "Bestellung \u{fc}", "aci": "web-1", "cn": "spring", "cc": "c", "ck": "5", "cm": "mail", "cs": "news",
            "ct": "t",
        ]
        for (name, text) in texts { #expect(form.contains("name=\"\(name)\"\r\n\r\n\(text)\r\n"), "\(name): \(form)") }
        let values = [
            "wd": #"{"paid":true,"note":"7","word":"a=b","total":10}"#, "mi": #""m-1""#,
            "pf": #"{"visits":3,"name":"Ada"}"#,
        ]
        for (name, json) in values {
            let part = "name=\"\(name)\"\r\nContent-Type: application/json\r\n\r\n\(json)\r\n"
            #expect(form.contains(part), "\(name): \(form)")
        }
        #expect(try await runner.stop() == 0)
    }

    // MARK: What is refused

    private static let refused: [(arguments: [String], input: String?, status: Int32, message: String)] = [
        ([], nil, 64, "missing <name>"),
        (["x"], nil, 64, "missing --sid, the pixel id of the event"),
        (["x", "--sid", "1"], nil, 64, "missing registrar; expected 'crm' or 'ups'"),
        (["x", "crm", "--sid", "1", "--data", "total"], nil, 64, "--data takes 'name=…', not 'total'"),
        (["x", "crm", "--sid", "1", "--data", "=1"], nil, 64, "--data takes 'name=…', not '=1'"),
        (["x", "crm", "--sid", "1", "--data", "-", "--data", "a=1"], "{}", 64, "--data takes 'name=…', not '-'"),
        (["x", "crm", "--sid", "1", "--data", "-"], "{", 64, "standard input is not JSON"),
        (["x", "crm", "--sid", "1", "--data", "-"], "", 64, "standard input is not JSON"),
        (["x", "crm", "--sid", "1", "--sid", "2"], nil, 64, "--sid is given twice"),
        (["x", "crm", "--sid", ""], nil, 1, "'sid': expected the id of a pixel"),
        (["a\nb", "crm", "--sid", "1"], nil, 1, "'name': expected text without control characters"),
        (["x", "crm", "--sid", "1", "--utm", "source=a\u{1b}b"], nil, 1, "'utm': expected text without control"),
        (["x", "crm", "--sid", "1", "--utm", "campain=a"], nil, 64, "campain"),
        (["x", "crn", "--sid", "1"], nil, 1, "unknown registrar 'crn', did you mean 'crm'?"),
        (["x", "ups", "--sid", "1"], nil, 1, "'ups' has the type 'unifiedPush', which does not support this"),
    ]

    @Test("an invalid event is rejected with help, and is never sent")
    func refused() async throws {
        let server = try Self.server()
        let runner = try await RunningRunner(Self.file(server))
        for (arguments, input, status, message) in Self.refused {
            let run = try runner.corewire(Self.event + arguments, input: input.map { Data($0.utf8) })
            #expect(run.status == status && run.output.isEmpty, "\(arguments): \(run.everything)")
            #expect(run.errors.contains(message), "\(arguments): \(run.everything)")
        }
        let huge = Data("{\"a\":\"\(String(repeating: "x", count: 300_000))\"}".utf8)
        let run = try runner.corewire(Self.event + ["x", "crm", "--sid", "1", "--data", "-"], input: huge)
        #expect(run.status == 74 && run.errors.contains("cannot read standard input"), "\(run.everything)")
        #expect(run.errors.contains("200KiB"), "\(run.everything)")
        // What is sent after them has come, and they have not.
        #expect(try runner.corewire(Self.event + ["last", "crm", "--sid", "1"]).status == 0)
        func events() -> [String] { server.requests.filter { $0.hasPrefix("POST /crm/event/post") } }
        #expect(await eventually { !events().isEmpty })
        #expect(events().count == 1 && events()[0].contains("\r\n\r\nlast\r\n"), "\(events())")
        #expect(try await runner.stop() == 0)
    }
}
