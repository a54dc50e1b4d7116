import CorewireCatalogue
import WireBase
import WireConfig
import WireHTTP

/// `corewire schema`: the schema of services files, for editors, terminals and the documentation.
enum SchemaCommand {
    static let command = Command(
        name: "schema",
        summary: "Print the JSON Schema of services files, or the keys of one section.",
        arguments: [
            .init(
                name: "section",
                help:
                    "A section; 'report' for 'validate-config --format json', 'api' for the OpenAPI of the local API, 'addon-protocol' for the messages of add-ons.",
                isOptional: true,
                values: .words(Shipped.catalogue.sections.map { $0.name } + ["report", "api", "addon-protocol"])
            )
        ],
        options: [
            .init(
                name: "format",
                value: "format",
                help: "json, text or markdown. (default: json for the file, text for a section)",
                values: .words(["json", "text", "markdown"])
            )
        ],
        run: { invocation in
            let format = try invocation.choice("format")
            let page = ReferencePage(Shipped.catalogue)
            guard let name = invocation.argument(0) else {
                switch format {
                case "markdown": Console.print(page.markdown)
                case "text": Console.print(Shipped.catalogue.sections.map { page.text(of: $0) }.joined(separator: "\n"))
                default: Console.print(fileSchema)
                }
                return .success
            }
            if name == "api" {
                switch format {
                case "json": Console.print(Shipped.api.value.text(indented: true) + "\n")
                case "markdown": Console.print(Shipped.api.page)
                default: Console.print(Shipped.api.yaml)
                }
                return .success
            }
            if name == "report" {
                Console.print(ReportSchema.value.text(indented: true) + "\n")
                return .success
            }
            if name == "addon-protocol" {
                Console.print(Shipped.addonProtocol.text(indented: true) + "\n")
                return .success
            }
            guard let section = Shipped.catalogue[name] else {
                let names = Shipped.catalogue.sections.map { $0.name }
                let nearest = Nearest.name(to: name, among: names)
                throw Failure(
                    message: "unknown section \(name.quoted)",
                    status: .usage,
                    help: nearest.map { "did you mean '\($0)'?" } ?? "there are \(names.listed("and"))"
                )
            }
            let isJSON = format == "json"
            Console.print(
                isJSON
                    ? SchemaWriter(Shipped.catalogue).section(section).text(indented: true) + "\n"
                    : page.text(of: section)
            )
            return .success
        }
    )

    /// The schema of whole files.
    static var fileSchema: String {
        SchemaWriter(Shipped.catalogue, dialects: Shipped.loader.dialects).file.text(indented: true) + "\n"
    }
}
