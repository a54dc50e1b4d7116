import CorewireCatalogue
import Testing
import WireBackends
import WireBase
import WireConfig
import WireEmbedded
import WireRuntime

@Suite("The section that an environment implies")
struct ImpliedTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments:
          dev: { backend: embedded }
          prod: { baseUrl: "https://api.example.com", auth: { url: "https://sso.example.com", clientId: tasks } }
        auth: {}
        """

    private func plan(_ text: String, _ environment: String?) throws -> Plan {
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        #expect(validation.judgement.problems.messages.isEmpty)
        let judged = try #require(validation.environment(environment))
        let document = try #require(validation.file).document
        return Plan(judged, catalogue: Shipped.catalogue, services: Shipped.services, document: document)
    }

    @Test("an embedded environment has the built-in servers though nobody wrote them, and auth starts after them")
    func implied() throws {
        let plan = try plan(Self.file, "dev")
        #expect(plan.step("auth")?.uses == ["backends"])
        let (auth, backends) = (try #require(plan.step("auth")), try #require(plan.step("backends")))
        #expect(auth.depth > backends.depth)
    }

    @Test("an environment with servers of its own has none")
    func remote() throws {
        let plan = try plan(Self.file, "prod")
        #expect(plan.step("backends") == nil)
        #expect(plan.step("auth")?.uses == [])
    }

    @Test("a file without environments implies them as well, and a section that is written stays what it is")
    func written() throws {
        let alone = "version: 1\napp: { id: com.example.tasks }\nbackend: embedded\n"
        #expect(try plan(alone, nil).step("backends") != nil)
        let text = alone + "backends: { issuer: { users: { ada: {} } } }\n"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        let settings = validation.environment(nil)?.configuration[BackendsSection.self]
        #expect(settings?.issuer.users.items.map(\.name) == ["ada"])
    }

    @Test("who guards starts first, also where it asks for something that starts after it")
    func guarded() throws {
        let text =
            "version: 1\napp: { id: com.example.tasks }\nbackend: embedded\nsecurity: { metrics: true }\n"
            + "metrics: { url: \"https://metrics.example.com/metrics\" }\n"
        let plan = try plan(text, nil)
        #expect(plan.problems.isEmpty)
        #expect(plan.steps.first?.name == "security")
        #expect(plan.step("metrics")?.uses.contains("security") == true)
    }

    @Test("what is implied stands in the effective file, at the line that implies it")
    func effective() throws {
        let validation = Validation(bytes: Array(Self.file.utf8), name: "file.yaml")
        let judged = try #require(validation.environment("dev"))
        let document = try #require(validation.file).document
        let effective = EffectiveFile(judged, of: document, catalogue: Shipped.catalogue, secrets: [])
        #expect(YAMLWriter.text(of: effective.literal).contains("backends: {}"))
        let setting = try #require(effective.settings.first { $0.path == "backends" })
        #expect(document.place(setting.node).start.line == 5)
    }
}
