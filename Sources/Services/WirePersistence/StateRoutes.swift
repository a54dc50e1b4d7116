import WireBase
import WireConfig
import WireHTTP
import WireStore

/// The local API of what apps store.
struct StateRoutes: RouteGroup {
    private let service: PersistenceService

    init(_ service: PersistenceService) {
        self.service = service
    }

    // MARK: Looking

    func namespaces(_ request: Request) throws -> Response {
        let page = try request.page()
        let (found, isMore) = try asking { () throws(StateFailure) in
            try service.namespaces(page, among: request.rights.namespaces)
        }
        return .json(
            .members([
                "namespaces": .array(found.map { NamespaceSummary(area: $0.area, usage: $0.usage).json }),
                "next": isMore ? found.last.map { .string($0.area.name) } : nil,
            ])
        )
    }

    func listOrWatch(_ request: Request) throws -> Response {
        try request.wantsChanges() ? StateStream(service, request).response() : list(request)
    }

    private func list(_ request: Request) throws -> Response {
        let page = try request.page(besides: ["watch"])
        // Of no use here, and looked at all the same: a mistake that is passed over is found late.
        _ = try request.lastVersion()
        let namespace = request[parameter: "namespace"]
        let (entries, isMore) = try asking { () throws(StateFailure) in try service.list(namespace, page) }
        return .json(
            .members([
                "namespace": .string(namespace), "entries": .array(entries.map(\.json)),
                "next": isMore ? entries.last.map { .string($0.key) } : nil,
            ])
        )
    }

    func get(_ request: Request) throws -> Response {
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

    func put(_ request: Request, _ body: any BodyReader) async throws -> Response {
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

    func remove(_ request: Request) async throws -> Response {
        try request.allowQuery([])
        let (namespace, key) = request.entryName
        let condition = try condition(of: request)
        let wasThere = try await asking { () async throws(StateFailure) in
            try await service.remove(key, in: namespace, if: condition)
        }
        guard wasThere else { throw Problem.noSuchEntry(key, in: namespace) }
        return Response(.noContent)
    }

    func clear(_ request: Request) async throws -> Response {
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
