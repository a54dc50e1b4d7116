import CorewireCatalogue
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireSyncContract

/// The commands of `corewire sync` that read the GraphQL files of the services file.
enum SyncFileCommands {
    static let all = [operations, schema, generate]

    private static let operations = Command(
        name: "operations",
        summary: "List the declared operations with their variables and the fields they select.",
        discussion: "Reads the files that the services file names; no runner is needed.",
        options: ConfigFinder.options + [RunnerCommands.format],
        run: { invocation in
            let showing = try Display(invocation)
            let (_, files) = try read(invocation)
            let operations = SyncOperations(files.operations)
            showing.show(operations.json) { SyncText.operations(operations.operations, showing.paint) }
            return .success
        }
    )

    private static let schema = Command(
        name: "schema",
        summary: "Fetch the schema of the server, write it as SDL, and show the changes.",
        discussion: """
            The runner sends the request, with its tokens, pins and network settings. The schema is
            compared with the file of 'sync.schema' before the file is replaced: after a 'breaking'
            change valid operations may fail, after a 'dangerous' change they may return new values.

            Exit status: 0 written, or with --check no breaking changes; 1 with --check, breaking
            changes.
            """,
        options: RunnerCommands.clientOptions + [
            ConfigFinder.environmentOption,
            OutputFile.option("The file to write; '-' is standard output. (default: the file of 'sync.schema')"),
            .init(name: "check", help: "Compare only; write no file."),
        ],
        run: schema
    )

    // MARK: Files

    /// The GraphQL files of the services file, in the environment of the command.
    static func read(_ invocation: Invocation) throws -> (validation: Validation, files: SyncFiles) {
        let validation = try ConfigFinder.validate(invocation)
        try ConfigFinder.requireValid(validation)
        let environment = try ConfigFinder.environment(invocation, validation)
        guard let validated = validation.environment(environment), let files = SyncFiles(validated, validation) else {
            throw Failure(
                message: "\(validation.name) has no section 'sync'",
                status: .problemsFound,
                help: "run 'corewire schema sync' to list its settings"
            )
        }
        return (validation, files)
    }

    // MARK: Schema

    private static func schema(_ invocation: Invocation) async throws -> ExitStatus {
        let (_, files) = try read(invocation)
        let isCheck = invocation.flag("check")
        if isCheck, invocation.option("output") != nil {
            throw UsageError("--check and --output exclude each other", for: invocation.path)
        }
        let client = try RunnerClient(invocation)
        let text = try await client.perform(SyncCalls.schema, NoInput(), within: RunnerClient.changeLimit).answer.text
        let changes = try changes(to: text, from: files.schema)
        let path = invocation.option("output") ?? files.schemaPath ?? "-"
        let isPrinted = path == "-" && !isCheck
        let paint = Paint(isOn: Console.wantsColour(on: isPrinted ? 2 : 1))
        let told = changes.map { SyncText.changes($0, paint) } ?? "no previous schema\n"
        if isPrinted { Console.printError(told) } else { Console.print(told) }
        if !isCheck { try write(text, to: path) }
        let isBroken = changes?.contains { $0.severity == .breaking } ?? false
        return isCheck && isBroken ? .problemsFound : .success
    }

    /// Nil without a former schema.
    private static func changes(to text: String, from old: Schema?) throws -> [SchemaChange]? {
        let source = SourceFile(name: "schema", bytes: Array(text.utf8), isFile: false)
        do throws(Finding) {
            guard let new = SchemaBuilder.build([try Parser.document(source)]).schema else {
                throw Finding(.syntax, "missing type", at: nil)
            }
            return old.map { SchemaChanges.between($0, new) }
        } catch {
            throw Failure(
                message: "the runner sent a schema that cannot be read: \(error.message)",
                status: .protocolError
            )
        }
    }

    static func write(_ text: String, to path: String) throws {
        guard path != "-" else {
            Console.print(text)
            return
        }
        try CommandFiles.replace(path, with: Array(text.utf8))
        Console.printError("wrote \(path)\n")
    }
}
