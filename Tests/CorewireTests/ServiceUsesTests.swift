import Corewire
import CorewireCatalogue
import Foundation
import Support
import Testing
import WireConfig
import WireEmbedded
import WireRuntime
import WireService

@Suite("Declared uses between services", .timeLimit(.minutes(3)))
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

    /// Every section, with the settings that are named here and no others.
    private static func file(_ settings: [String: String]) -> String {
        services.map { $0.section }.filter { $0 != "api" }.map { "\($0): \(settings[$0] ?? "{}")\n" }.joined()
    }

    private static let head = "version: 1\napp: { id: com.example.tasks }\nbackend: embedded\napi: {}\n"

    /// Files in which services stand with different settings, each in one of its environments.
    private static func forms() throws -> [(name: String, validated: FileValidator.ValidatedEnvironment)] {
        let needed = sections.filter { ["metrics", "push", "sync"].contains($0.key) }
        let written = [("all settings", file(sections)), ("few settings", file(needed))].map { name, text in
            Validation(bytes: Array("\(head)\(text)".utf8), name: name)
        }
        let files = Repository.files(below: "configs", ending: ".yaml").filter { path in
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            return ["configs", "configs/examples"].contains(folder)
        }
        let read = try files.map { try Validation(path: Repository.root.appendingPathComponent($0).path) }
        return try (written + read).flatMap { validation in
            let problems = validation.result.problems
            #expect(!problems.hasErrors, "\(validation.name): \(problems.messages)")
            let names: [String?] = validation.environments.isEmpty ? [nil] : validation.environments
            return try names.map { name in
                let validated = try #require(validation.environment(name))
                return (name: "\(validation.name) in \(name ?? "no environment")", validated: validated)
            }
        }
    }

    @Test("a capability that a service uses in any file is offered by another section")
    func used() throws {
        let forms = try Self.forms()
        var offers: [Provision: Set<String>] = [:]
        for (provision, sections) in forms.flatMap({ $0.validated.offers }) {
            offers[provision, default: []].formUnion(sections)
        }
        var seen: [String: Int] = [:]
        for (name, validated) in forms {
            for service in Self.services where service.isDeclared(in: validated.configuration) {
                seen[service.section, default: 0] += 1
                for provision in service.provisionsUsed(by: validated.configuration) {
                    let others = offers[provision, default: []].subtracting([service.section])
                    #expect(!others.isEmpty, "\(service.section) uses \(provision), which no section offers: \(name)")
                }
            }
        }
        let rare = Self.services.map { $0.section }.filter { seen[$0, default: 0] < 2 }
        #expect(rare.isEmpty, "too few files declare \(rare)")
    }

    @Test("a service uses, in some file, every section that its own section refers to")
    func asked() throws {
        let forms = try Self.forms()
        for service in Self.services {
            let used = Set(forms.flatMap { service.provisionsUsed(by: $0.validated.configuration) }.map(\.kind))
            #expect(Shipped.catalogue[service.section]?.asks.subtracting(used) == [], "\(service.section)")
        }
    }

    @Test("a service offers what its section declares, so that users of it start later")
    func offered() async throws {
        let validated = try #require(try Self.forms().first).validated
        let program = try await EmbeddedProgram(sections: Self.file(Self.sections))
        var count = 0
        for service in Self.services {
            for ability in program.corewire.runner.find(service)?.abilities ?? [] {
                count += 1
                #expect(
                    validated.offers[ability.provision]?.contains(service.section) == true,
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

    fileprivate static func isDeclared(in configuration: Configuration) -> Bool { configuration.has(Settings.self) }
}
