import Synchronization
import WireBase
import WireHTTP
import WireStateContract
import WireStore

/// Values as bodies, with the conditions of HTTP (RFC 9110, section 13).
extension StateRoutes {
    /// Responds at once where the store does not wait, as that of this machine does not.
    func get(_ request: Request) throws -> Route.Handler.Quick {
        let answer = Answer()
        let reading = Task.immediate {
            do { answer.give(.success(try await read(request))) } catch { answer.give(.failure(error)) }
        }
        if let result = answer.result { return .now(try result.get()) }
        return .later {
            await withTaskCancellationHandler {
                await reading.value
            } onCancel: {
                reading.cancel()
            }
            guard let result = answer.result else { throw CancellationError() }
            return try result.get()
        }
    }

    /// The result of a read, once it is there.
    private final class Answer: Sendable {
        private let state = Mutex<Result<Response, any Error>?>(nil)

        var result: Result<Response, any Error>? { state.withLock { $0 } }
        func give(_ result: Result<Response, any Error>) { state.withLock { $0 = result } }
    }

    private func read(_ request: Request) async throws -> Response {
        let name = try StateEntryName(request)
        if request.fields["If-None-Match"] != nil,
            let summary = try await service.summary(of: name.key, in: name.namespace),
            var answer = try request.precondition(summary.tag)
        {
            answer.fields = summary.fields
            return answer
        }
        guard let entry = try await service.get(name.key, in: name.namespace) else { throw Self.noSuchEntry(name) }
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
