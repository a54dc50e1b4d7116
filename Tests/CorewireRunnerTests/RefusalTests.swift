import Foundation
import Support
import Testing

@Suite("Failures say what is wrong and what to do", .timeLimit(.minutes(2)))
struct RefusalTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: {}
        notifications: {}
        push:
          registrars:
            ups: { type: unifiedPush, url: /ups, variantId: v, variantSecret: s }
        allow: { secret-in-clear: "this secret exists in a test alone" }
        content:
          modules: { news: { name: News } }
        backends: { listen: 127.0.0.1:0 }
        api: { socket: auto }

        """

    @Test("a failure about a setting that the file does not contain names the line of its section")
    func unset() async throws {
        let runner = try await RunningRunner(Self.file)
        let run = try runner.corewire(["content", "search", "--module", "news"])
        #expect(
            run.errors.hasPrefix("error: no user is signed in\n")
                && run.errors.contains("com.example.tasks.yaml:11:1 (content.url)"),
            "\(run.everything)"
        )
        let sort = try runner.corewire(["content", "search", "--module", "news", "--sort", "nme"])
        #expect(sort.errors.contains("'sort': found 'nme', expected 'name', "), "\(sort.everything)")
        #expect(sort.errors.contains("did you mean 'name'?"), "\(sort.everything)")
        #expect(try await runner.stop() == 0)
    }

    @Test("a fault of the embedded servers is listed and logged with its values")
    func fault() async throws {
        let runner = try await RunningRunner(Self.file)
        let run = try runner.corewire(["backends", "fault", "--status", "502", "--on", "/x", "--count", "2"])
        #expect(run.output.hasPrefix("id  fault       on  requests  ends\n"), "\(run.everything)")
        #expect(try runner.corewire(["backends", "clear"]).status == 0)
        let log = runner.log
        let id = try #require(run.output.split(separator: "\n").last?.split(separator: " ").first)
        #expect(
            log.contains(#""message":"fault started","fields":{"id":"\#(id)","kind":"status","on":"/x"}"#),
            "\(log)"
        )
        #expect(log.contains(#""message":"faults ended","fields":{"count":1}"#), "\(log)")
        #expect(try await runner.stop() == 0)
    }

    @Test("a push of another server, and a result that no handler owes, are refused in full sentences")
    func strange() async throws {
        let runner = try await RunningRunner(Self.file)
        let push = try runner.corewire(["push", "event", "open"], input: Data(#"{"a":"b"}"#.utf8))
        #expect(push.status == 0 && push.output == "no registrar matches this push\n", "\(push.everything)")
        let late = try await runner.ask(
            "POST",
            "/v1/notifications/n1/results/demo",
            ["Content-Type: application/json", "X-Corewire: 1"],
            text: "{}"
        )
        let words = "the handler 'demo' is not handling 'n1': it has already replied, or timed out"
        #expect(late.status == 409 && late.text.contains(words), "\(late.text)")
        #expect(try await runner.stop() == 0)
    }

    @Test("a push through an embedded server needs an environment that has one")
    func via() async throws {
        let file = """
            version: 1
            app: { id: com.example.tasks }
            notifications: {}
            api: { socket: auto }

            """
        let runner = try await RunningRunner(file)
        let run = try runner.corewire(["notifications", "send", "--via", "ups", "Hello"])
        let words = "error: --via needs an environment with 'backend: embedded'\n"
        #expect(run.status == 1 && run.errors == words, "\(run.everything)")
        #expect(try await runner.stop() == 0)
    }

    @Test("a push names an unknown server, and the recipients that no device has")
    func recipients() async throws {
        let runner = try await RunningRunner(Self.file)
        let unknown = try runner.corewire(["notifications", "send", "--via", "nope", "Hello"])
        #expect(unknown.errors.hasPrefix("error: --via: found 'nope', expected 'altcraft', "), "\(unknown.everything)")
        let none = try runner.corewire(["notifications", "send", "--via", "ups", "--alias", "ada", "Hello"])
        let words = "sent to no device: no enabled device with the alias 'ada' is registered\n"
        #expect(none.status == 0 && none.output == words, "\(none.everything)")
        let servers = try runner.corewire(["backends", "push"]).output
        #expect(servers.hasSuffix("\n\n0 pushes to devices: 0 delivered, 0 waiting\n"), "\(servers)")
        #expect(try await runner.stop() == 0)
    }

    @Test("a path of a section that the file lacks is refused with the section")
    func absentSection() async throws {
        let runner = try await RunningRunner(Self.file)
        let run = try runner.corewire(["addons", "list"])
        let help = "  = help: add the section 'addons' to the services file\n"
        #expect(run.status == 1 && run.errors == "error: the services file has no section 'addons'\n\(help)")
        let answer = try await runner.ask("GET", "/v1/state/drafts/x")
        #expect(answer.status == 404 && answer.text.contains("no section 'persistence'"), "\(answer.text)")
        let other = try await runner.ask("GET", "/v1/push/nothing")
        #expect(other.status == 404 && !other.text.contains("no section"), "\(other.text)")
        #expect(try await runner.stop() == 0)
        // A section would not help: the environment decides.
        let bare = try await RunningRunner("version: 1\napp: { id: com.example.tasks }\npersistence: {}\n")
        let servers = try await bare.ask("GET", "/v1/backends")
        #expect(servers.status == 404 && servers.text.contains("backend: embedded"), "\(servers.text)")
        #expect(try await bare.stop() == 0)
    }

    @Test("an empty id and empty input are named")
    func empty() async throws {
        let runner = try await RunningRunner(Self.file)
        let id = try runner.corewire(["sync", "queue", "show", ""])
        #expect(id.status == 64 && id.errors.hasPrefix("error: <id> is empty\n"), "\(id.everything)")
        let fault = try runner.corewire(["backends", "fault"])
        #expect(
            fault.status == 64 && fault.errors.hasPrefix("error: expected <kind>, --status, "),
            "\(fault.everything)"
        )
        let key = try runner.corewire(["state", "get", "drafts", ""])
        #expect(key.status == 64 && key.errors.hasPrefix("error: <key> is empty\n"), "\(key.everything)")
        let pin = try runner.corewire(["auth", "unlock"])
        #expect(pin.status == 1 && pin.errors == "error: the input is empty\n", "\(pin.everything)")
        #expect(try await runner.stop() == 0)
    }
}
