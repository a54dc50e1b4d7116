import Foundation
import Testing
import WireAuth
import WireBase
import WireConfig
import WireDevice
import WireDialects
import WireMetrics
import WireNetwork
import WirePush
import WireSecurity
import WireSync
import WireYAML

/// The files the tests read.
enum Fixture {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static func names(in subfolder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(subfolder).path).sorted()
    }
}

/// A services file as the program reads it, with the sections the dialect translates into.
struct ReadFile {
    let loaded: Loader.Loaded
    let result: FileValidator.ValidationResult
    let file: LayeredFile?

    static let catalogue = Catalogue([
        AppSection.self, AuthSection.self, NetworkSection.self, PushSection.self, SyncSection.self, DeviceSection.self,
        SecuritySection.self, MetricsSection.self, AeroGearSection.self,
    ])

    static let yaml = FileFormat("yaml", extensions: ["yaml"], read: YAMLReader.read)

    init(_ text: String, name: String = "mobile-services.json", plus others: [String: String] = [:]) {
        let loader = Loader(
            formats: [Self.yaml, .json],
            dialects: [.aeroGear(in: Self.catalogue)],
            readFile: { path, _, _ throws(Fault) in
                guard let text = others[path] else { throw Fault("there is none") }
                return Array(text.utf8)
            }
        )
        loaded = loader.load(bytes: Array(text.utf8), name: name)
        guard let layered = loaded.file else {
            (result, file) = (FileValidator.ValidationResult(problems: loaded.problems), nil)
            return
        }
        var judge = FileValidator(layered, catalogue: Self.catalogue, problems: loaded.problems)
        result = judge.validate()
        file = judge.validatedFile
    }

    init(fixture name: String) throws {
        self.init(String(decoding: try Fixture.bytes(name), as: UTF8.self), name: name)
    }

    /// All problems, each as code, place and message.
    var problems: [String] {
        result.problems.sorted(files: loaded.sources).map { problem in
            let place = problem.place.map { ":\($0.start.line):\($0.start.column)" } ?? ""
            return "\(problem.code.id)\(place) \(problem.message)"
        }
    }

    /// All that `validate-config` would show of the file.
    var report: String {
        let veil = Veil(hiding: result.secrets)
        let report = Report(
            file: "mobile-services.json",
            problems: result.problems,
            sources: loaded.sources,
            environments: [],
            veil: veil,
            syntaxes: loaded.syntaxes
        )
        return TextReport(report, isColoured: false).text + JSONReport(report).value.text()
    }

    func environment(_ name: String? = nil) throws -> FileValidator.ValidatedEnvironment {
        try #require(result.environments.first { $0.facts.name == name })
    }

    func section<Wanted: Section>(_ type: Wanted.Type, in environment: String? = nil) throws -> Wanted {
        try #require(try self.environment(environment).configuration[type])
    }

    func exported(_ environment: String? = nil) throws -> JSONValue { try export(environment).json }

    func export(_ environment: String? = nil) throws -> AeroGearExport {
        let document = try #require(file).document
        return AeroGearExport(
            try self.environment(environment).root,
            in: document,
            environment: environment,
            secrets: result.secrets
        ) { path, _ in "${env:\(path.last ?? "")}" }
    }
}

/// A JSON text as a value that compares whatever the order of members is.
func json(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
}
