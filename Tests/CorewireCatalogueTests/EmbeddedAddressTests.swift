import CorewireCatalogue
import Foundation
import Support
import Testing
import WireBase
import WireConfig

/// Every setting that names a server either has something built in that stands for it, or is refused with its line.
///
/// The keys are taken from the catalogue: a new section is looked at without a change here.
@Suite("URLs of the file in an embedded environment")
struct EmbeddedAddressTests {
    private static let outside = "outside.example.com"

    @Test("no service gets a URL that the file sets for all environments", arguments: NamedKey.addresses)
    func everyAddress(_ key: NamedKey) throws {
        let validation = try Self.validation(of: key.document(with: "https://\(Self.outside)/a/path"))
        let validated = try #require(validation.environment("dev"))
        let file = try #require(validation.file)
        let refusals = validation.result.problems.all.filter {
            $0.code.id == "CW0312" && $0.environments == ["dev"] && $0.path == key.path && $0.place?.start.line == 6
        }
        guard refusals.isEmpty else { return }
        let (configuration, _) = validation.resolved(validated, of: file, by: ReferenceResolver(beside: "file.yaml"))
        #expect(configuration.has(key.section), "\(key): \(validation.result.problems.messages)")
        #expect(Self.texts(in: configuration).allSatisfy { !$0.contains(Self.outside) }, "\(key) is not stood in for")
    }

    /// Settings whose names sound like addresses, and to which no service sends anything.
    private static let notSpokenTo: Set<String> = [
        // The user's browser goes there.
        "auth.redirectUri", "auth.postLogoutRedirectUri",
        // What is allowed or pinned, for requests that have another reason to be sent.
        "network.pins[].host", "network.certificates[].host", "network.plainHosts[]", "network.tokenHosts[]",
        "notifications.media.hosts[]",
        "background.downloads.hosts[]",
        "api.allowedHosts[]", "api.allowedOrigins[]",
        // Told to apps that ask for a service by name.
        "aerogear.services.main.url",
        // The servers built in answer there.
        "backends.issuer.clients.main.redirectUris[]", "backends.issuer.clients.main.postLogoutRedirectUris[]",
        // A database, for which no embedded server stands.
        "persistence.store.url",
        // No address at all.
        "auth.guidance.server", "network.proxyUser", "content.cache.serverMaxAge",
    ]

    @Test("a key that looks like a URL setting is registered or exempted")
    func names() {
        let words = ["url", "uri", "address", "host", "endpoint", "server", "proxy", "origin", "broker"]
        let unknown = NamedKey.texts.filter { key in
            let name = key.path.split(separator: ".").last?.lowercased() ?? ""
            return words.contains { name.contains($0) } && !Self.notSpokenTo.contains(key.path)
        }
        #expect(unknown.map(\.path) == [], "read it as an Address, or say here why nothing is sent there")
    }

    @Test("every URL key declares the kind of URL")
    func declared() {
        let undeclared = NamedKey.all.filter { key in
            guard case .text(let text) = key.form else { return false }
            return text.addresses == .any || text.noun == WebURL.textForm.noun
        }
        #expect(undeclared.map(\.path) == [], "add '.takes(…)' to the key")
    }

    @Test("an environment uses its own URLs of this machine, and the file's except where replaced")
    func own() throws {
        let local = "http://127.0.0.1:9"
        func url(_ top: String, _ dev: String) throws -> Address? {
            let text = """
                version: 1
                app: { id: com.example.tasks }
                environment: dev
                environments: { dev: { backend: embedded\(dev) }, prod: { baseUrl: "https://api.example.com" } }
                metrics: { url: "\(top)" }

                """
            let folder = try TemporaryFolder()
            try folder.write(text, to: "a.yaml")
            return try Self.metrics(in: folder).url
        }
        #expect(try url(local, "")?.text == "metrics")
        #expect(try url(local, "")?.absolute == nil)
        #expect(try url("https://\(Self.outside)", #", metrics: { url: "\#(local)" }"#)?.absolute?.port == 9)
        let refused = #expect(throws: Refused.self) {
            try url(local, #", metrics: { url: "https://\#(Self.outside)" }"#)
        }
        #expect(refused?.text.contains("CW0311") == true)
    }

    @Test("a URL from a reference is checked by the same rule after it is resolved")
    func referred() throws {
        let folder = try TemporaryFolder()
        try folder.write("https://\(Self.outside)/events", to: "stream")
        try folder.write("https://\(Self.outside)/metrics", to: "metrics")
        let text = """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded } }
            metrics: { url: "${file:metrics}" }

            """
        try folder.write(text, to: "a.yaml")
        #expect(try Self.metrics(in: folder).url?.text == "metrics")
        try folder.write(text + "notifications: { streams: { desk: { url: \"${file:stream}\" } } }\n", to: "a.yaml")
        let refused = try Self.metrics(in: folder).refused
        #expect(refused?.contains("notifications.streams.desk.url has no embedded server") == true)
        #expect(refused?.contains(Self.outside) == false)
    }

    private struct Refused: Error {
        let text: String
    }

    /// Where metrics go by the file `a.yaml`, read as a runner reads it, and what its references have brought that does not
    /// fit.
    private static func metrics(in folder: TemporaryFolder) throws -> (url: Address?, refused: String?) {
        let path = folder.url.appendingPathComponent("a.yaml").path
        let validation = try Validation(path: path)
        guard let file = validation.file, !validation.result.problems.hasErrors,
            let validated = validation.environment(validation.defaultEnvironment)
        else { throw Refused(text: TextReport(validation.report(), isColoured: false).text) }
        let (configuration, problems) = validation.resolved(validated, of: file, by: ReferenceResolver(beside: path))
        return (configuration[MetricsSection.self]?.url, problems.first { $0.code.severity == .error }?.message)
    }

    private static func validation(of sections: String) throws -> Validation {
        let text = """
            version: 1
            app: { id: com.example.tasks, version: 1.4.0 }
            environment: dev
            environments: { dev: { backend: embedded }, prod: { baseUrl: "https://api.example.com" } }
            # The next line has the address.
            \(sections)

            """
        return Validation(bytes: Array(text.utf8), name: "file.yaml")
    }

    /// All texts that something holds, at any depth.
    private static func texts(in value: Any) -> [String] {
        if let text = value as? String { return [text] }
        if value is Document { return [] }
        return Mirror(reflecting: value).children.flatMap { texts(in: $0.value) }
    }
}

/// A key of the catalogue, and how a file comes to it.
struct NamedKey: Sendable, CustomTestStringConvertible {
    let section: any Section.Type
    /// As messages write it; keys that the author of a file chooses are called `main`.
    let path: String
    let form: Form
    /// The section as flow text, around the value.
    private let around: @Sendable (String) -> String

    var testDescription: String { path }

    func document(with value: String) -> String { "\(section.name): \(around(Literal.text(value).flowText))" }

    /// A proxy's type belongs to a service; it is known by its noun.
    private static let proxy = "the URL of a proxy"

    static let all: [NamedKey] = Shipped.catalogue.sections.flatMap { section in
        keys(of: section.form, at: section.name, section) { $0 }
    }

    /// Those that name a server by their type.
    static let addresses = all.filter { key in
        if case .text(let text) = key.form {
            text.addresses != nil || text.noun == proxy || key.path.hasSuffix(".download")
        } else {
            false
        }
    }

    /// Those that hold another text.
    static let texts = all.filter { key in
        let isText = if case .text = key.form { true } else { false }
        return isText && !addresses.contains { $0.path == key.path }
    }

    private static func keys(
        of form: Form,
        at path: String,
        _ section: any Section.Type,
        _ around: @escaping @Sendable (String) -> String
    ) -> [NamedKey] {
        switch form {
        case .record(let record):
            record.keys.flatMap { key in
                keys(of: key.form, at: "\(path).\(key.name)", section) { around(record.sample(with: key, $0)) }
            }
        case .named(let inner), .byEnvironment(let inner):
            keys(of: inner, at: "\(path).main", section) { around("{ main: \($0) }") }
        case .list(let inner): keys(of: inner, at: "\(path)[]", section) { around("[\($0)]") }
        case .tagged(let tag, _, let alternatives):
            alternatives.flatMap { alternative in
                keys(of: alternative.form, at: path, section) { value in
                    around("{ \(tag): \(alternative.name), \(value.dropFirst(2))")
                }
            }
        case .exclusive(let alternatives):
            alternatives.flatMap { alternative in
                keys(of: alternative.form, at: "\(path).\(alternative.name)", section) {
                    around("{ \(alternative.name): \($0) }")
                }
            }
        case .either(let first, let second):
            keys(of: first, at: path, section, around) + keys(of: second, at: path, section, around)
        case .text: [NamedKey(section: section, path: path, form: form, around: around)]
        case .boolean, .integer, .number, .choice, .secret, .free: []
        }
    }
}

extension RecordForm {
    /// A mapping with a key and the others that must be there.
    fileprivate func sample(with wanted: KeyForm, _ value: String) -> String {
        let needed = keys.filter { $0.isRequired && $0.name != wanted.name }
        return "{ "
            + (["\(wanted.name): \(value)"] + needed.map { "\($0.name): \($0.example ?? $0.form.sampleText)" })
            .joined(separator: ", ") + " }"
    }
}

extension Form {
    fileprivate var sampleText: String {
        switch self {
        case .text(let text): Literal.text(text.example).flowText
        case .boolean: "true"
        case .integer, .number: "1"
        case .choice(let words): words.first?.name ?? "x"
        case .list(let inner): "[\(inner.sampleText)]"
        case .named, .byEnvironment, .free: "{}"
        case .record(let record):
            "{ "
                + record.keys.filter(\.isRequired).map { "\($0.name): \($0.example ?? $0.form.sampleText)" }
                .joined(separator: ", ") + " }"
        case .tagged(let tag, _, let alternatives): "{ \(tag): \(alternatives.first?.name ?? "x") }"
        case .exclusive(let alternatives):
            alternatives.first.map { "{ \($0.name): \($0.form.sampleText) }" } ?? "{}"
        case .either(let first, _): first.sampleText
        case .secret: "hush"
        }
    }
}
