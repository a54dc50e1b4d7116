import WireBase
import WireConfig
import WireHTTP
import WireSyncContract

/// `corewire sync`: data by GraphQL.
enum SyncCommands {
    static let sync = Command(
        name: "sync",
        summary: "Run GraphQL operations.",
        subcommands: [
            query, mutate, SyncStreamCommands.watch, SyncStreamCommands.subscribe, subscriptions, refetch,
            SyncQueueCommands.queue, SyncCacheCommands.cache,
        ] + SyncFileCommands.all
    )

    private static let query = Command.call(
        "query",
        SyncCalls.query,
        summary: "Run a query.",
        discussion: """
            Prints a list of objects as a table, and other results as JSON. Exit status: 0 the
            result is complete, 1 the result has errors.
            """,
        words: [
            document.key: document.value, "var": .consumed(variableOption), "variables": .consumed(variablesOption),
            "policy": .option("The cache policy. (default: from the services file)"),
            "operation": .hidden, "query": .hidden,
        ],
        arguments: [operation],
        prepare: { input, invocation in
            let asked = try Asked(invocation)
            (input.operation, input.query, input.variables) = (asked.operation, asked.document, asked.variables)
        }
    ) { reply, paint in SyncText.answer(reply.answer, paint) }

    private static let mutate = Command.call(
        "mutate",
        SyncCalls.mutate,
        summary: "Run a mutation.",
        discussion: """
            With 'queueMutations', the mutation is stored before it is sent. Without a network, or
            if the server does not respond in time, the command prints the mutation's id and the
            expected result. Exit status: 0 the result is complete or the mutation is queued, 1 the
            result has errors.
            """,
        words: [
            document.key: document.value, "var": .consumed(variableOption), "variables": .consumed(variablesOption),
            "id": .option(value: "id", "The id of the mutation; a mutation with the same id is sent once."),
            "optimistic": .consumed(
                .init(name: "optimistic", value: "json", help: "The expected data, used until the server responds.")
            ),
            "wait": .option(
                value: "duration",
                "How long to wait for the server. (default: 10s with a network, else 0s)"
            ),
            "no-wait": .consumed(.init(name: "no-wait", help: "Return when the mutation is stored.")),
            "operation": .hidden, "query": .hidden,
        ],
        arguments: [operation],
        prepare: { input, invocation in
            let asked = try Asked(invocation)
            (input.operation, input.query, input.variables) = (asked.operation, asked.document, asked.variables)
            input.optimistic = try Asked.object("optimistic", invocation)
            if invocation.flag("no-wait") { input.wait = .zero }
        }
    ) { reply, paint in SyncText.answer(reply.answer, paint) }

    private static let refetch = Command.call(
        "refetch",
        SyncCalls.refetch,
        summary: "Run a declared query again, without the cache.",
        words: [
            "operation": .argument("operation", "The name of a declared query."),
            "variables": .consumed(variablesOption), "var": .consumed(variableOption),
        ],
        prepare: { input, invocation in input.variables = try Asked.variables(invocation) }
    ) { reply, _ in (reply.answer.isChanged ? "changed\n" : "unchanged\n", .success) }

    static let operation = Command.Argument(
        name: "operation",
        help: "The name of a declared operation, instead of --document.",
        isOptional: true
    )

    private static let document = (key: "document", value: MemberWords.consumed(documentOption))
    private static let documentOption = Command.Option(
        name: "document",
        value: "text",
        help: "A GraphQL document; '-' reads standard input."
    )
    /// The options for the operation and its variables.
    static let asking = [documentOption, variableOption, variablesOption]

    static let variableOption = Command.Option(
        name: "var",
        value: "name=value",
        help: "A variable; the value is JSON, or otherwise text.",
        isRepeated: true
    )
    static let variablesOption = Command.Option(
        name: "variables",
        value: "json",
        help: "The variables as a JSON object; --var adds to them."
    )

    /// The operation of the command line.
    struct Asked {
        let operation: String?
        let document: String?
        let variables: JSONValue?

        init(_ invocation: Invocation) throws {
            operation = invocation.argument(0)
            document = try Self.document(invocation)
            variables = try Self.variables(invocation)
            guard (operation == nil) != (document == nil) else {
                throw UsageError("expected either <operation> or --document", for: invocation.path)
            }
        }

        private static func document(_ invocation: Invocation) throws -> String? {
            guard let given = invocation.option("document"), given == "-" else { return invocation.option("document") }
            return String(decoding: try CommandFiles.standardInput(upTo: .mebibytes(1)), as: UTF8.self)
        }

        static func variables(_ invocation: Invocation) throws -> JSONValue? {
            var members: [(key: String, value: JSONValue)] = []
            if let given = try object("variables", invocation)?.members { members = given }
            for item in invocation.all("var") {
                guard let sign = item.firstIndex(of: "="), sign != item.startIndex else {
                    throw UsageError(
                        "--var takes 'name=value', not \(item.shown(upTo: 60).quoted)",
                        for: invocation.path
                    )
                }
                let (name, text) = (String(item[..<sign]), String(item[item.index(after: sign)...]))
                members.removeAll { $0.key == name }
                members.append((name, json(text) ?? .string(text)))
            }
            return members.isEmpty ? nil : .object(members)
        }

        static func object(_ option: String, _ invocation: Invocation) throws -> JSONValue? {
            guard let text = invocation.option(option) else { return nil }
            guard let given = json(text), given.members != nil else {
                throw UsageError("--\(option) takes a JSON object", for: invocation.path)
            }
            return given
        }

        private static func json(_ text: String) -> JSONValue? {
            text.isEmpty ? nil : try? JSONValue(parsing: Array(text.utf8), named: "value")
        }
    }
}
