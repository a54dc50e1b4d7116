import WireBackends
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireStore
import WireSyncContract
import WireTelemetry

/// The GraphQL server: GraphQL over HTTP below `/graphql`, with subscriptions by `text/event-stream` and WebSocket.
struct GraphQLServer: BuiltInServer {
    let part: GraphQLPart
    /// The issuer of the accepted tokens.
    let issuer: Issuer
    /// The WebSocket codec; nil where the program provides none.
    let framing: (any WebSocketFraming)?
    /// Fires when the server ends or the environment changes.
    let ending: OneShot
    let clock: TimeSource
    let log: Log

    /// The largest request that is accepted.
    private static let limit = ByteCount.mebibytes(1)

    var segments: [String] { ["graphql"] }

    func signs(at address: String) -> [EndpointInfo] {
        [EndpointInfo(title: "GraphQL: queries, mutations, subscriptions", places: ["\(address)/graphql"])]
    }

    func exchange(for head: Request) -> Exchange {
        guard head.target.segments == ["graphql"] else {
            return .plainly(.notFound, "unknown path, expected /graphql")
        }
        switch head.method {
        case .get: return Exchange(.stream(upTo: .bytes(0)) { request, _ in await answer(request).guarded() })
        case .post:
            return Exchange(.collect(upTo: Self.limit) { request in .later { await answer(request).guarded() } })
        default: return .refused(allowing: [.get, .post])
        }
    }

    private func answer(_ request: Request) async -> Response {
        do {
            guard let origin = try await origin(of: request) else { return Self.unauthorized }
            guard request.fields["Upgrade"] == nil else { return try socket(request, origin) }
            return try await answer(request, for: origin)
        } catch let problem as Problem {
            return problem.response
        } catch let error as EmbeddedError {
            return error.response
        } catch {
            report(error)
            return Problem(.unavailable, "unavailable", "the GraphQL server cannot be used now", detail: "try again")
                .response
        }
    }

    func report(_ error: any Error) {
        log.error("the GraphQL server failed", ["reason": .text((error as? StoreFailure)?.reason ?? "\(error)")])
    }

    private func socket(_ request: Request, _ origin: GraphQLPart.Origin) throws -> Response {
        guard let framing else {
            throw Problem(
                .notFound,
                "not-found",
                "WebSockets are not supported",
                detail: "this program provides no WebSockets"
            )
        }
        // The idempotency key of the handshake does not apply to the requests of the connection.
        let caller = GraphQLCaller(server: self, origin: GraphQLPart.Origin(caller: origin.caller))
        return try GraphQLSocket(caller, framing: framing, clock: clock, until: ending).response(to: request)
    }

    /// Returns the caller, or nil for an invalid token.
    ///
    /// Requests without a token are answered.
    private func origin(of request: Request) async throws -> GraphQLPart.Origin? {
        var origin = GraphQLPart.Origin(key: request.fields["Idempotency-Key"] ?? request.fields["Request-ID"])
        guard request.fields["Authorization"] != nil else { return origin }
        guard let caller = try await HaloCaller(request, issuer) else { return nil }
        origin.caller = caller.name
        return origin
    }

    private func answer(_ request: Request, for origin: GraphQLPart.Origin) async throws -> Response {
        let accepted = request.fields.values(of: "Accept")
        guard let form = ResponseForm.choose(accept: accepted) else {
            throw Self.refused(
                .notAcceptable,
                "expected to accept \(ResponseForm.ofAnswers.map(\.mediaType).joined(separator: ", "))"
            )
        }
        let asked = try read(request)
        let work: GraphQLPart.Work
        do throws(RefusedRequest) { work = try part.prepare(asked) } catch { return Self.response(error.result, form) }
        guard request.method == .post || work.kind == .query else {
            throw Self.refused(.wrongMethod, "send a \(work.kind.rawValue) by POST")
        }
        guard work.kind == .subscription else {
            return Self.response(try await part.execute(work, for: origin), form)
        }
        guard ResponseForm.choose(accept: accepted, from: ResponseForm.ofSubscriptions) != nil, !accepted.isEmpty else {
            throw Self.refused(.notAcceptable, "a subscription needs 'Accept: text/event-stream', or a WebSocket")
        }
        switch await part.subscribe(work) {
        case .refused(let result): return Self.response(result, .eventStream)
        case .answers(let answers): return stream(answers)
        }
    }

    private func read(_ request: Request) throws(EmbeddedError) -> GraphQLRequest {
        let isPost = request.method == .post
        let type = request.fields["Content-Type"].flatMap { MediaType(parsing: $0) }
        guard !isPost || type?.essence == "application/json" else {
            throw Self.refused(.wrongType, "expected 'Content-Type: application/json'")
        }
        let limits = ReadingLimits.graphQL(upTo: Self.limit)
        do throws(Fault) {
            return isPost
                ? try GraphQLRequest(reading: request.body, limits: limits)
                : try GraphQLRequest(parameters: request.target.query, limits: limits)
        } catch { throw Self.refused(.malformed, error.reason) }
    }

    // MARK: Responses

    private static func response(_ result: ExecutionResult, _ form: ResponseForm) -> Response {
        guard form != .eventStream else {
            return .events { writer in
                try await writer.write(event(.next(result.json)))
                try await writer.write(event(.complete))
            }
        }
        let outcome: RequestOutcome = result.data == nil ? .refused : .executed
        return .json(result.json, status: Status(outcome.status(in: form)), type: form.contentType)
    }

    /// The error for a request that has no GraphQL result.
    private static func refused(_ outcome: RequestOutcome, _ reason: String) -> EmbeddedError {
        let result = ExecutionResult(data: nil, errors: [ExecutionError(reason)])
        let status = Status(outcome.status(in: .json))
        var response = Response.json(result.json, status: status, type: ResponseForm.json.contentType)
        if outcome == .wrongMethod { response.fields.add("Allow", "POST") }
        return EmbeddedError(reason, response)
    }

    private static var unauthorized: Response {
        let result = ExecutionResult(
            data: nil,
            errors: [ExecutionError("the token is not valid", extensions: .code("UNAUTHENTICATED"))]
        )
        var response = Response.json(result.json, status: .unauthorized, type: ResponseForm.json.contentType)
        response.fields.add("WWW-Authenticate", "Bearer error=\"invalid_token\"")
        return response
    }

    private static func event(_ message: StreamMessage) -> [UInt8] {
        ServerSentEvent(event: message.name, data: message.data).bytes
    }

    /// The results of a subscription, with comments in between that detect a client's disconnect.
    private func stream(_ answers: SubscriptionAnswers) -> Response {
        let (clock, ending) = (clock, ending)
        return .events { writer in
            let line = AsyncMutex()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        for try await answer in answers {
                            try await line.alone { try await writer.write(Self.event(.next(answer.json))) }
                        }
                    } catch let error as ResolverError {
                        let result = ExecutionResult(data: .null, errors: [ExecutionError(error.message)])
                        try await line.alone { try await writer.write(Self.event(.next(result.json))) }
                    }
                    try await line.alone { try await writer.write(Self.event(.complete)) }
                    return true
                }
                group.addTask {
                    while true {
                        try await clock.sleep(.seconds(15))
                        try await line.alone { try await writer.write(ServerSentEvent.heartbeat) }
                    }
                }
                group.addTask {
                    await ending.wait()
                    return true
                }
                _ = try await group.next()
                group.cancelAll()
            }
        }
    }
}
