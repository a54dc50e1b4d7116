/// The keys at the top of a services file that belong to no service.
struct FileRecord: Record {
    @Setting var version: Int
    @Setting var environment: EnvironmentName?
    @Setting var baseURL: WebURL?
    @Setting var backend: EnvironmentFacts.Backend
    @Setting var allow: Named<String>

    init(_ keys: inout Keys) {
        _version = keys.value("version", "The version of the file's format.", or: 1)
        _environment = keys.optional("environment", "The environment that runs when none is chosen.", .example("dev"))
        _ = keys.value("environments", "What differs by deployment: each is laid over the file.", or: Named<EnvironmentRecord>())
        _ = keys.value("include", "Files laid under this one, in order.", or: [InputFile](), .example("[auth.yaml]"))
        _baseURL = keys.optional("baseUrl", "Where relative URLs begin, for environments that say nothing else.")
        _backend = keys.value("backend", "Where the servers are, for environments that say nothing else.", or: .remote)
        _allow = keys.value(
            "allow",
            "Warnings that are right in this file, each with the reason.",
            or: Named<String>(),
            .example("{ secret-in-clear: \"demo server\" }")
        )
        _ = keys.optional("$schema", "The schema, for editors that read JSON.", .example("\"mobile-services.schema.json\"")) as Setting<String?>
    }
}

/// The keys of an environment that belong to no service; the others are sections laid over the file.
struct EnvironmentRecord: Record {
    @Setting var extends: EnvironmentName?
    @Setting var baseURL: WebURL?
    @Setting var backend: EnvironmentFacts.Backend?

    init(_ keys: inout Keys) {
        _extends = keys.optional("extends", "The environment this one is laid over.", .example("int"))
        _baseURL = keys.optional("baseUrl", "Where relative URLs begin.", .example("https://api.example.com"))
        _backend = keys.optional("backend", "Where the servers are.", .example("embedded"))
    }

    /// The keys above, which no section may be called.
    static let ownKeys: Set<String> = ["extends", "baseUrl", "backend"]
}

extension EnvironmentFacts.Backend: Choice {
    package var help: String {
        switch self {
        case .remote: "servers at the base URL"
        case .embedded: "counterparts built into corewire, on this machine"
        }
    }
}
