import CorewireCatalogue
import WireBase
import WireConfig

/// `corewire export`: one environment as a file of its own.
enum ExportCommand {
    static let command = Command(
        name: "export",
        summary: "Export one environment as a separate file, with secrets as references.",
        discussion: """
            A secret that the services file contains in clear is written as a reference to an
            environment variable, and listed on standard error. The AeroGear format does not support
            all sections and references: standard error lists the omitted sections, and the
            references to replace before an SDK reads the file.
            """,
        options: ConfigFinder.options + [
            .init(
                name: "format",
                value: "format",
                help: "yaml, json or aerogear-json. (default: yaml)",
                values: .words(["yaml", "json", "aerogear-json"])
            ),
            .init(
                name: "report",
                value: "format",
                help: "The form of the report on standard error: text or json. (default: text)",
                values: .words(["text", "json"])
            ),
            OutputFile.option("The file to write. (default: standard output)"),
            OutputFile.force,
        ],
        run: { invocation in
            let validation = try ConfigFinder.validate(invocation)
            try ConfigFinder.requireValid(validation)
            let secrets = SecretReferences()
            let effective = try EnvironmentCommands.effective(
                invocation,
                validation,
                named: nil,
                secretText: secrets.text
            )
            // Each secret is named after its section, in any format.
            let literal = effective.literal
            let format = try invocation.choice("format") ?? "yaml"
            let isJSON = try invocation.choice("report") == "json"
            var report = ExportReport(file: validation.name, format: format)
            let text: String
            switch format {
            case "json": text = JSONValue(literal).text(indented: true) + "\n"
            case "aerogear-json":
                let environment = try ConfigFinder.environment(invocation, validation)
                guard let export = AeroGearFile(validation, environment: environment, secrets: secrets) else {
                    return .problemsFound
                }
                report.keysLeftOut = export.keysLeftOut
                report.references = export.references
                text = export.json.text(indented: true) + "\n"
            default: text = YAMLWriter.text(of: literal)
            }
            report.secrets = secrets.all
            try OutputFile.write(text, to: invocation.option("output") ?? "-", invocation)
            Console.printError(isJSON ? report.json.text(indented: true) + "\n" : report.text)
            return .success
        }
    )
}
