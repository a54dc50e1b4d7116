import CorewireCatalogue
import WireBase
import WireConfig
import WireGraphQL

extension SyncFileCommands {
    static let generate = Command(
        name: "generate",
        summary: "Generate types for the declared operations, as Swift or JSON Schema.",
        discussion: """
            Reads the files that the services file names; no runner is needed. Swift code has a
            struct for each operation, to run with 'corewire.sync' of the module Corewire; a JSON
            Schema has the variables and the data of each operation in '$defs'.
            """,
        arguments: [
            .init(
                name: "language",
                help: "The language: swift. (default: swift)",
                isOptional: true,
                values: .words(["swift"])
            )
        ],
        options: ConfigFinder.options + [
            .init(
                name: "format",
                value: "format",
                help: "swift or json-schema. (default: swift)",
                values: .words(["swift", "json-schema"])
            ),
            OutputFile.option("The file or folder to write to. (default: standard output)"),
            .init(name: "namespace", value: "name", help: "The enclosing Swift type. (default: GraphQL)"),
            .init(
                name: "scalar",
                value: "name=type",
                help: "The Swift type of a custom scalar: DateTime=Foundation.Date. (default: String)",
                isRepeated: true
            ),
        ],
        run: { invocation in
            let format = try format(invocation)
            let generator = try generator(invocation, format)
            let (validation, files) = try read(invocation)
            let schema = try validSchema(of: files, validation)
            let text: String
            do throws(Finding) {
                text =
                    format == "swift"
                    ? try generator.text(of: files.declared, in: schema)
                    : try JSONSchemaGenerator.text(of: files.declared, in: schema)
            } catch {
                throw failure(error)
            }
            try write(text, to: path(invocation, generator.namespace, format))
            return .success
        }
    )

    // MARK: Command line

    private static func format(_ invocation: Invocation) throws -> String {
        let language = invocation.argument(0)
        guard let language else { return try invocation.choice("format") ?? "swift" }
        guard language == "swift" else {
            throw UsageError(
                "unknown language \(language.quoted), expected 'swift'; for a JSON schema, use --format json-schema",
                for: invocation.path
            )
        }
        guard try invocation.choice("format") ?? language == language else {
            throw UsageError("<language> and --format json-schema exclude each other", for: invocation.path)
        }
        return language
    }

    private static func generator(_ invocation: Invocation, _ format: String) throws -> SwiftGenerator {
        var generator = SwiftGenerator()
        for option in ["namespace", "scalar"] where format != "swift" && invocation.option(option) != nil {
            throw UsageError("--\(option) is for Swift", for: invocation.path)
        }
        if let name = invocation.option("namespace") {
            guard isSwiftName(name) else {
                throw UsageError("--namespace takes the name of a type, not \(name.quoted)", for: invocation.path)
            }
            generator.namespace = name
        }
        for item in invocation.all("scalar") {
            let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2,
                parts[1].split(separator: ".", omittingEmptySubsequences: false).map(String.init).allSatisfy(
                    isSwiftName
                )
            else {
                throw UsageError("--scalar takes 'Name=Type', not \(item.shown(upTo: 60).quoted)", for: invocation.path)
            }
            generator.scalars[parts[0]] = parts[1]
        }
        return generator
    }

    private static func isSwiftName(_ text: String) -> Bool {
        let isWord = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        return isWord && text.utf8.first.map { !$0.isDigit } ?? false
    }

    private static func path(_ invocation: Invocation, _ namespace: String, _ format: String) -> String {
        let path = invocation.option("output") ?? "-"
        guard path.hasSuffix("/") || Files.isFolder(path) else { return path }
        let name = format == "swift" ? "\(namespace).swift" : "operations.schema.json"
        return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    // MARK: Files

    /// The schema, if the schema and all operations are valid.
    private static func validSchema(of files: SyncFiles, _ validation: Validation) throws -> Schema {
        let problems = files.problems
        if problems.contains(where: { $0.code.severity == .error }) {
            let report = validation.report(adding: problems)
            Console.printError(ValidateCommand.text(report, isColoured: Console.wantsColour(on: 2)))
            throw Failure(message: "the GraphQL files of \(validation.name) are not valid", status: .problemsFound)
        }
        guard let schema = files.schema else {
            throw Failure(
                message: "\(validation.name) has no schema",
                status: .problemsFound,
                help: "set 'sync.schema' to a file, and write the file with 'corewire sync schema'"
            )
        }
        return schema
    }

    private static func failure(_ finding: Finding) -> Failure {
        let place = finding.place.map { "\($0.file.name):\($0.start.line):\($0.start.column): " } ?? ""
        return Failure(message: place + finding.message, status: .problemsFound, help: finding.help)
    }
}
