import CorewireFile
import WireBase
import WireConfig

/// `corewire export`: one environment as a file of its own.
enum ExportCommand {
    static let command = Command(
        name: "export",
        summary: "Write one environment as a file of its own; secrets stay references.",
        options: ConfigFinder.options + [
            .init(
                name: "format",
                value: "format",
                help: "yaml, json or aerogear-json. (default: yaml)",
                values: .words(["yaml", "json", "aerogear-json"])
            ),
            OutputFile.option("The file to write. (default: standard output)"),
            OutputFile.force,
        ],
        run: { invocation in
            let validation = try ConfigFinder.validate(invocation)
            try ConfigFinder.requireValid(validation)
            let effective = try EnvironmentCommands.effective(invocation, validation, named: nil)
            let text =
                switch try invocation.choice("format") {
                case "json": JSONValue(effective.literal).text(indented: true) + "\n"
                case "aerogear-json": try aeroGear(invocation, validation)
                default: YAMLWriter.text(of: effective.literal)
                }
            try OutputFile.write(text, to: invocation.option("output") ?? "-", invocation)
            return .success
        }
    )

    private static func aeroGear(_ invocation: Invocation, _ validation: Validation) throws -> String {
        let environment = try ConfigFinder.environment(invocation, validation)
        guard let export = AeroGearFile(validation, environment: environment) else { return "" }
        if !export.keysLeftOut.isEmpty {
            Console.say(
                "warning: the AeroGear format has no words for \(export.keysLeftOut.listed("and")), left out\n"
            )
        }
        return export.json.text(indented: true) + "\n"
    }
}
