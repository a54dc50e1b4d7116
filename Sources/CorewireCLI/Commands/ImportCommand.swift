import CorewireCatalogue
import WireBase
import WireConfig

/// `corewire import`: converts a file of another system into a services file.
enum ImportCommand {
    static let command = Command(
        name: "import",
        summary: "Convert an AeroGear mobile-services.json or a HALO .plist into a services file.",
        discussion: """
            Writes the services file to standard output or --output. A report on standard error
            lists for each value whether it was converted, kept without being read, replaced by a
            reference, or omitted. Secrets are not copied: each becomes a reference to a variable.
            'corewire export --format aerogear-json' writes the AeroGear file back.

            Exit status: 0 all values were converted or kept; 1 a value was omitted, the result
            needs a correction (the file is written), or the file has neither format; 66 no such
            file.
            """,
        arguments: [.init(name: "file", help: "The file to read.", values: .files)],
        options: [
            .init(
                name: "format",
                value: "format",
                help: "The form of the report: text or json. (default: text)",
                values: .words(["text", "json"])
            ),
            OutputFile.option("The file to write. (default: standard output)"),
            OutputFile.force,
        ],
        run: { invocation in
            let path = invocation.arguments[0]
            let isJSON = try invocation.choice("format") == "json"
            let bytes = try CommandFiles.reading(path) { () throws(Fault) in
                try Files.read(path, upTo: Shipped.loader.limits.fileSize)
            }
            let imported: Importer.Imported
            do throws(Importer.Refusal) {
                imported = try Importer.servicesFile(from: bytes, named: path)
            } catch {
                if let report = error.report {
                    Console.printError(ValidateCommand.text(report, isColoured: Console.wantsColour(on: 2)))
                }
                throw Failure(message: error.reason, status: .problemsFound)
            }
            try OutputFile.write(imported.text, to: invocation.option("output") ?? "-", invocation)
            let report = imported.report
            Console.printError(isJSON ? report.json.text(indented: true) + "\n" : report.text)
            return report.isComplete ? .success : .problemsFound
        }
    )
}
