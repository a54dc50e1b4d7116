package import CorewireCatalogue
import WireBase
import WireConfig

/// `corewire env`: the environments of a file.
package enum EnvironmentCommands {
    static let command = Command(
        name: "env",
        summary: "Show and compare the environments of a services file.",
        subcommands: [list, show, diff, contract, ChangeCommands.use]
    )

    private static let textOrJSON = Command.Option(
        name: "format",
        value: "format",
        help: "text or json. (default: text)",
        values: .words(["text", "json"])
    )

    // MARK: list

    private static let list = Command(
        name: "list",
        summary: "List the declared environments.",
        options: [ConfigFinder.option, ConfigFinder.setOption, textOrJSON],
        run: { invocation in
            let validation = try ConfigFinder.validate(invocation, layingURL: false)
            try requireReadable(validation)
            let rows = validation.result.environments.compactMap { environment in
                environment.facts.name.map { name in
                    EnvironmentRow(
                        name: name,
                        isDefault: name == validation.defaultEnvironment,
                        backend: environment.facts.backend.rawValue,
                        baseURL: environment.facts.baseURL?.description,
                        chain: validation.file?.environment(name)?.chain.dropLast().reversed() ?? []
                    )
                }
            }
            if try invocation.choice("format") == "json" {
                let list = JSONValue.members(["environments": .array(rows.map(\.json))])
                Console.print(list.text(indented: true) + "\n")
            } else if rows.isEmpty {
                Console.printError("\(validation.name) declares no environments\n")
            } else {
                let width = rows.map(\.name.count).max() ?? 0
                Console.print(rows.map { $0.text(width: width) + "\n" }.joined())
            }
            return .success
        }
    )

    private struct EnvironmentRow {
        let name: String
        let isDefault: Bool
        let backend: String
        let baseURL: String?
        let chain: [String]

        func text(width: Int) -> String {
            let padding = String(repeating: " ", count: width - name.count)
            let place = backend == "embedded" ? "embedded" : baseURL ?? "no base URL"
            let extends = chain.isEmpty ? "" : "  extends \(chain.joined(separator: ", "))"
            return "\(isDefault ? "*" : " ") \(name.shown(upTo: 64))\(padding)  \(place)\(extends)"
        }

        var json: JSONValue {
            .members([
                "name": .string(name), "default": .boolean(isDefault), "backend": .string(backend),
                "baseUrl": baseURL.map(JSONValue.string), "extends": .array(chain.map(JSONValue.string)),
            ])
        }
    }

    // MARK: show

    private static let show = Command(
        name: "show",
        summary: "Print the effective settings of an environment, secrets redacted.",
        arguments: [
            .init(
                name: "environment",
                help: "The environment. (default: that of the services file)",
                isOptional: true,
                values: .environments
            )
        ],
        options: ConfigFinder.options + [
            .init(
                name: "format",
                value: "format",
                help: "yaml or json. (default: yaml)",
                values: .words(["yaml", "json"])
            )
        ],
        run: { invocation in
            let validation = try ConfigFinder.validate(invocation)
            try requireReadable(validation)
            let literal = try effective(invocation, validation, named: invocation.argument(0)).literal
            let isJSON = try invocation.choice("format") == "json"
            Console.print(isJSON ? JSONValue(literal).text(indented: true) + "\n" : YAMLWriter.text(of: literal))
            return .success
        }
    )

    static func effective(
        _ invocation: Invocation,
        _ validation: Validation,
        named name: String?,
        secretText: @escaping EffectiveFile.SecretText = { _, _ in Secret<String>.redacted }
    ) throws -> EffectiveFile {
        let chosen = try ConfigFinder.environment(invocation, validation, named: name)
        let environment = try validated(chosen, in: validation)
        guard let file = validation.file else { throw noDefault(validation) }
        return EffectiveFile(
            environment,
            of: file.document,
            catalogue: Shipped.catalogue,
            secrets: validation.result.secrets,
            secretText: secretText
        )
    }

    private static func validated(_ name: String?, in validation: Validation) throws
        -> FileValidator.ValidatedEnvironment
    {
        guard let environment = validation.environment(name) else { throw noDefault(validation) }
        return environment
    }

    private static func noDefault(_ validation: Validation) -> Failure {
        Failure(
            message: "missing environment: \(validation.name) has no default",
            status: .usage,
            help: "there are \(validation.environments.listed("and"))"
        )
    }

    // MARK: diff

    private static let diff = Command(
        name: "diff",
        summary: "Show the differences between two environments, with their places.",
        arguments: [
            .init(name: "one", help: "An environment.", values: .environments),
            .init(name: "other", help: "Another one.", values: .environments),
        ],
        options: [ConfigFinder.option, ConfigFinder.setOption, textOrJSON],
        run: { invocation in
            let validation = try ConfigFinder.validate(invocation, layingURL: false)
            try requireReadable(validation)
            let names = invocation.arguments
            let sides = try names.map { try effective(invocation, validation, named: $0) }
            guard let document = validation.file?.document else { return .problemsFound }
            let comparison = EnvironmentComparison(
                names,
                sides.map(\.settings),
                document,
                defaults: FileForm(Shipped.catalogue)
            )
            let isJSON = try invocation.choice("format") == "json"
            Console.print(isJSON ? comparison.json.text(indented: true) + "\n" : comparison.text)
            return .success
        }
    )

    // MARK: contract

    private static let contract = Command(
        name: "contract",
        summary: "List the variables, files and credentials that a deployment must provide.",
        arguments: [
            .init(
                name: "environment",
                help: "The environment. (default: that of the services file)",
                isOptional: true,
                values: .environments
            )
        ],
        options: [
            ConfigFinder.option, ConfigFinder.setOption,
            .init(
                name: "format",
                value: "format",
                help: "text, json or env, a template of an .env file. (default: text)",
                values: .words(["text", "json", "env"])
            ),
        ],
        run: { invocation in
            let validation = try ConfigFinder.validate(invocation, layingURL: false)
            try requireReadable(validation)
            let name = try ConfigFinder.environment(invocation, validation, named: invocation.argument(0))
            let contract = Contract(try validated(name, in: validation).references)
            switch try invocation.choice("format") {
            case "json": Console.print(contract.json.text(indented: true) + "\n")
            case "env": Console.print(contract.environmentFile)
            default: Console.print(contract.text(environment: name ?? validation.name))
            }
            return .success
        }
    )

    /// Shows the problems and throws where the file cannot be read, or the command line sets a wrong value.
    package static func requireReadable(_ validation: Validation) throws {
        if validation.file == nil || validation.hasWrongOverrides { try ConfigFinder.requireValid(validation) }
    }
}
