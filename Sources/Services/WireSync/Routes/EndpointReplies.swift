import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireSyncContract

/// The endpoint's response to one request.
struct EndpointReply: Sendable {
    let outcome: RequestOutcome
    let json: JSONValue
    /// The response as text, where that exists already.
    var text: [UInt8]?
    /// The source of the answer, for the field `Corewire-Cache`.
    var fact: String?
    /// Why there is no answer, where the request is not the cause.
    var failure: SyncFailureKind?

    static func refused(_ failure: SyncFailure) -> Self {
        Self(outcome: .refused, json: GraphQLErrors(failure).json, failure: failure.kind)
    }
}

extension SyncService {
    /// Runs a request of a GraphQL client; a safe one can only be a query.
    ///
    /// Its header fields may contain settings of the cache.
    func endpointReply(to request: GraphQLRequest, _ fields: Fields, rights: Rights, isSafe: Bool) async
        -> EndpointReply
    {
        let options: QueryOptions
        do throws(Fault) {
            options = try QueryOptions(request, fields)
        } catch {
            return EndpointReply(outcome: .malformed, json: GraphQLErrors(error.reason, code: "BAD_REQUEST").json)
        }
        do throws(SyncFailure) {
            let prepared: PreparedOperation
            switch try document(of: request) {
            case .failure(let reply): return reply
            case .success(let found): prepared = found
            }
            return try await reply(to: request, prepared, options, rights, isSafe: isSafe)
        } catch {
            return .refused(error)
        }
    }

    /// Answers a query from memory; nil where that is not enough, or for failures.
    func endpointReplyAtOnce(to request: GraphQLRequest, _ fields: Fields, rights: Rights) -> EndpointReply? {
        guard let options = try? QueryOptions(request, fields), let text = request.query, request.hash == nil,
            let prepared = preparation.ready(request.operationName, document: text), prepared.kind == .query,
            !prepared.asksSchemaOnly,
            var asked = try? asked(prepared, request.variables, tokens: rights.tokens)
        else { return nil }
        asked.maxAge = options.maxAge
        return queryAtOnce(asked, policy: options.policy).map { EndpointReply($0, options) }
    }

    /// Runs a mutation with files.
    func endpointReply(to upload: FormUpload, rights: Rights) async -> EndpointReply {
        do throws(SyncFailure) {
            let prepared: PreparedOperation
            switch try document(of: upload.request) {
            case .failure(let reply): return reply
            case .success(let found): prepared = found
            }
            guard prepared.kind == .mutation else {
                throw SyncFailure(.invalid, "files require a mutation, found a \(prepared.kind.rawValue)")
            }
            guard queue == nil else {
                throw SyncFailure(
                    .invalid,
                    "a mutation with files cannot be queued",
                    help: "'sync.queueMutations' queues each mutation; upload files with a separate request"
                )
            }
            try checkWriting(rights)
            let answer = try await send(upload, try asked(prepared, upload.variables, tokens: rights.tokens))
            return EndpointReply(outcome: answer.outcome, json: answer.response)
        } catch {
            guard let flaw = upload.flaw else { return .refused(error) }
            return EndpointReply(outcome: .malformed, json: GraphQLErrors(flaw.reason, code: "BAD_REQUEST").json)
        }
    }

    private func checkWriting(_ rights: Rights) throws(SyncFailure) {
        guard let access = rights.access, access >= .write else {
            throw SyncFailure(.notSent, "\(rights.account) may not run mutations")
        }
    }

    /// The request of a caller that can receive more than one result.
    enum LiveRequest {
        /// It is no subscription.
        case none
        case refused([JSONValue])
        case asked(AskedOperation)
    }

    func subscription(_ request: GraphQLRequest, _ rights: Rights) -> LiveRequest {
        do throws(SyncFailure) {
            guard case .success(let prepared) = try document(of: request), prepared.kind == .subscription else {
                return .none
            }
            return .asked(try asked(prepared, request.variables, tokens: rights.tokens))
        } catch {
            return .refused(GraphQLErrors(error).errors)
        }
    }

    private enum Found {
        case success(PreparedOperation)
        case failure(EndpointReply)
    }

    /// The operation of a request, by its document or the hash of one.
    private func document(of request: GraphQLRequest) throws(SyncFailure) -> Found {
        let hash = request.hash
        guard let text = request.query ?? hash.flatMap({ persisted.document($0) }) else {
            let unknown = GraphQLErrors("PersistedQueryNotFound", code: "PERSISTED_QUERY_NOT_FOUND")
            return .failure(EndpointReply(outcome: .refused, json: unknown.json))
        }
        let prepared: PreparedOperation
        do throws(DocumentRefusal) {
            prepared = try preparation.document(text, operation: request.operationName)
        } catch {
            return .failure(EndpointReply(outcome: .refused, json: GraphQLErrors(error).json))
        }
        if let hash, request.query != nil, !persisted.keep(text, hash) {
            throw SyncFailure(.invalid, "'extensions.persistedQuery.sha256Hash' is not the hash of the document")
        }
        return .success(prepared)
    }

    private func reply(
        to request: GraphQLRequest,
        _ prepared: PreparedOperation,
        _ options: QueryOptions,
        _ rights: Rights,
        isSafe: Bool
    ) async throws(SyncFailure) -> EndpointReply {
        switch prepared.kind {
        case .query:
            if let answer = await introspection(prepared, request.variables) { return answer }
            var asked = try asked(prepared, request.variables, tokens: rights.tokens)
            asked.maxAge = options.maxAge
            return EndpointReply(try await query(asked, policy: options.policy), options)
        case .mutation where isSafe:
            let errors = GraphQLErrors("mutations require POST", code: "METHOD_NOT_ALLOWED")
            return EndpointReply(outcome: .wrongMethod, json: errors.json)
        case .mutation:
            try checkWriting(rights)
            let answer = try await mutate(try asked(prepared, request.variables, tokens: rights.tokens))
            return EndpointReply(outcome: answer.outcome, json: answer.mutationResponse)
        case .subscription:
            throw SyncFailure(
                .invalid,
                "a subscription requires a stream",
                help: "connect by WebSocket, or send 'Accept: text/event-stream'"
            )
        }
    }

    /// Answers introspection from the schema file without the server; nil where another field is selected too.
    private func introspection(_ prepared: PreparedOperation, _ variables: [(key: String, value: JSONValue)]) async
        -> EndpointReply?
    {
        guard let schema = preparation.documents.schema, prepared.asksSchemaOnly else { return nil }
        let result = await Executor(schema, NoFields()).execute(prepared.document, variables: .object(variables))
        return EndpointReply(outcome: result.data == nil ? .refused : .executed, json: result.json)
    }

    private struct NoFields: FieldResolver {}
}

extension GraphQLRequest {
    /// The hash of a persisted query.
    fileprivate var hash: String? {
        extensions.first { $0.key == "persistedQuery" }?.value["sha256Hash"]?.string
    }
}

extension EndpointReply {
    /// The answer to a query.
    fileprivate init(_ answer: SyncAnswer, _ options: QueryOptions) {
        (outcome, fact) = (answer.outcome, answer.fact)
        json = options.isTold ? answer.toldResponse : answer.response
        text = options.isTold ? nil : answer.dataText.map { Array("{\"data\":".utf8) + $0 + [UInt8(ascii: "}")] }
    }
}

extension SyncAnswer {
    /// The answer as a GraphQL response.
    var response: JSONValue {
        .members([
            "data": data, "errors": errors.map(JSONValue.array), "extensions": extensions,
        ])
    }

    /// The answer to a query with its source, for clients that see no header fields.
    fileprivate var toldResponse: JSONValue {
        let told = JSONValue.members([
            "source": .string(source.rawValue), "age": age.map(JSONValue.integer), "stale": .boolean(isStale),
        ])
        let others = (extensions?.members ?? []).filter { $0.key != "corewire" }
        var answer = self
        answer.extensions = .object(others + [("corewire", told)])
        return answer.response
    }

    /// Without data the server has rejected the request, unless it is still to be sent.
    fileprivate var outcome: RequestOutcome { data == nil && state?.hasEnded != false ? .refused : .executed }

    /// The answer to a mutation: an optimistic one is marked as not being the server's.
    fileprivate var mutationResponse: JSONValue {
        guard let id, let state, !state.hasEnded else { return response }
        let queued = JSONValue.members(["state": .string(state.rawValue), "id": .string(id)])
        guard let data else {
            let extensions = JSONValue.members([
                "code": .string("QUEUED"), "id": .string(id), "state": .string(state.rawValue),
            ])
            let message = "the mutation is queued until the server can be reached"
            return .members([
                "errors": .array([.members(["message": .string(message), "extensions": extensions])]),
                "extensions": .object([("corewire", queued)]),
            ])
        }
        return .members(["data": data, "extensions": .object([("corewire", queued)])])
    }

    /// The source of the answer, as in all requests.
    fileprivate var fact: String {
        switch (source, isStale) {
        case (.server, _), (.queue, _): "miss"
        case (.cache, false): "hit; age=\(age ?? 0)"
        case (.cache, true): "stale; age=\(age ?? 0)"
        }
    }
}

extension PreparedOperation {
    /// Whether only introspection fields are selected from the root, apart from `__typename`.
    fileprivate var asksSchemaOnly: Bool {
        let names = rootFields(operation.selections, depth: 0)
        return names.contains { $0 != "__typename" } && names.allSatisfy { $0.hasPrefix("__") }
    }

    private func rootFields(_ set: Syntax.SelectionSet, depth: Int) -> [String] {
        // A valid document has no cycles; others are followed only this far.
        guard depth < 20 else { return ["…"] }
        return set.selections.flatMap { selection in
            switch selection {
            case .field(let field): [field.name.text]
            case .inline(let inline): rootFields(inline.selections, depth: depth + 1)
            case .spread(let spread):
                document.fragments.first { $0.name.text == spread.name.text }
                    .map { rootFields($0.selections, depth: depth + 1) } ?? ["…"]
            }
        }
    }
}
