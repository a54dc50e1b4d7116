import CorewireCatalogue
import Testing
import WireBackends
import WireBase
import WireConfig
import WireEmbedded
import WireRuntime

@Suite("Implied sections")
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
        #expect(validation.result.problems.messages.isEmpty)
        let judged = try #require(validation.environment(environment))
        let document = try #require(validation.file).document
        return Plan(judged, catalogue: Shipped.catalogue, services: Shipped.services, document: document)
    }

    @Test("an embedded environment implies the section 'backends', and auth starts after it")
    func implied() throws {
        let plan = try plan(Self.file, "dev")
        #expect(plan.step("auth")?.uses == ["backends"])
        let (auth, backends) = (try #require(plan.step("auth")), try #require(plan.step("backends")))
        #expect(auth.depth > backends.depth)
    }

    @Test("an environment with real servers implies none")
    func remote() throws {
        let plan = try plan(Self.file, "prod")
        #expect(plan.step("backends") == nil)
        #expect(plan.step("auth")?.uses == [])
    }

    @Test("a file without environments implies it too, and a written section is unchanged")
    func written() throws {
        let alone = "version: 1\napp: { id: com.example.tasks }\nbackend: embedded\n"
        #expect(try plan(alone, nil).step("backends") != nil)
        let text = alone + "backends: { issuer: { users: { ada: {} } } }\n"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        let settings = validation.environment(nil)?.configuration[BackendsSection.self]
        #expect(settings?.issuer.users.items.map(\.name) == ["ada"])
    }

    @Test("the security service starts first, even if it uses later services")
    func guarded() throws {
        let text =
            "version: 1\napp: { id: com.example.tasks }\nbackend: embedded\nsecurity: { metrics: true }\n"
            + "metrics: { url: \"https://metrics.example.com/metrics\" }\n"
        let plan = try plan(text, nil)
        #expect(plan.problems.isEmpty)
        #expect(plan.steps.first?.name == "security")
        #expect(plan.step("metrics")?.uses.contains("security") == true)
    }

    @Test("an implied section is in the effective file, at the line that implies it")
    func effective() throws {
        let validation = Validation(bytes: Array(Self.file.utf8), name: "file.yaml")
        let judged = try #require(validation.environment("dev"))
        let document = try #require(validation.file).document
        let effective = EffectiveFile(judged, of: document, catalogue: Shipped.catalogue, secrets: [])
        #expect(YAMLWriter.text(of: effective.literal).contains("backends: {}"))
        let setting = try #require(effective.settings.first { $0.path == "backends" })
        #expect(document.place(setting.node).start.line == 5)
    }

    @Test(
        "the local API exists unless the file disables it",
        arguments: [
            ("", true), ("api:\n", true), ("api: true\n", true), ("api: {}\n", true), ("api: false\n", false),
        ]
    )
    func localAPI(section: String, isThere: Bool) throws {
        let text = "version: 1\napp: { id: com.example.tasks }\npersistence: {}\n" + section
        #expect(try plan(text, nil).step("api").map { _ in true } ?? false == isThere)
    }

    @Test("an environment disables and enables the local API")
    func localAPIByEnvironment() throws {
        let text = """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments:
              dev: { baseUrl: "https://dev.example.com", api: false }
              prod: { baseUrl: "https://api.example.com", api: true }
              test: { extends: dev, api: { socket: ./test.sock } }
            persistence: {}
            """
        let there = try ["dev", "prod", "test"].map { try plan(text, $0).step("api") != nil }
        #expect(there == [false, true, true])
    }

    @Test("no other value disables the local API", arguments: ["api: 7420", "api: [off]", "api: \"false\""])
    func misspeltAPI(section: String) {
        let text = "version: 1\napp: { id: com.example.tasks }\n\(section)\n"
        let problems = Validation(bytes: Array(text.utf8), name: "file.yaml").result.problems.messages
        #expect(problems.count == 1 && problems[0].contains("api"), "\(problems)")
    }

    @Test("without 'api' in the file a missing listener is tolerated; with 'api' it fails the start")
    func optional() throws {
        func isRequired(_ section: String) throws -> Bool {
            let text = "version: 1\napp: { id: com.example.tasks }\n" + section
            let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
            return try #require(validation.environment(nil)).configuration.isRequired("api")
        }
        #expect(try !isRequired(""))
        #expect(try isRequired("api: {}\n"))
    }
}
