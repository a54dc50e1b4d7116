import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireNetworkContract

/// `corewire content`: content of the server and its local copies.
enum ContentCommands {
    static let content = Command(
        name: "content",
        summary: "Search, change and sync the content of the server.",
        subcommands: [modules, search, get, create, update, remove, batch, sync]
    )

    // MARK: Reading

    private static let modules = Command.call(
        "modules",
        ContentCalls.modules,
        summary: "List the modules of the server.",
        words: [
            "page": page, "limit": limit, "skip": all,
            "withFields": .option("Include the fields of instances."), "Corewire-Offline-Policy": offline,
        ],
        prepare: checkPaging,
        perform: patiently(ContentCalls.modules)
    ) { reply, paint in (ContentText.modules(reply, paint), .success) }

    private static let search = Command.call(
        "search",
        ContentCalls.searchSimply,
        summary: "Search instances.",
        discussion: """
            --where filters by the fields of instances, --where-meta by the properties that all
            instances have (name, createdAt, …):

              corewire content search --module news --where 'price > 10 and name like "a"'

            Operators: = != > < >= <= in !in like, and, or and parentheses; texts are quoted.

            Exit status: 0 success, 1 rejected.
            """,
        words: [
            "module": .option(value: "name", "The module: its name in the file, or at the server."),
            "where": .option(value: "filter", "A filter by fields."),
            "whereMeta": .option(value: "filter", "A filter by the members of all instances."),
            "sort": .option(value: "fields", "The sort order, such as name asc,createdAt desc."),
            "fields": .option(value: "names", "Only these fields, separated by commas."),
            "include": .option(value: "names", "Fields whose references are resolved; 'all' for all."),
            "page": page, "limit": limit, "skip": all, "locale": locale, "Corewire-Offline-Policy": offline,
            "ids": .hidden,
        ],
        prepare: checkPaging,
        perform: patiently(ContentCalls.searchSimply)
    ) { reply, paint in (ContentText.instances(reply, paint), .success) }

    private static let get = Command.call(
        "get",
        ContentCalls.instance,
        summary: "Print an instance as sent by the server.",
        words: ["id": id, "locale": locale, "Corewire-Offline-Policy": offline],
        perform: patiently(ContentCalls.instance)
    ) { reply, _ in (reply.json.text(indented: true) + "\n", .success) }

    private static let page = MemberWords.option(value: "number", "The page. (default: 1)")
    private static let limit = MemberWords.option(value: "number", "The page size. (default: from the services file)")
    private static let all = MemberWords.flag("all", "Print all on one page.", meaning: "true")
    private static let locale = MemberWords.option(
        value: "language",
        "The language, such as en-US. (default: from the services file)"
    )
    private static let offline = MemberWords.flag(
        "offline",
        "Use only stored content; send no request.",
        meaning: OfflinePolicy.returnLocalDataDontLoad.rawValue
    )
    private static let id = MemberWords.argument("id", "The id of the instance.")

    @Sendable
    private static func checkPaging<Input>(_ input: inout Input, _ invocation: Invocation) throws {
        for name in ["page", "limit"] where invocation.flag("all") && invocation.option(name) != nil {
            throw UsageError("--all and --\(name) exclude each other", for: invocation.path)
        }
    }

    // MARK: Changing

    private static let create = Command(
        name: "create",
        summary: "Create an instance at the server.",
        arguments: [.init(name: "module", help: "The module: the name in the file, or at the server."), values],
        options: RunnerCommands.outputOptions + [name]
    ) { invocation in
        let draft = try draft(of: invocation.argument(0), invocation)
        return try await change(ContentCalls.create, ContentCreation(draft), "created", invocation)
    }

    private static let update = Command(
        name: "update",
        summary: "Change fields of an instance at the server.",
        arguments: [.init(name: "id", help: "The id of the instance."), values],
        options: RunnerCommands.outputOptions + [
            name, .init(name: "module", value: "name", help: "The module to move it to."),
        ]
    ) { invocation in
        let draft = try draft(of: invocation.option("module"), invocation)
        let input = ContentChange(of: invocation.argument(0) ?? "", draft)
        return try await change(ContentCalls.update, input, "changed", invocation)
    }

    private static let values = Command.Argument(
        name: "values",
        help: "The fields, a JSON object. (default: standard input)",
        isOptional: true
    )
    private static let name = Command.Option(name: "name", value: "name", help: "The name of the instance.")

    /// The instance of the command line; its fields may be on standard input.
    private static func draft(of module: String?, _ invocation: Invocation) throws -> ContentDraft {
        let given = invocation.argument(1)
        if given == nil, let word = invocation.argument(0), word.hasPrefix("{") {
            let missing = invocation.command.arguments.first?.name ?? "module"
            throw UsageError("missing <\(missing)>: the values follow it", for: invocation.path)
        }
        let (bytes, name) =
            try given.map { (Array($0.utf8), "<values>") } ?? (
                CommandFiles.standardInput(upTo: ContentCalls.size), "standard input"
            )
        let values = try read(JSONValue.self, bytes, name, invocation)
        guard values.members != nil else { throw UsageError("\(name): expected a JSON object", for: invocation.path) }
        return ContentDraft(module: module, name: invocation.option("name"), values: values)
    }

    private static func change<Input>(
        _ call: APICall<Input, ContentDocument, ContentFailureKind>,
        _ input: Input,
        _ word: String,
        _ invocation: Invocation
    ) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let reply = try await patiently(call)(RunnerClient(invocation), input, invocation)
        let json = reply.status == .noContent ? .members(["done": .boolean(true)]) : reply.json
        showing.show(json) { "\(word)\(json.line("id").map { " \($0)" } ?? "")\n" }
        return .success
    }

    private static let remove = Command.call(
        "remove",
        ContentCalls.remove,
        summary: "Delete an instance at the server.",
        words: ["id": id, "Corewire-Offline-Policy": .hidden],
        done: "removed",
        perform: patiently(ContentCalls.remove)
    ) { _, _ in ("removed\n", .success) }

    private static let batch = Command(
        name: "batch",
        summary: "Send a batch of independent changes from standard input.",
        discussion: """
            Standard input is JSON: created, updated and createdOrUpdated list instances, deleted
            lists {"id": …}, truncated lists {"module": …}. A concurrent change is a conflict.

            Exit status: 0 all changes made, 1 rejected, or a change failed.
            """,
        options: RunnerCommands.outputOptions
    ) { invocation in
        let showing = try Display(invocation)
        let batch = try read(
            ContentBatch.self,
            CommandFiles.standardInput(upTo: ContentCalls.size),
            "standard input",
            invocation
        )
        let reply = try await patiently(ContentCalls.batch)(RunnerClient(invocation), batch, invocation)
        showing.show(reply.json) { ContentText.outcomes(reply.answer.operations, showing.paint) }
        return reply.answer.failed == 0 ? .success : .problemsFound
    }

    /// Decodes input of the command line.
    private static func read<Value: JSONCodable>(
        _ type: Value.Type,
        _ bytes: [UInt8],
        _ name: String,
        _ invocation: Invocation
    ) throws -> Value {
        do throws(JSONMismatch) {
            return try Value(parsing: bytes, named: "text")
        } catch {
            let place = error.pointer.isEmpty ? "" : "\(error.pointer): "
            throw UsageError("\(name): \(place)\(error.detail)", for: invocation.path)
        }
    }

    // MARK: Copies

    private static let sync = Command(
        name: "sync",
        summary: "Sync the local copies of modules.",
        discussion: """
            With --status, prints the state of the copies and of the last syncs, without a sync.

            Exit status: 0 up to date, 1 a copy is not up to date.
            """,
        arguments: [.init(name: "module", help: "Only this module. (default: all)", isOptional: true)],
        options: RunnerCommands.outputOptions + [
            .init(name: "status", help: "Show the state of the copies, without a sync.")
        ]
    ) { invocation in
        let (showing, client, module) = (try Display(invocation), try RunnerClient(invocation), invocation.argument(0))
        if invocation.flag("status") {
            let reply = try await client.perform(ContentCalls.copies, ContentCopiesRequest(module))
            showing.show(reply.json) { ContentText.copies(reply.answer.modules, showing.paint, withLog: module != nil) }
            return .success
        }
        let reply = try await patiently(ContentCalls.sync)(client, ContentSyncRequest(module), invocation)
        showing.show(reply.json) { ContentText.synced(reply.answer.modules, showing.paint) }
        return reply.answer.modules.allSatisfy(\.isDone) ? .success : .problemsFound
    }

    /// Makes a call with a long timeout and a large answer, up to the limit of the file.
    private static func patiently<Input, Answer>(
        _ call: APICall<Input, Answer, ContentFailureKind>
    ) -> @Sendable (RunnerClient, Input, Invocation) async throws -> RunnerReply<Answer> {
        { client, input, _ in
            let limit = call.operation.method.isSafe ? .seconds(120) : RunnerClient.changeLimit
            return try await client.perform(call, input, within: limit, upTo: .mebibytes(1_025))
        }
    }
}
