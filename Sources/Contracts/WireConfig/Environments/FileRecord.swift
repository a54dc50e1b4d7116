import WireBase

/// The keys at the top of a services file that belong to no service.
struct FileRecord: Record {
    @Setting var version: Int
    @Setting var environment: EnvironmentName?
    @Setting var baseURL: WebURL?
    @Setting var backend: EnvironmentFacts.Backend
    @Setting var allow: Named<Reason>

    init(_ keys: inout Keys) {
        _version = keys.value("version", "The version of the file's format.", or: 1, .described(in: 1...1))
        _environment = keys.optional("environment", "The environment that runs when none is chosen.", .example("dev"))
        _ = keys.value(
            "environments",
            "What differs by deployment: each is laid over the file.",
            or: DeclaredEnvironments()
        )
        _ = keys.value("include", "Files laid under this one, in order.", or: [IncludedFile](), .example("[auth.yaml]"))
        _baseURL = keys.optional(
            "baseUrl",
            "Where relative URLs begin, for environments that say nothing else.",
            .takes(.base)
        )
        _backend = keys.value("backend", "Where the servers are, for environments that say nothing else.", or: .remote)
        _allow = keys.value(
            "allow",
            "Warnings that are right in this file, each with the reason.",
            or: Named<Reason>(),
            .example("{ secret-in-clear: \"demo server\" }")
        )
        _ =
            keys.optional(
                "$schema",
                "The schema, for editors that read JSON.",
                .example("\"mobile-services.schema.json\"")
            ) as Setting<String?>
    }
}

/// The keys of an environment that belong to no service; the others are sections laid over the file.
struct EnvironmentRecord: Record {
    @Setting var extends: EnvironmentName?
    @Setting var baseURL: WebURL?
    @Setting var backend: EnvironmentFacts.Backend?

    init(_ keys: inout Keys) {
        _extends = keys.optional("extends", "The environment this one is laid over.", .example("int"))
        _baseURL = keys.optional(
            "baseUrl",
            "Where relative URLs begin.",
            .takes(.base),
            .example("https://api.example.com")
        )
        _backend = keys.optional("backend", "Where the servers are.", .example("embedded"))
    }
}

extension EnvironmentFacts.Backend: Choice {
    package var otherWords: [String] {
        switch self {
        case .remote: ["server", "servers", "live", "real", "http"]
        case .embedded: ["local", "mock", "fake", "builtin", "built-in", "internal"]
        }
    }

    package var help: String {
        switch self {
        case .remote: "servers at the base URL"
        case .embedded: "counterparts built into corewire, on this machine"
        }
    }
}

/// The mapping of environments as a whole; each of them is read where its tree is made.
struct DeclaredEnvironments: SettingValue {
    static var form: Form { .named(EnvironmentRecord.form) }
    static var placeholder: Self { Self() }
    var literal: Literal { .mapping([]) }

    static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.expectMapping(node, form: { form }) ? .complete(Self()) : .none
    }
}

/// A file that is laid under the one that names it; its name is needed before anything else is known.
struct IncludedFile: TextValue {
    let description: String

    static var textForm: TextForm {
        var form = TextForm("a path", example: "auth.yaml", pattern: "^(?![\\s\\S]*\\$\\{)[\\s\\S]+$")
        form.takesReferences = false
        return form
    }

    init(parsing text: String) throws(Misread) {
        guard !text.isEmpty else { throw Misread() }
        description = text
    }

    static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.refusesReference(node) ? .none : readText(node, with: reader)
    }
}

/// Why a warning is right in a file.
struct Reason: TextValue {
    let description: String

    static var textForm: TextForm {
        TextForm("a reason, in words", example: "demo server", pattern: "^[\\s\\S]*[A-Za-z]")
    }

    init(parsing text: String) throws(Misread) {
        guard text.utf8.contains(where: \.isLetter) else { throw Misread(help: "say why the warning is right here") }
        description = text
    }
}

extension EnvironmentName {
    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.refusesReference(node) ? .none : readText(node, with: reader)
    }
}

extension Reader {
    /// Whether a value that must be known before anything else holds a reference; tells where it does.
    fileprivate func refusesReference(_ node: NodeID) -> Bool {
        guard document.kind(node).isScalar, document.text(node).contains("${") else { return false }
        report(
            Diagnostic(
                .badReference,
                "\(pathText): a reference cannot stand here",
                at: document.place(document.target(node))
            )
            .helped(
                by: "its value is needed before references are looked at; COREWIRE_ENV and --env choose an environment"
            )
        )
        return true
    }
}
