import WireBase
import WireHTTP
import WireStateContract
import WireStore

/// Values as bodies, with the conditions of HTTP (RFC 9110, section 13).
extension StateRoutes {
    /// Responds at once where the store does not wait, as that of this machine does not.
    func get(_ request: Request) throws -> Route.Handler.Quick {
        let name = try StateEntryName(request)
        if request.isConditional {
            let summary = try service.lookAtOnce(name.key, in: name.namespace) { values, scope throws(StoreFailure) in
                try values.summary(name.key, in: scope)
            }
            guard let summary else { return .later { try await read(name, request) } }
            if let summary, let answer = try Self.unchanged(summary, request) { return .now(answer) }
        }
        let entry = try service.lookAtOnce(name.key, in: name.namespace) { values, scope throws(StoreFailure) in
            try values.entry(name.key, in: scope)
        }
        guard let entry else { return .later { try await read(name, request) } }
        return .now(try Self.response(entry, name, request))
    }

    private func read(_ name: StateEntryName, _ request: Request) async throws -> Response {
        if request.isConditional, let summary = try await service.summary(of: name.key, in: name.namespace),
            let answer = try Self.unchanged(summary, request)
        {
            return answer
        }
        return try Self.response(try await service.get(name.key, in: name.namespace), name, request)
    }

    private static func unchanged(_ summary: StoredEntry.Summary, _ request: Request) throws -> Response? {
        guard var answer = try request.precondition(summary.tag) else { return nil }
        answer.fields = summary.fields
        return answer
    }

    private static func response(_ entry: StoredEntry?, _ name: StateEntryName, _ request: Request) throws -> Response {
        guard let entry else { throw noSuchEntry(name) }
        if request.fields["If-Match"] != nil { _ = try request.precondition(entry.summary.tag) }
        var fields = entry.summary.fields
        fields.add("Content-Type", entry.summary.type)
        // A value of one user must do nothing in the browser of another.
        fields.add("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
        return Response(.ok, fields: fields, body: .bytes(entry.bytes))
    }

    func put(_ request: Request, _ body: any BodyReader) async throws -> Response {
        let name = try StateEntryName(request)
        let (type, lifetime) = (try request.valueType(), try request.lifetime())
        let announced = request.fields["Content-Length"].flatMap { Int($0) } ?? 0
        let limit = try service.limit(ofValuesIn: name.namespace, announced)
        let value: [UInt8]
        do {
            value = try await body.collect(upTo: limit)
        } catch is BodyTooLarge {
            _ = try service.limit(ofValuesIn: name.namespace, limit.bytes + 1)
            throw Problem.bodyTooLarge(limit)
        }
        let receipt = try await service.put(
            value,
            type: type,
            lifetime: lifetime,
            under: name.key,
            in: name.namespace,
            // Read only now: a slow body may outlast an earlier version.
            if: try await condition(of: request, on: name)
        )
        return Response(receipt.isNew ? .created : .ok, fields: receipt.entry.fields)
    }

    func remove(_ request: Request) async throws -> Response {
        let name = try StateEntryName(request)
        let condition = try await condition(of: request, on: name)
        guard try await service.remove(name.key, in: name.namespace, if: condition) else {
            throw Self.noSuchEntry(name)
        }
        return Response(.noContent)
    }

    /// The condition of a change, for the store to check in the same transaction.
    private func condition(of request: Request, on name: StateEntryName) async throws -> StoreCondition {
        switch (try request.ifMatch(), try request.ifNoneMatch()) {
        case (nil, nil): return .always
        case (.any, nil): return .present
        case (nil, .any): return .absent
        default:
            // Versions are compared here; the store checks that the found one is still present at the change.
            let summary = try await service.summary(of: name.key, in: name.namespace)
            _ = try request.precondition(summary?.tag)
            return summary.map { .version($0.version) } ?? .absent
        }
    }

    private static func noSuchEntry(_ name: StateEntryName) -> StateFailure {
        StateFailure(.noSuchEntry, "unknown entry \(name.key.quoted) in the namespace '\(name.namespace)'")
    }
}

extension Request {
    /// Whether the client has a version already.
    fileprivate var isConditional: Bool { fields["If-None-Match"] != nil }
}
