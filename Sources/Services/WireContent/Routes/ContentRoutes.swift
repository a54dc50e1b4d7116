import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of content.
struct ContentRoutes: RouteGroup {
    private let service: ContentService

    init(_ service: ContentService) {
        self.service = service
    }

    // MARK: Looking

    func modules(_ request: Request) async throws -> Response {
        let (paging, policy) = (try request.contentPaging(), try request.offlinePolicy())
        let withFields = try request.queryFlag("withFields")
        return try await asking { () async throws(ContentFailure) in
            try await service.modules(paging, withFields: withFields, policy: policy)
        }.response()
    }

    func module(_ request: Request) async throws -> Response {
        let (withFields, policy) = (try request.queryFlag("withFields"), try request.offlinePolicy())
        return try await asking { () async throws(ContentFailure) in
            try await service.module(request[parameter: "module"], withFields: withFields, policy: policy)
        }.response()
    }

    func searchSimply(_ request: Request) async throws -> Response {
        let (query, policy) = (try request.contentQuery(), try request.offlinePolicy())
        return try await search(query, policy)
    }

    func search(_ request: Request) async throws -> Response {
        let query = try request.json { members throws(Problem) in try ContentQuery(&members) }
        return try await search(query, try request.offlinePolicy())
    }

    private func search(_ query: ContentQuery, _ policy: OfflinePolicy?) async throws -> Response {
        try await asking { () async throws(ContentFailure) in
            try await service.search(query, policy: policy)
        }.response()
    }

    func instance(_ request: Request) async throws -> Response {
        let policy = try request.offlinePolicy()
        let locale = try request.contentQuery().locale
        return try await asking { () async throws(ContentFailure) in
            try await service.instance(request[parameter: "id"], locale: locale, policy: policy)
        }.response()
    }

    // MARK: Changing

    func create(_ request: Request) async throws -> Response {
        let draft = try request.json { members throws(Problem) in
            let draft = try ContentDraft(&members)
            guard draft.module != nil else { throw members.failure("\"module\" is missing", "module") }
            return draft
        }
        let policy = try request.offlinePolicy()
        let bytes = try await asking { () async throws(ContentFailure) in
            try await service.create(draft, policy: policy)
        }
        return Self.changed(bytes, .created)
    }

    func update(_ request: Request) async throws -> Response {
        let draft = try request.json { members throws(Problem) in try ContentDraft(&members) }
        let policy = try request.offlinePolicy()
        let bytes = try await asking { () async throws(ContentFailure) in
            try await service.update(request[parameter: "id"], draft, policy: policy)
        }
        return Self.changed(bytes, .ok)
    }

    func delete(_ request: Request) async throws -> Response {
        let policy = try request.offlinePolicy()
        try await asking { () async throws(ContentFailure) in
            try await service.delete(request[parameter: "id"], policy: policy)
        }
        return Response(.noContent)
    }

    func batch(_ request: Request) async throws -> Response {
        let batch = try request.json { members throws(Problem) in try ContentBatch(&members) }
        let policy = try request.offlinePolicy()
        let outcomes = try await asking { () async throws(ContentFailure) in
            try await service.batch(batch, policy: policy)
        }
        return .json(
            .members([
                "operations": .array(outcomes.map(\.json)), "done": .integer(outcomes.count(where: \.isDone)),
                "failed": .integer(outcomes.count { !$0.isDone }),
                "conflicts": .integer(outcomes.count(where: \.isConflict)),
            ])
        )
    }

    /// A server that says nothing has nothing to add.
    private static func changed(_ bytes: [UInt8], _ status: Status) -> Response {
        bytes.isEmpty ? Response(.noContent) : ContentAnswer(bytes, .bypass).response(status)
    }

    // MARK: Copies

    func sync(_ request: Request) async throws -> Response {
        let module = try request.json { members throws(Problem) in try members.textIfAny("module") }
        let outcomes = try await asking { () async throws(ContentFailure) in try await service.sync(module) }
        return .json(.members(["modules": .array(outcomes.map(\.json))]))
    }

    func states(_ request: Request) async throws -> Response {
        let module = try request.queryText("module")
        let states = try await asking { () async throws(ContentFailure) in try service.syncStates(module) }
        return .json(.members(["modules": .array(states.map(\.json))]))
    }

    // MARK: Failing

    private func asking<Answer>(_ ask: () async throws(ContentFailure) -> Answer) async throws(Problem) -> Answer {
        do throws(ContentFailure) { return try await ask() } catch { throw Problem(error) }
    }
}

extension Request {
    /// What stored data are for, where the request says so.
    func offlinePolicy() throws(Problem) -> OfflinePolicy? {
        let name = "Corewire-Offline-Policy"
        let values = fields.values(of: name)
        guard let text = values.first else { return nil }
        guard values.count == 1, let policy = OfflinePolicy(rawValue: text) else {
            let found = values.count == 1 ? "found \(text.quoted)" : "it is there \(values.count) times"
            throw Problem(
                .badRequest,
                "malformed-field",
                "a field is not as expected",
                detail: "'\(name)': \(found), expected \(OfflinePolicy.allCases.map(\.rawValue).listed())"
            )
        }
        return policy
    }
}
