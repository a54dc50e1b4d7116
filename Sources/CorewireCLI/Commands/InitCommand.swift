import CorewireCatalogue
import WireBase
import WireConfig

/// `corewire init`: writes a new services file.
enum InitCommand {
    static let command = Command(
        name: "init",
        summary: "Write a new services file.",
        discussion: """
            The file refers to its schema for editors: the one that --schema writes beside it, or
            else the installed one.
            """,
        options: [
            .init(
                name: "template",
                value: "template",
                help: "minimal, complete or aerogear. (default: minimal)",
                values: .words(["minimal", "complete", "aerogear"])
            ),
            OutputFile.option("The file to write; '-' is standard output. (default: mobile-services.yaml)"),
            OutputFile.force,
            .init(name: "schema", help: "Also write \(schemaName) beside the file."),
        ],
        run: { invocation in
            let template = try invocation.choice("template") ?? "minimal"
            let name = template == "aerogear" ? "mobile-services.json" : "mobile-services.yaml"
            let path = invocation.option("output") ?? name
            let isBeside = invocation.flag("schema")
            guard !isBeside || path != "-" else {
                throw UsageError(
                    "--schema needs a file in --output",
                    for: invocation.path
                )
            }
            let schema = isBeside ? schemaName : installedSchema
            let text =
                switch template {
                case "complete": Templates.yaml(CompleteTemplate(Shipped.catalogue).text, schema: schema)
                case "aerogear": Templates.aeroGear(schema: schema)
                default: Templates.yaml(Templates.minimal, schema: schema)
                }
            try OutputFile.write(text, to: path, invocation)
            if isBeside {
                let schemaPath = Files.path(schemaName, beside: path)
                try OutputFile.write(SchemaCommand.fileSchema, to: schemaPath, invocation)
            }
            if path != "-" { Console.printError("wrote \(path); check it with 'corewire validate-config \(path)'\n") }
            return .success
        }
    )

    private static let schemaName = "mobile-services.schema.json"

    /// The path of the installed schema.
    private static var installedSchema: String? {
        let path = Files.normalized("\(RunnerProgram.ownFolder)/../share/corewire/schemas/\(schemaName)")
        return Files.exists(path) ? path : nil
    }
}

/// The templates of new files.
enum Templates {
    static let minimal = """
        version: 1
        app: { id: com.example.tasks, name: Tasks }
        environment: dev
        environments:
          dev: { backend: embedded }
          prod: { baseUrl: https://api.example.com }
        auth:
          provider: oidc
          url: https://sso.example.com
          scopes: [openid, profile, offline_access]
          clientIds: { dev: tasks-dev, prod: tasks-prod }

        """

    /// A template with the editors' line for the schema.
    static func yaml(_ text: String, schema: String?) -> String {
        (schema.map { "# yaml-language-server: $schema=\($0)\n" } ?? "") + text
    }

    /// The AeroGear template with the editors' key for the schema.
    static func aeroGear(schema: String?) -> String {
        "{\n" + (schema.map { "  \"$schema\": \(JSONText.quoted($0)),\n" } ?? "") + aeroGear
    }

    private static let aeroGear = """
          "version": 1,
          "clusterName": "192.168.64.74:8443",
          "namespace": "myproject",
          "clientId": "tasks",
          "services": [
            {
              "id": "keycloak", "name": "keycloak", "type": "keycloak", "url": "https://sso.example.com/auth",
              "config": {
                "auth-server-url": "https://sso.example.com/auth", "realm": "tasks", "resource": "tasks-app",
                "ssl-required": "external", "public-client": true
              }
            },
            {
              "id": "sync", "name": "sync", "type": "sync-app", "url": "https://api.example.com/graphql",
              "config": { "websocketUrl": "wss://api.example.com/graphql" }
            },
            {
              "id": "push", "name": "push", "type": "push", "url": "https://push.example.com",
              "config": { "ios": { "variantId": "1234456-234320", "variantSecret": "${env:UPS_SECRET}" } }
            },
            { "id": "metrics", "name": "metrics", "type": "metrics", "url": "https://metrics.example.com/metrics", "config": {} }
          ]
        }

        """
}

/// The output file of a command; an existing file is replaced only with --force.
enum OutputFile {
    static func option(_ help: String) -> Command.Option {
        .init(name: "output", value: "file", help: help, letter: "o", values: .files)
    }

    static let force = Command.Option(name: "force", help: "Overwrite an existing file.")

    static func write(_ text: String, to path: String, _ invocation: Invocation) throws {
        if path == "-" {
            Console.print(text)
            return
        }
        if Files.exists(path), !invocation.flag("force") {
            throw Failure(
                message: "\(path.quoted) exists",
                status: .cannotCreate,
                help: "choose another --output, or overwrite the file with --force"
            )
        }
        try CommandFiles.replace(path, with: Array(text.utf8))
    }
}
