import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

/// The local API of the pipeline: requests below `/v1/network/` are forwarded to the server.
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

    // MARK: Responses

    /// A small body is read completely before it is passed on, without a stream.
    private static let small = 65_536

    private static func response(to request: Request, _ answer: ServerAnswer) async throws -> Response {
        var fields = HeaderFilter.answered(answer.fields)
        fields.add("Corewire-Attempts", "\(answer.attempts)")
        if answer.waited > .zero { fields.add("Corewire-Waited", answer.waited.inWholeMilliseconds) }
        // A server's response must not run in a browser that is signed in to the console.
        fields.add("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
        let length = answer.fields["Content-Length"].flatMap { Int($0) }
        if request.method == .head, length != nil {
            // A HEAD response announces the length of the body.
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
    /// Reads a whole body of known length; a single chunk is not copied.
    fileprivate func whole(_ length: Int) async throws -> [UInt8] {
        guard var bytes = try await read() else { return [] }
        if bytes.count < length { bytes.reserveCapacity(length) }
        // A complete body needs no read of its end.
        while bytes.count < length, let more = try await read() { bytes += more }
        return bytes
    }
}
