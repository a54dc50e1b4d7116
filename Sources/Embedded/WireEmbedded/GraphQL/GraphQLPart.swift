import WireBackends
import WireBase
import WireConfig
import WireGraphQL
import WireTelemetry

/// Executes GraphQL requests, independent of their transport.
struct GraphQLPart: Sendable {
    let seeds: GraphQLSeeds
    let store: ModelStore
    let memory: AnswerMemory
    let log: Log

    private var schema: Schema { seeds.schema.schema }

    /// A request that can be executed.
    struct Work: Sendable {
        let document: Syntax.Document
        let operation: Syntax.Operation
        let name: String?
        let variables: JSONValue
        var kind: OperationKind { operation.kind }
        var title: String { name ?? operation.name?.text ?? "" }
        /// Whether the request selects only `__schema`, `__type` and `__typename`.
        var isIntrospection: Bool {
            operation.selections.selections.allSatisfy { selection in
                if case .field(let field) = selection { field.name.text.hasPrefix("__") } else { false }
            }
        }
    }

    /// The caller and the idempotency key of a request.
    struct Origin: Sendable {
        var caller: String?
        var key: String?
    }

    /// Reads and validates the document and finds the operation; throws the reason for refusing the request.
    func prepare(_ request: GraphQLRequest) throws(RefusedRequest) -> Work {
        guard let text = request.query else {
            let isPersisted = request.extensions.contains { $0.key == "persistedQuery" }
            guard isPersisted else { throw RefusedRequest("'query' is missing") }
            throw RefusedRequest("PersistedQueryNotFound", extensions: .code("PERSISTED_QUERY_NOT_FOUND"))
        }
        let findings: [Finding]
        do throws(Finding) {
            let source = SourceFile(name: "request", bytes: Array(text.utf8), isFile: false)
            let document = try Parser.document(source, limits: .request)
            let operation = try Executor.operation(request.operationName, of: document)
            if let limit = RequestLimits().finding(of: operation, in: document) { throw limit }
            findings = Validator.findings(in: document, against: schema, limits: .request)
            if findings.isEmpty {
                let variables = JSONValue.object(request.variables)
                return Work(document: document, operation: operation, name: request.operationName, variables: variables)
            }
        } catch { throw RefusedRequest([error]) }
        throw RefusedRequest(findings)
    }

    /// Executes a query or a mutation.
    func execute(_ work: Work, for origin: Origin) async throws -> ExecutionResult {
        guard work.kind == .mutation else { return await run(work, key: nil) }
        log.info(
            "a mutation of the GraphQL server",
            ["operation": .text(work.title), "by": .text(origin.caller ?? "anonymous")]
        )
        return try await store.line.alone {
            guard let key = origin.key else { return await run(work, key: nil) }
            return try await memory.once(key, of: origin.caller, work) { await run(work, key: $0) }
        }
    }

    private func run(_ work: Work, key: String?) async -> ExecutionResult {
        guard seeds.schema.models.isEmpty else {
            return await executor(key).execute(work.document, operation: work.name, variables: work.variables)
        }
        // Introspection needs no result in the file.
        let introspection: JSONValue? = work.isIntrospection ? .object([("data", .object([]))]) : nil
        guard let answer = seeds.answers[work.title]?.result ?? introspection else {
            return ExecutionResult(data: nil, errors: [unknown(work)])
        }
        let executor = Executor(schema, FixedResolver(answer: FixedAnswer()))
        let root = answer["data"] ?? .null
        var result = await executor.execute(
            work.document,
            operation: work.name,
            variables: work.variables,
            root: root.members == nil ? .object([]) : root
        )
        if root.members == nil, result.data != nil { result = ExecutionResult(data: .null) }
        for error in answer["errors"]?.array ?? [] {
            result.errors.append(
                ExecutionError(error["message"]?.string ?? "the operation failed", extensions: error["extensions"])
            )
        }
        return result
    }

    /// Starts a subscription.
    func subscribe(_ work: Work) async -> Subscription {
        let executor: Executor
        if seeds.schema.models.isEmpty {
            guard let answer = seeds.answers[work.title] else {
                return .refused(ExecutionResult(data: nil, errors: [unknown(work)]))
            }
            executor = Executor(schema, FixedResolver(answer: answer))
        } else {
            executor = self.executor(nil)
        }
        return await executor.subscribe(work.document, operation: work.name, variables: work.variables)
    }

    private func executor(_ key: String?) -> Executor {
        Executor(schema, ModelResolver(schema: seeds.schema, store: store, key: key))
    }

    private func unknown(_ work: Work) -> ExecutionError {
        let known = seeds.answers.keys.sorted()
        let near = Nearest.name(to: work.title, among: known).map { ", did you mean '\($0)'?" }
        return ExecutionError("the data file has no result for the operation '\(work.title)'" + (near ?? ""))
    }
}

/// The reason for which a request is not executed.
struct RefusedRequest: Error {
    let result: ExecutionResult

    init(_ findings: [Finding]) { result = ExecutionResult(refused: findings) }

    init(_ message: String, extensions: JSONValue? = nil) {
        result = ExecutionResult(data: nil, errors: [ExecutionError(message, extensions: extensions)])
    }
}
