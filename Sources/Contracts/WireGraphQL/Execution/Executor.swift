import WireBase
package import WireConfig

/// Executes the operations of documents that are valid for a schema (GraphQL specification, section 6).
///
/// Fields are resolved sequentially, also in queries, because resolvers read from memory or a store. A document that
/// was not validated does no harm: unknown parts are omitted or are errors.
package struct Executor: Sendable {
    package let schema: Schema
    package let resolver: any FieldResolver
    package var limits: ExecutionLimits

    package init(_ schema: Schema, _ resolver: any FieldResolver, limits: ExecutionLimits = ExecutionLimits()) {
        self.schema = schema
        self.resolver = resolver
        self.limits = limits
    }

    /// Executes a query or mutation.
    package func execute(
        _ document: Syntax.Document,
        operation name: String? = nil,
        variables: JSONValue = .object([]),
        root: JSONValue = .object([])
    ) async -> ExecutionResult {
        let request: Request
        do throws(Refusal) {
            request = try prepare(document, name, variables)
            guard request.operation.kind != .subscription else {
                throw Refusal(Finding(.operationName, "a subscription requires a stream", at: request.place))
            }
        } catch { return ExecutionResult(refused: error.findings) }
        return await execution(request).run(request.operation, on: request.root, root)
    }

    /// Executes a subscription, with one response for each event of its source.
    package func subscribe(
        _ document: Syntax.Document,
        operation name: String? = nil,
        variables: JSONValue = .object([])
    ) async -> Subscription {
        do throws(Refusal) {
            let request = try prepare(document, name, variables)
            guard request.operation.kind == .subscription else {
                throw Refusal(Finding(.operationName, "the operation is not a subscription", at: request.place))
            }
            switch await execution(request).source(of: request.operation, on: request.root) {
            case .failure(let error): return .refused(ExecutionResult(data: nil, errors: [error]))
            case .success(let events):
                return .answers(SubscriptionAnswers(executor: self, request: request, events: events))
            }
        } catch { return .refused(ExecutionResult(refused: error.findings)) }
    }

    func execution(_ request: Request) -> Execution {
        Execution(self, request.fragments, request.variables)
    }
}

/// The result of starting a subscription.
package enum Subscription: Sendable {
    /// The subscription could not be started.
    case refused(ExecutionResult)
    case answers(SubscriptionAnswers)
}

/// The responses of a subscription, until its source ends or fails.
package struct SubscriptionAnswers: AsyncSequence, Sendable {
    let executor: Executor
    let request: Executor.Request
    let events: AsyncThrowingStream<JSONValue, any Error>

    package func makeAsyncIterator() -> Iterator {
        Iterator(executor: executor, request: request, events: events.makeAsyncIterator())
    }

    package struct Iterator: AsyncIteratorProtocol {
        let executor: Executor
        let request: Executor.Request
        var events: AsyncThrowingStream<JSONValue, any Error>.Iterator

        package mutating func next() async throws -> ExecutionResult? { try await next(isolation: nil) }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws -> ExecutionResult? {
            guard let event = try await events.next(isolation: actor) else { return nil }
            return await executor.execution(request).run(request.operation, on: request.root, event)
        }
    }
}

// MARK: Selecting the operation

extension Executor {
    /// An operation that can be executed.
    struct Request: Sendable {
        let operation: Syntax.Operation
        let root: Schema.NamedType
        let fragments: [String: Syntax.Fragment]
        let variables: [String: JSONValue]

        var place: SourceRange { operation.place }
    }

    struct Refusal: WrappingError {
        typealias Cause = Finding

        let findings: [Finding]

        init(_ findings: [Finding]) { self.findings = findings }

        init(_ finding: Finding) { findings = [finding] }
    }

    /// The operation with that name, or the only one.
    package static func operation(_ name: String?, of document: Syntax.Document) throws(Finding) -> Syntax.Operation {
        let operations = document.operations
        if let name {
            if let operation = operations.first(where: { $0.name?.text == name }) { return operation }
            let near = Nearest.name(to: name, among: operations.compactMap { $0.name?.text })
            throw Finding(
                .operationName,
                "unknown operation '\(name)'",
                at: nil,
                help: near.map { "did you mean '\($0)'?" }
            )
        }
        guard let first = operations.first else {
            throw Finding(.operationName, "the document has no operation", at: document.definitions.first?.place)
        }
        guard operations.count == 1 else {
            let message = "the document has \(operations.count) operations, and the request names none"
            throw Finding(.operationName, message, at: operations[1].place, help: "set 'operationName'")
        }
        return first
    }

    private func prepare(_ document: Syntax.Document, _ name: String?, _ variables: JSONValue) throws(Refusal)
        -> Request
    {
        let operation = try Refusal.rethrowing(try Self.operation(name, of: document))
        guard let root = schema.root(of: operation.kind).flatMap(schema.type) else {
            throw Refusal(
                Finding(.operationName, "the schema has no \(operation.kind.rawValue) type", at: operation.place)
            )
        }
        return Request(
            operation: operation,
            root: root,
            fragments: Dictionary(document.fragments.map { ($0.name.text, $0) }) { first, _ in first },
            variables: try coerced(variables, for: operation)
        )
    }

    private func coerced(_ given: JSONValue, for operation: Syntax.Operation) throws(Refusal) -> [String: JSONValue] {
        let (values, findings) = InputCoercion.variables(given, of: operation, in: schema)
        guard findings.isEmpty else { throw Refusal(Array(findings.prefix(limits.errors))) }
        return values
    }
}
