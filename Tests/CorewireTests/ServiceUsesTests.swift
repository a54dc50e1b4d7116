import Corewire
import CorewireCatalogue
import Testing
import WireConfig
import WireEmbedded
import WireRuntime
import WireService

@Suite("What services use of each other", .timeLimit(.minutes(3)))
struct ServiceUsesTests {
    private static let services = Shipped.services(embedded: BackendsService.self)

    /// With all that a section offers only by some of its settings.
    private static let sections: [String: String] = [
        "backends": "{ listen: 127.0.0.1:0 }",
        "background": "{ downloads: { directory: downloads } }",
        "metrics": "{ url: https://metrics.example.com/metrics }",
        "notifications": "{ permission: granted }",
        "push":
            "{ registrars: { ups: { type: unifiedPush, url: https://push.example.com, variantId: a, variantSecret: b } } }",
        "sync": "{ url: graphql }",
    ]

    private static var file: String {
        Self.services.map { $0.section }
            .filter { $0 != "api" }.map { "\($0): \(sections[$0] ?? "{}")\n" }.joined()
    }

    private static func judged(_ sections: String) throws -> Judge.Judged {
        let text = "version: 1\napp: { id: com.example.tasks }\nbackend: embedded\napi: {}\n\(sections)"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        #expect(!validation.judgement.problems.hasErrors, "\(validation.judgement.problems.messages)")
        return try #require(validation.environment(nil))
    }

    @Test(
        "what a service uses is offered by the section of another one",
        arguments: Self.services.map { $0.section }
    )
    func used(_ section: String) throws {
        let judged = try Self.judged(Self.file)
        let service = try #require(Self.services.first { $0.section == section })
        for provision in service.provisionsUsed(by: judged.configuration) {
            let others = judged.offers[provision, default: []].filter { $0 != section }
            #expect(!others.isEmpty, "\(section) uses \(provision), which no section offers")
        }
    }

    @Test(
        "a service uses what its section has other sections written for",
        arguments: Self.services.map { $0.section }
    )
    func asked(_ section: String) throws {
        let judged = try Self.judged(Self.file)
        let service = try #require(Self.services.first { $0.section == section })
        let used = Set(service.provisionsUsed(by: judged.configuration).map(\.kind))
        #expect(Shipped.catalogue[section]?.asks.subtracting(used) == [])
    }

    @Test("a service offers what its section says, so that those who use it start after it")
    func offered() async throws {
        let judged = try Self.judged(Self.file)
        let program = try await EmbeddedProgram(sections: Self.file)
        var count = 0
        for service in Self.services {
            for ability in program.corewire.runner.find(service)?.abilities ?? [] {
                count += 1
                #expect(
                    judged.offers[ability.provision]?.contains(service.section) == true,
                    "\(service.section) does not say that it offers \(ability.provision)"
                )
            }
        }
        #expect(count > 15)
        await program.stop()
    }
}

extension Service {
    fileprivate static var section: String { Settings.name }
}
