import WireBase
import WireConfig
import WireHTTP
import WireStore

/// The local API of what apps store.
struct StateRoutes: Sendable {
    private let service: PersistenceService

    init(_ service: PersistenceService) {
        self.service = service
    }

    var routes: [Route] {
        [
            Route(
                .get,
                "/v1/state",
                "The namespaces, with what they hold.",
                access: .read,
                inputs: Self.paging,
                .work { try namespaces($0) }
            ),
            Route(
                .get,
                "/v1/state/{namespace}",
                "The entries of a namespace without their values; as text/event-stream what changes in it.",
                access: .read,
                inputs: Self.paging + [
                    .init(.query, "watch", "Send what changes, as server-sent events whose ids are versions."),
                    .init(.header, "Accept", "text/event-stream is the same as 'watch'."),
                    .init(.header, "Last-Event-ID", "Go on after this version."),
                ],
                .snapshot(listOrWatch)
            ),
            Route(
                .delete,
                "/v1/state/{namespace}",
                "Remove all entries of a namespace.",
                access: .write,
                .work(clear)
            ),
            Route(
                .get,
                "/v1/state/{namespace}/{key…}",
                "A value as it was given, with its version as ETag.",
                access: .read,
                inputs: [.init(.header, "If-None-Match", "Answer 304 where this version is still the present one.")],
                .snapshot(get)
            ),
            Route(
                .put,
                "/v1/state/{namespace}/{key…}",
                "Store a value of any media type; answered when it is on the disk.",
                access: .write,
                // Read here, since only here it is known which line of the file sets the limit.
                body: .streamed(types: [], upTo: nil),
                inputs: [
                    .init(.header, "If-Match", "Only where one of these versions is stored; '*' where anything is."),
                    .init(.header, "If-None-Match", "'*': only where nothing is stored."),
                    .init(.header, "Corewire-TTL", "How long it is kept, such as 7d."),
                    .init(.query, "ttl", "The same."),
                ],
                .stream(put)
            ),
            Route(
                .delete,
                "/v1/state/{namespace}/{key…}",
                "Remove an entry.",
                access: .write,
                inputs: [.init(.header, "If-Match", "Only where one of these versions is stored.")],
                .work(remove)
            ),
        ]
    }

    private static let paging: [Route.Input] = [
        .init(.query, "prefix", "Only what begins so."),
        .init(.query, "after", "Only what follows this; the 'next' of the answer before."),
        .init(.query, "limit", "How many at most, 1 to 1000."),
    ]

    // MARK: Looking

    private func namespaces(_ request: Request) throws -> Response {
        let page = try request.page()
        let (found, isMore) = try asking { () throws(StateFailure) in
            try service.namespaces(page, among: request.rights.namespaces)
        }
        return .json(
            .members([
                "namespaces": .array(found.map { $0.area.json($0.usage) }),
                "next": isMore ? found.last.map { .string($0.area.name) } : nil,
            ])
        )
    }

    private func listOrWatch(_ request: Request) throws -> Response {
        try request.wantsChanges() ? StateStream(service, request).response() : list(request)
    }

    private func list(_ request: Request) throws -> Response {
        let page = try request.page(besides: ["watch"])
        let namespace = request[parameter: "namespace"]
        let (entries, isMore) = try asking { () throws(StateFailure) in try service.list(namespace, page) }
        return .json(
            .members([
                "namespace": .string(namespace), "entries": .array(entries.map(\.json)),
                "next": isMore ? entries.last.map { .string($0.key) } : nil,
            ])
        )
    }

    private func get(_ request: Request) throws -> Response {
        try request.allowQuery([])
        let (namespace, key) = request.entryName
        if request.fields["If-None-Match"] != nil {
            let summary = try asking { () throws(StateFailure) in try service.summary(of: key, in: namespace) }
            if let summary, var answer = try request.precondition(summary.tag) {
                answer.fields = summary.fields
                return answer
            }
        }
        let entry = try asking { () throws(StateFailure) in try service.get(key, in: namespace) }
        guard let entry else { throw Problem.noSuchEntry(key, in: namespace) }
        if request.fields["If-Match"] != nil { _ = try request.precondition(entry.summary.tag) }
        var fields = entry.summary.fields
        fields.add("Content-Type", entry.summary.type)
        // What somebody has stored must do nothing in the browser of somebody else.
        fields.add("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
        return Response(.ok, fields: fields, body: .bytes(entry.bytes))
    }

    // MARK: Changing

    private func put(_ request: Request, _ body: any BodyReader) async throws -> Response {
        let (namespace, key) = request.entryName
        let (type, lifetime) = (try request.valueType(), try request.lifetime())
        let announced = request.fields["Content-Length"].flatMap { Int($0) } ?? 0
        let limit = try asking { () throws(StateFailure) in try service.limit(ofValuesIn: namespace, announced) }
        let value: [UInt8]
        do {
            value = try await body.collect(upTo: limit)
        } catch is BodyTooLarge {
            _ = try asking { () throws(StateFailure) in try service.limit(ofValuesIn: namespace, limit.bytes + 1) }
            throw Problem.bodyTooLarge(limit)
        }
        // Only now: a version that was looked at before a slow body had come would be an old one.
        let condition = try condition(of: request)
        let receipt = try await asking { () async throws(StateFailure) in
            try await service.put(
                value,
                type: type,
                lifetime: lifetime,
                under: key,
                in: namespace,
                if: condition
            )
        }
        return Response(receipt.isNew ? .created : .ok, fields: receipt.entry.fields)
    }

    private func remove(_ request: Request) async throws -> Response {
        try request.allowQuery([])
        let (namespace, key) = request.entryName
        let condition = try condition(of: request)
        let wasThere = try await asking { () async throws(StateFailure) in
            try await service.remove(key, in: namespace, if: condition)
        }
        guard wasThere else { throw Problem.noSuchEntry(key, in: namespace) }
        return Response(.noContent)
    }

    private func clear(_ request: Request) async throws -> Response {
        try request.allowQuery([])
        let namespace = request[parameter: "namespace"]
        let count = try await asking { () async throws(StateFailure) in try await service.clear(namespace) }
        return .json(.members(["namespace": .string(namespace), "removed": .integer(count)]))
    }

    /// What must be so for a change, as the store can judge it while it changes.
    private func condition(of request: Request) throws -> StoreCondition {
        switch (try request.ifMatch(), try request.ifNoneMatch()) {
        case (nil, nil): return .always
        case (.any, nil): return .present
        case (nil, .any): return .absent
        default:
            // Versions are compared here; the one that was found must still be there when the change is made.
            let (namespace, key) = request.entryName
            let summary = try asking { () throws(StateFailure) in try service.summary(of: key, in: namespace) }
            _ = try request.precondition(summary?.tag)
            return summary.map { .version($0.version) } ?? .absent
        }
    }

    // MARK: Failing

    private func asking<Answer>(_ ask: () throws(StateFailure) -> Answer) throws(Problem) -> Answer {
        do throws(StateFailure) { return try ask() } catch { throw Problem(error) }
    }

    private func asking<Answer>(_ ask: () async throws(StateFailure) -> Answer) async throws(Problem) -> Answer {
        do throws(StateFailure) { return try await ask() } catch { throw Problem(error) }
    }
}
