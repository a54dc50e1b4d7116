import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

/// The local API of the pipeline: what comes below `/v1/network/` goes on to the server, and its answer comes back.
struct NetworkRoutes: RouteGroup {
    private let service: NetworkService

    init(_ service: NetworkService) {
        self.service = service
    }

    func pass(_ request: Request, _ body: any BodyReader) async throws -> Response {
        let limit = service.present.settings.limits.maxBodySize
        if let length = request.fields["Content-Length"].flatMap({ Int($0) }), length > limit.bytes {
            throw bodyTooLarge()
        }
        let incoming = try await IncomingCall(request, body, upTo: limit)
        let answer: ServerAnswer
        do throws(CallFailure) {
            answer = try await service.send(incoming.call)
        } catch {
            if incoming.isTooLarge { throw bodyTooLarge() }
            throw Problem(error)
        }
        return try await Self.response(to: request, answer)
    }

    private func bodyTooLarge() -> Problem {
        let (limits, host) = (service.present.settings.limits, service.present.host)
        var problem = Problem.bodyTooLarge(limits.maxBodySize)
        problem.origin = host.places.origin(of: limits.$maxBodySize, "network.limits.maxBodySize")
        return problem
    }

    // MARK: Answering

    /// What is no larger is read before it is passed on, which spares a stream where the answer is there at once.
    private static let small = 65_536

    private static func response(to request: Request, _ answer: ServerAnswer) async throws -> Response {
        var fields = Hygiene.answered(answer.fields)
        fields.add("Corewire-Attempts", "\(answer.attempts)")
        if answer.waited > .zero { fields.add("Corewire-Waited", answer.waited.inWholeMilliseconds) }
        // What a server says must do nothing in a browser that is signed in to the console.
        fields.add("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
        let length = answer.fields["Content-Length"].flatMap { Int($0) }
        if request.method == .head, length != nil {
            // A stream says the length of what it would be.
            return Response(answer.status, fields: fields, body: .stream { _ in })
        }
        guard request.method != .head, ![204, 304].contains(answer.status.code), length != 0 else {
            return Response(answer.status, fields: fields)
        }
        let body = answer.body
        if let stored = body as? StoredBody {
            return Response(answer.status, fields: fields, body: .bytes(stored.bytes))
        }
        guard let length, length <= small else {
            return Response(
                answer.status,
                fields: fields,
                body: .stream { writer in
                    while let bytes = try await body.read() { try await writer.write(bytes) }
                }
            )
        }
        do {
            return Response(answer.status, fields: fields, body: .bytes(try await body.whole(length)))
        } catch let failure as TransferFailure {
            throw Problem.broken(failure)
        }
    }
}

extension BodyReader {
    /// All of a body whose length is known; the one piece it mostly comes in is not copied.
    fileprivate func whole(_ length: Int) async throws -> [UInt8] {
        guard var bytes = try await read() else { return [] }
        if bytes.count < length { bytes.reserveCapacity(length) }
        // When all of it is here nobody waits for its end to be told.
        while bytes.count < length, let more = try await read() { bytes += more }
        return bytes
    }
}
