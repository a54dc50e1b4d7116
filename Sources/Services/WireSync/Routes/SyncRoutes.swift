import WireConfig
import WireGraphQL
import WireHTTP
import WireSyncContract

/// The local API of synchronised data, shared with code in the same process.
struct SyncRoutes: RouteGroup {
    let service: SyncService

    init(_ service: SyncService) { self.service = service }

    static let table: [RouteEntry<SyncRoutes>] = [
        .call(SyncCalls.query, atOnce: SyncRoutes.stored, orBy: SyncRoutes.query),
        .call(SyncCalls.mutate, by: SyncRoutes.mutate),
        .call(SyncCalls.queue, by: SyncRoutes.queue),
        .call(SyncCalls.queued, by: SyncRoutes.queued),
        .call(SyncCalls.drop, by: SyncRoutes.drop),
        .call(SyncCalls.resolve, by: SyncRoutes.resolve),
        .call(SyncCalls.cache, by: SyncRoutes.cache),
        .call(SyncCalls.clearCache, by: SyncRoutes.clearCache),
        .call(SyncCalls.refetch, by: SyncRoutes.refetch),
        .call(SyncCalls.operations, atOnce: SyncRoutes.operations),
        .call(SyncCalls.schema, by: SyncRoutes.schema),
        .call(SyncCalls.subscriptions, atOnce: SyncRoutes.subscriptions),
        .init(GraphQLEndpoint.posted) { group in
            .streamOf(
                GraphQLEndpoint.formType,
                group.endpoint.upload,
                orElse: .snapshotOrWork(group.endpoint.post)
            )
        },
        .init(GraphQLEndpoint.gotten) { group in .work(group.endpoint.get) },
        .init(SyncStreams.watched) { group in .work(SyncStreams(service: group.service).watch) },
        .init(SyncStreams.subscribed) { group in .work(SyncStreams(service: group.service).subscribe) },
    ]

    private var endpoint: GraphQLEndpoint { GraphQLEndpoint(service: service) }

    private func query(_ request: APIRequest<SyncQuery>) async throws(SyncFailure) -> APIReply<SyncAnswer> {
        let prepared = try service.prepared(request.operation, request.query, expected: .query)
        let asked = try asked(prepared, request.variables, request.rights)
        return APIReply(try await service.query(asked, policy: request.policy))
    }

    /// Answers from memory, where that is possible.
    private func stored(_ request: APIRequest<SyncQuery>) -> APIReply<SyncAnswer>? {
        guard
            (request.operation == nil) != (request.query == nil),
            let prepared = service.preparation.ready(request.operation, document: request.query),
            prepared.kind == .query, let asked = try? asked(prepared, request.variables, request.rights),
            let answer = service.queryAtOnce(asked, policy: request.policy)
        else { return nil }
        return APIReply(answer)
    }

    private func mutate(_ request: APIRequest<SyncMutation>) async throws(SyncFailure) -> APIReply<SyncAnswer> {
        let prepared = try service.prepared(request.operation, request.query, expected: .mutation)
        let asked = try asked(prepared, request.variables, request.rights)
        let answer = try await service.mutate(
            asked,
            id: request.id,
            optimistic: request.optimistic,
            wait: request.wait
        )
        return answer.state?.hasEnded == false ? APIReply(answer, .accepted) : APIReply(answer)
    }

    private func queue(_ request: APIRequest<SyncQueueRequest>) async throws(SyncFailure) -> APIReply<SyncQueue> {
        APIReply(try await service.queued(request.input, request.rights.tokens))
    }

    private func queued(_ request: APIRequest<SyncMutationID>) async throws(SyncFailure) -> APIReply<SyncQueued> {
        APIReply(try await service.queued(request.id, request.rights.tokens))
    }

    private func drop(_ request: APIRequest<SyncMutationID>) async throws(SyncFailure) -> APIReply<Nothing> {
        try await service.drop(request.id, request.rights.tokens)
        return .done
    }

    private func resolve(_ request: APIRequest<SyncDecision>) async throws(SyncFailure) -> APIReply<SyncQueued> {
        APIReply(try await service.decide(request.input, request.rights.tokens))
    }

    private func cache(_ request: APIRequest<NoInput>) async throws(SyncFailure) -> APIReply<SyncCacheStatus> {
        APIReply(try await service.cacheStatus(request.rights.tokens))
    }

    private func clearCache(_ request: APIRequest<NoInput>) async throws(SyncFailure) -> APIReply<SyncCacheCleared> {
        APIReply(SyncCacheCleared(records: try await service.clearCache(request.rights.tokens)))
    }

    private func refetch(_ request: APIRequest<SyncRefetch>) async throws(SyncFailure) -> APIReply<SyncRefetched> {
        let prepared = try service.prepared(request.operation, nil, expected: .query)
        let asked = try asked(prepared, request.variables, request.rights)
        return APIReply(SyncRefetched(isChanged: try await service.refetch(asked)))
    }

    private func asked(_ prepared: PreparedOperation, _ variables: JSONValue?, _ rights: Rights) throws(SyncFailure)
        -> AskedOperation
    {
        try service.asked(prepared, try Self.members(variables), tokens: rights.tokens)
    }

    private func operations(_ request: APIRequest<NoInput>) throws(SyncFailure) -> APIReply<SyncOperations> {
        APIReply(SyncOperations(service.preparation.documents.described))
    }

    private func subscriptions(_ request: APIRequest<NoInput>) throws(SyncFailure) -> APIReply<SyncSubscriptions> {
        // Errors of servers, counts and times are user data too.
        if let refusal = service.showRefusal(request.rights.tokens) { throw refusal }
        return APIReply(service.live)
    }

    private func schema(_ request: APIRequest<NoInput>) async throws(SyncFailure) -> APIReply<SyncSchema> {
        APIReply(SyncSchema(SchemaPrinter.text(try await service.serverSchema(request.rights.tokens))))
    }

    private static func members(_ variables: JSONValue?) throws(SyncFailure) -> [(key: String, value: JSONValue)] {
        guard let variables else { return [] }
        guard let members = variables.members else {
            throw SyncFailure(.invalid, "'variables': expected an object")
        }
        return members
    }
}
