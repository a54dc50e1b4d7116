import WireBase

/// The top-level keys of a services file that belong to no service.
struct FileRecord: Record {
    @Setting var version: Int
    @Setting var environment: EnvironmentName?
    @Setting var baseURL: WebURL?
    @Setting var backend: EnvironmentFacts.Backend
    @Setting var allow: Named<Reason>

    init(_ keys: inout Keys) {
        _version = keys.value("version", "Version of the file format.", or: 1, .described(in: 1...1))
        _environment = keys.optional("environment", "Default environment.", .example("dev"))
        _ = keys.value(
            "environments",
            "Environments by name, each with values that override those of the file.",
            or: DeclaredEnvironments()
        )
        _ = keys.value("include", "Files to include, in order.", or: [IncludedFile](), .example("[auth.yaml]"))
        _baseURL = keys.optional(
            "baseUrl",
            "Base URL of relative URLs, for environments without one.",
            .takes(.base)
        )
        _backend = keys.value(
            "backend",
            "Kind of servers of environments without this key: remote or embedded.",
            or: .remote
        )
        _allow = keys.value(
            "allow",
            "Suppressed warnings by name, each with a reason.",
            or: Named<Reason>(),
            .example("{ secret-in-clear: \"demo server\" }")
        )
        _ =
            keys.optional(
                "$schema",
                "JSON Schema of the file, for editors.",
                .example("\"mobile-services.schema.json\"")
            ) as Setting<String?>
    }
}

/// The keys of an environment that belong to no service; all others are sections that override the file.
struct EnvironmentRecord: Record {
    @Setting var extends: EnvironmentName?
    @Setting var baseURL: WebURL?
    @Setting var backend: EnvironmentFacts.Backend?

    init(_ keys: inout Keys) {
        _extends = keys.optional("extends", "Environment that this one inherits from and overrides.", .example("int"))
        _baseURL = keys.optional(
            "baseUrl",
            "Base URL of relative URLs.",
            .takes(.base),
            .example("https://api.example.com")
        )
        _backend = keys.optional("backend", "Kind of servers: remote or embedded.", .example("embedded"))
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
        case .embedded: "servers embedded in corewire, on this machine"
        }
    }
}

/// All declared environments; each one is read when its tree is built.
struct DeclaredEnvironments: SettingValue {
    static var form: Form { .named(EnvironmentRecord.form) }
    static var placeholder: Self { Self() }
    var literal: Literal { .mapping([]) }

    static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.expectMapping(node, form: { form }) ? .complete(Self()) : .none
    }
}

/// The path of an included file; must not contain references, because it is needed first.
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

/// The reason why a warning is accepted in a file.
struct Reason: TextValue {
    let description: String

    static var textForm: TextForm {
        TextForm("a reason, in words", example: "demo server", pattern: "^[\\s\\S]*[A-Za-z]")
    }

    init(parsing text: String) throws(Misread) {
        guard text.utf8.contains(where: \.isLetter) else { throw Misread(help: "write why the warning is acceptable") }
        description = text
    }
}

extension EnvironmentName {
    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.refusesReference(node) ? .none : readText(node, with: reader)
    }
}

extension Reader {
    /// Whether a value that is needed before references are resolved contains one; reports it.
    fileprivate func refusesReference(_ node: NodeID) -> Bool {
        guard document.kind(node).isScalar, document.text(node).contains("${") else { return false }
        report(
            Diagnostic(
                .badReference,
                "\(pathText): a reference is not allowed here",
                at: document.place(document.target(node))
            )
            .helped(
                by: "it is needed before references are resolved; choose an environment with COREWIRE_ENV or --env"
            )
        )
        return true
    }
}
