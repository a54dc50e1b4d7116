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
    /// Whose tokens are believed.
    let issuer: Issuer
    /// Takes WebSockets apart; nil where the program lends none.
    let framing: (any WebSocketFraming)?
    /// Fires when the server ends, or the environment is another one.
    let ending: OneShot
    let clock: Clockwork
    let log: Log

    /// How large a request may be.
    private static let limit = ByteCount.mebibytes(1)

    var segments: [String] { ["graphql"] }

    func signs(at address: String) -> [DoorSign] {
        [DoorSign(title: "GraphQL: queries, mutations, subscriptions", places: ["\(address)/graphql"])]
    }

    func exchange(for head: Request) -> Exchange {
        guard head.target.segments == ["graphql"] else {
            return .plainly(.notFound, "there is nothing here, expected /graphql")
        }
        switch head.method {
        case .get: return Exchange(.stream(upTo: .bytes(0)) { request, _ in await answer(request).guarded() })
        case .post:
            return Exchange(.collect(upTo: Self.limit) { request in .later { await answer(request).guarded() } })
        default: return .refused(allowing: [.get, .post])
        }
    }

    /// Why a request has no answer of GraphQL.
    private struct Refusal: Error {
        let outcome: RequestOutcome
        let reason: String
    }

    private func answer(_ request: Request) async -> Response {
        do {
            guard let origin = try origin(of: request) else { return Self.unauthorized }
            guard request.fields["Upgrade"] == nil else { return try socket(request, origin) }
            return try await answer(request, for: origin)
        } catch let problem as Problem {
            return problem.response
        } catch let refusal as Refusal {
            return Self.response(refusal)
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
            throw Problem(.notFound, "not-found", "no WebSockets here", detail: "the program lends no framing")
        }
        // The key of a request is not that of all that is sent on the connection it opens.
        let caller = GraphQLCaller(server: self, origin: GraphQLPart.Origin(caller: origin.caller))
        return try GraphQLSocket(caller, framing: framing, clock: clock, until: ending).response(to: request)
    }

    /// The caller; nil where there is a token that is not valid.
    ///
    /// Requests without a token are answered.
    private func origin(of request: Request) throws -> GraphQLPart.Origin? {
        var origin = GraphQLPart.Origin(key: request.fields["Idempotency-Key"] ?? request.fields["Request-ID"])
        guard request.fields["Authorization"] != nil else { return origin }
        guard let caller = try HaloCaller(request, issuer) else { return nil }
        origin.caller = caller.name
        return origin
    }

    private func answer(_ request: Request, for origin: GraphQLPart.Origin) async throws -> Response {
        let accepted = request.fields.values(of: "Accept")
        guard let form = ResponseForm.choose(accept: accepted) else {
            throw Refusal(
                outcome: .notAcceptable,
                reason: "answers are \(ResponseForm.ofAnswers.map(\.mediaType).joined(separator: ", "))"
            )
        }
        let asked = try read(request)
        let work: GraphQLPart.Work
        do throws(RefusedRequest) { work = try part.prepare(asked) } catch { return Self.response(error.result, form) }
        guard request.method == .post || work.kind == .query else {
            throw Refusal(outcome: .wrongMethod, reason: "a \(work.kind.rawValue) is sent by POST")
        }
        guard work.kind == .subscription else {
            return Self.response(try await part.execute(work, for: origin), form)
        }
        guard ResponseForm.choose(accept: accepted, from: ResponseForm.ofSubscriptions) != nil, !accepted.isEmpty else {
            throw Refusal(
                outcome: .notAcceptable,
                reason: "a subscription is answered by 'Accept: text/event-stream', or by WebSocket"
            )
        }
        switch await part.subscribe(work) {
        case .refused(let result): return Self.response(result, .eventStream)
        case .answers(let answers): return stream(answers)
        }
    }

    private func read(_ request: Request) throws(Refusal) -> GraphQLRequest {
        let isPost = request.method == .post
        let type = request.fields["Content-Type"].flatMap { MediaType(parsing: $0) }
        guard !isPost || type?.essence == "application/json" else {
            throw Refusal(outcome: .wrongType, reason: "expected 'Content-Type: application/json'")
        }
        let limits = ReadingLimits.graphQL(upTo: Self.limit)
        do throws(Fault) {
            return isPost
                ? try GraphQLRequest(reading: request.body, limits: limits)
                : try GraphQLRequest(parameters: request.target.query, limits: limits)
        } catch { throw Refusal(outcome: .malformed, reason: error.reason) }
    }

    // MARK: Answers

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

    private static func response(_ refusal: Refusal) -> Response {
        let result = ExecutionResult(data: nil, errors: [ExecutionError(refusal.reason)])
        let status = Status(refusal.outcome.status(in: .json))
        var response = Response.json(result.json, status: status, type: ResponseForm.json.contentType)
        if refusal.outcome == .wrongMethod { response.fields.add("Allow", "POST") }
        return response
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

    /// The answers of a subscription, and comments meanwhile by which the end of a client is noticed.
    private func stream(_ answers: SubscriptionAnswers) -> Response {
        let (clock, ending) = (clock, ending)
        return .events { writer in
            let line = Turnstile()
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
