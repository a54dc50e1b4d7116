import Corewire
import CorewireCatalogue
import Support
import Testing
import WireEmbedded
import WireRuntime
import WireService

@Suite("Memory after services stop", .timeLimit(.minutes(3)))
struct LeakTests {
    /// A service that is not here begins with an empty section, so that a new one is looked at from its first day.
    private static let sections: [String: String] = [
        "auth": "{ scopes: [openid, offline_access], lock: { after: 1h, attempts: 3 } }",
        "background": "{ downloads: { directory: downloads }, tasks: { flush: { every: 1h, drain: true } } }",
        "backends":
            "{ listen: 127.0.0.1:0, content: { directory: content }, issuer: { users: { ada: { password: wonder } } } }",
        "content": "{ modules: { news: { name: News, syncEvery: 1h } } }",
        "metrics": "{ url: https://metrics.example.com/metrics, every: 1h }",
        "notifications":
            "{ permission: granted, sinks: [console], handlers: { show: { on: presentable, present: [banner] } } }",
        "push":
            "{ registrars: { ups: { type: unifiedPush, url: https://push.example.com, variantId: a, variantSecret: b } } }",
        "sync": "{ url: graphql }",
    ]

    private static let services = Shipped.services(embedded: BackendsService.self)

    private static var names: [String] { Self.services.map { $0.section }.filter { $0 != "api" } }

    private static func file(without removed: String? = nil) -> String {
        names.filter { $0 != removed }.map { "\($0): \(sections[$0] ?? "{}")\n" }.joined()
    }

    private static func program() async throws -> EmbeddedProgram {
        let changed = """
            module: News
            fields: { title: text }
            instances: { first: { name: First, values: { title: First } } }
            """
        let program = try await EmbeddedProgram(sections: file(), files: ["content/news.yaml": changed])
        let signIn = try await program.corewire.auth.signIn()
        guard case .open(let url) = signIn.step else { throw Person.Lost(text: "\(signIn.step)") }
        try await Person().comeBack(from: url)
        _ = try await signIn.user()
        return program
    }

    /// Where all that can run does, nothing is left out.
    private static func allRun(_ program: EmbeddedProgram) async -> Bool {
        await eventually { Self.services.allSatisfy { program.corewire.runner.find($0) != nil } }
    }

    private static func parts(of service: any Service.Type, _ runner: Runner) throws -> Parts {
        let present = runner.find(service)
        return Parts(of: try #require(present))
    }

    @Test("each service is created and released repeatedly without a leak")
    func renewed() async throws {
        let program = try await Self.program()
        let runner = program.corewire.runner
        #expect(await Self.allRun(program))
        // Two doors cannot be at one address.
        for service in Self.services where !service.traits.acceptsRequests {
            for turn in 1...100 {
                let parts = try Self.parts(of: service, runner)
                try #require(await runner.renew(service) == true, "\(service.section) is not made anew")
                try #require(
                    await eventually { parts.left.isEmpty },
                    "of \(service.section), made anew \(turn) times, there is still \(parts.left)"
                )
                try #require(await Self.allRun(program), "\(program.corewire.status.services)")
            }
        }
        await program.stop()
    }

    @Test("all services, and the runner, are released after a stop")
    func stopped() async throws {
        var program: EmbeddedProgram? = try await Self.program()
        let (all, runner) = try await Self.stop(try #require(program))
        #expect(await eventually { all.allSatisfy { $0.left.isEmpty } }, "there is still \(all.flatMap(\.left))")
        program = nil
        #expect(await eventually { runner() == nil })
    }

    private static func stop(_ program: EmbeddedProgram) async throws -> (parts: [Parts], runner: () -> Runner?) {
        #expect(await allRun(program))
        let runner = program.corewire.runner
        let all = try Self.services.map { try parts(of: $0, runner) }
        await program.stop()
        return (all, { [weak runner] in runner })
    }

    @Test("each removed service is released")
    func removed() async throws {
        let program = try await Self.program()
        let runner = program.corewire.runner
        var count = 0
        for service in Self.services {
            #expect(await Self.allRun(program))
            let parts = try Self.parts(of: service, runner)
            try program.write(sections: Self.file(without: service.section))
            // Others need some of them.
            if (try? await program.corewire.reload()) != nil, runner.find(service) == nil {
                count += 1
                try #require(
                    await eventually { parts.left.isEmpty },
                    "of \(service.section) there is still \(parts.left)"
                )
            }
            try program.write(sections: Self.file())
            try await program.corewire.reload()
        }
        #expect(count > 5)
        await program.stop()
    }
}

extension Service {
    fileprivate static var section: String { Settings.name }
}

/// The objects a service is made of, as far as they can be seen from it, without keeping them.
private struct Parts {
    private var held: [(name: String, object: () -> AnyObject?)] = []
    private var seen: Set<ObjectIdentifier> = []
    private let module: String

    init(of service: any Service) {
        module = "\(String(reflecting: type(of: service)).prefix { $0 != "." })."
        look(at: service)
        for ability in service.abilities {
            if let value = Mirror(reflecting: ability).descendant("offer", "value") { look(at: value) }
        }
    }

    /// What is of other modules is others' as well.
    private mutating func look(at value: Any) {
        let (name, mirror) = (String(reflecting: type(of: value)), Mirror(reflecting: value))
        guard ["(", "Swift.", module].contains(where: name.hasPrefix) else { return }
        if mirror.displayStyle == .class {
            let object = value as AnyObject
            guard seen.insert(ObjectIdentifier(object)).inserted else { return }
            held.append((name, { [weak object] in object }))
        }
        for child in mirror.children { look(at: child.value) }
    }

    /// What of them is still there.
    var left: [String] { held.compactMap { $0.object() == nil ? nil : $0.name } }
}
