import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireService
import WireSyncContract

/// The GraphQL endpoint of the local API, for clients without knowledge of corewire (GraphQL over HTTP).
struct GraphQLEndpoint: Sendable {
    let service: SyncService

    /// Handles a POST request; a short query whose answer is in memory is answered at once.
    func post(_ request: Request) throws -> Route.Handler.Quick {
        let form = try Self.form(request)
        guard request.body.count <= Request.smallBody else {
            return .later { await answer(request, form: form, isSafe: false, Self.read(request.body)) }
        }
        let read = Self.read(request.body)
        if form != .eventStream, case .success(let asked) = read,
            let reply = service.endpointReplyAtOnce(to: asked, request.fields, rights: request.rights)
        {
            return .now(Self.response(reply, form))
        }
        return .later { await answer(request, form: form, isSafe: false, read) }
    }

    private static func read(_ body: [UInt8]) -> Result<GraphQLRequest, Fault> {
        Result { () throws(Fault) in
            try GraphQLRequest(reading: body, limits: .graphQL(upTo: largestRequest))
        }
    }

    /// Handles a mutation with files (GraphQL multipart request specification).
    func upload(_ request: Request, _ body: any BodyReader) async throws -> Response {
        let form = try Self.form(request)
        guard form != .eventStream else { throw Self.notAcceptable }
        guard let rules = service.settings.uploads else {
            throw Problem(
                .unsupportedMediaType,
                "unsupported-media-type",
                "unsupported media type of the body",
                detail: "file uploads are off; set 'sync.uploads' in the services file"
            )
        }
        let upload: FormUpload
        do {
            upload = try await FormUpload(
                body,
                type: request.fields["Content-Type"].flatMap { MediaType(parsing: $0) },
                rules,
                largestRequest: Self.largestRequest
            )
        } catch let error as Fault {
            return Self.response(.malformed, GraphQLErrors(error.reason, code: "BAD_REQUEST").json, form)
        }
        return Self.response(await service.endpointReply(to: upload, rights: request.rights), form)
    }

    /// Handles a GET query, or a WebSocket.
    func get(_ request: Request) async throws -> Response {
        // Other upgrades offered by a client are ignored.
        if request.fields.values(of: "Upgrade").contains(where: { $0.lowercased().contains("websocket") }) {
            return try socket(request)
        }
        guard (request.rights.access ?? .anyone) >= .read else {
            throw request.rights.isKnown
                ? Problem.forbidden("\(request.rights.account) may not use GraphQL")
                : Problem.unauthorized("send an app token as 'Authorization: Bearer …'")
        }
        let form = try Self.form(request)
        let read = Result { () throws(Fault) in
            try GraphQLRequest(parameters: request.target.query, limits: .graphQL(upTo: Self.largestRequest))
        }
        return await answer(request, form: form, isSafe: true, read)
    }

    private static let largestRequest = ByteCount.mebibytes(1)

    static let posted = Operation(
        .post,
        "/v1/sync/graphql",
        "Run a GraphQL request (GraphQL over HTTP).",
        access: .read,
        body: .collected(types: [ResponseForm.json.mediaType, formType], upTo: largestRequest, json: parameters),
        inputs: [accept] + wishes,
        answers: answers,
        isForForeignClients: true
    )

    static let gotten = Operation(
        .get,
        "/v1/sync/graphql",
        "Run a GraphQL query from the query string, or open a WebSocket for subscriptions.",
        access: .anyone,
        inputs: [accept] + wishes + [
            .init(.query, "query", "The document."), .init(.query, "operationName", "The operation to run."),
            .init(.query, "variables", "The variables, as JSON."), .init(.query, "extensions", "Extensions, as JSON."),
        ],
        answers: answers + wrongMethod
    )

    private static let parameters = JSONSchema.object(
        [
            .optional(
                "query",
                "The document; when absent, 'extensions' names a persisted document.",
                .text.showing(.string("query Articles { articles { id title } }"))
            ),
            .optional("operationName", "The operation to run; required when the document has several.", .text.orNull),
            .optional("variables", "The variables.", .map(of: .anything).orNull),
            .optional("extensions", "Extensions.", .map(of: .anything).orNull),
        ],
        ignoresOthers: true
    ).named("GraphQLRequest")
    private static let accept = Route.Input(
        .header,
        "Accept",
        "\(ResponseForm.graphQLResponse.mediaType) returns errors with an error status; other types always with 200."
    )
    private static let wishes: [Route.Input] = [
        .init(
            .header,
            QueryOptions.policyField,
            "The cache policy; 'extensions.corewire.policy' of the request takes precedence.",
            .words(CachePolicy.allCases.map(\.rawValue))
        ),
        .init(
            .header,
            QueryOptions.maxAgeField,
            "Maximum age of a cached result; 'extensions.corewire.maxAge' of the request takes precedence.",
            .text(pattern: "^([0-9]+(ms|s|m|h|d))+$")
        ),
    ]
    private static let answers: [Operation.Answer] =
        [
            .body(ResponseForm.json.mediaType, "The GraphQL response, with or without errors,")
                .with("Corewire-Cache", "The source of the result."),
            .body(
                ResponseForm.graphQLResponse.mediaType,
                "or the same response in this format, if the request was executed,"
            )
            .with("Corewire-Cache", "The source of the result."),
            .body(ResponseForm.eventStream.mediaType, "or the events 'next' and 'complete'."),
            .body(ResponseForm.json.mediaType, "The request is malformed.", status: .badRequest),
            .problem(.notAcceptable, "not-acceptable", "The caller accepts none of the supported media types."),
        ] + failures
    /// Where the caller accepts it, the status shows why there is no answer.
    private static let failures = Dictionary(grouping: SyncFailureKind.allCases) { $0.facts.status.code }
        .sorted { $0.key < $1.key }.map { code, kinds in
            Operation.Answer.body(
                ResponseForm.graphQLResponse.mediaType,
                kinds.map(\.facts.help).joined(separator: " "),
                status: Status(code)
            )
        }
    private static let wrongMethod = [ResponseForm.json, .graphQLResponse].map {
        Operation.Answer.body($0.mediaType, "Mutations require POST.", status: .methodNotAllowed)
    }
    static let formType = "multipart/form-data"

    private static func form(_ request: Request) throws -> ResponseForm {
        guard let form = ResponseForm.choose(accept: request.fields.values(of: "Accept")) else { throw notAcceptable }
        return form
    }

    private static var notAcceptable: Problem {
        Problem(
            .notAcceptable,
            "not-acceptable",
            "no acceptable media type",
            detail:
                "'Accept': expected '\(ResponseForm.graphQLResponse.mediaType)' or '\(ResponseForm.json.mediaType)'"
        )
    }

    private func answer(
        _ request: Request,
        form: ResponseForm,
        isSafe: Bool,
        _ read: Result<GraphQLRequest, Fault>
    ) async -> Response {
        let asked: GraphQLRequest
        switch read {
        case .success(let request): asked = request
        case .failure(let error):
            return Self.response(.malformed, GraphQLErrors(error.reason, code: "BAD_REQUEST").json, form)
        }
        if form == .eventStream { return stream(asked, request, isSafe: isSafe) }
        let reply = await service.endpointReply(to: asked, request.fields, rights: request.rights, isSafe: isSafe)
        return Self.response(reply, form)
    }

    private static func response(_ reply: EndpointReply, _ form: ResponseForm) -> Response {
        var response = response(reply.outcome, reply.text ?? reply.json.bytes(), form)
        if form == .graphQLResponse, let facts = reply.failure?.facts {
            response.status = facts.status
            if let pause = facts.retryAfter { response.fields["Retry-After"] = "\(pause)" }
        }
        if let fact = reply.fact { response.fields["Corewire-Cache"] = fact }
        if reply.outcome == .wrongMethod { response.fields["Allow"] = "POST" }
        return response
    }

    private func socket(_ request: Request) throws -> Response {
        guard let framing = service.host.find(.webSocketFraming) else {
            throw Problem(
                .unavailable,
                "no-web-sockets",
                "WebSockets are not supported",
                detail: "the library libwslay is missing"
            )
        }
        let responder = LocalResponder(service, request, .socket)
        return try GraphQLSocket(responder, framing: framing, clock: service.host.clock, until: service.ending)
            .response(to: request)
    }

    /// An event stream for one request (graphql-sse, distinct connections).
    private func stream(_ asked: GraphQLRequest, _ request: Request, isSafe: Bool) -> Response {
        let responder = LocalResponder(service, request, .stream(isSafe: isSafe))
        let clock = service.host.clock
        return .events { writer in
            let outlet = EventOutlet(writer)
            await firstOf([
                {
                    do throws(GraphQLRefusal) {
                        try await responder.answer(asked) { await outlet.send(.next($0)) }
                    } catch {
                        await outlet.send(.next(.members(["errors": .array(error.errors)])))
                    }
                    await outlet.send(.complete)
                },
                { await outlet.beat(clock) },
            ])
        }
    }

    private static func response(_ outcome: RequestOutcome, _ json: JSONValue, _ form: ResponseForm) -> Response {
        response(outcome, json.bytes(), form)
    }

    private static func response(_ outcome: RequestOutcome, _ text: [UInt8], _ form: ResponseForm) -> Response {
        Response(
            Status(outcome.status(in: form)),
            fields: ["Content-Type": form.contentType, "Cache-Control": "no-store"],
            body: .bytes(text)
        )
    }
}

/// The errors of a request that was not executed.
struct GraphQLErrors {
    let errors: [JSONValue]
    var json: JSONValue { .members(["errors": .array(errors)]) }

    init(_ message: String, code: String, help: String? = nil) {
        let extensions = JSONValue.members(["code": .string(code), "help": help.map(JSONValue.string)])
        errors = [.members(["message": .string(message), "extensions": extensions])]
    }

    init(_ failure: SyncFailure) {
        self.init(failure.reason, code: failure.kind.graphQLCode, help: failure.help)
    }

    /// Makes the errors with the message of a separate request.
    init(_ problem: Problem) {
        let extensions = JSONValue.members([
            "code": .string(problem.kind.asGraphQLCode),
            "retryAfter": problem.fields["Retry-After"].flatMap { Int($0) }.map(JSONValue.integer),
        ])
        errors = [.members(["message": .string(problem.detail), "extensions": extensions])]
    }

    init(_ refusal: DocumentRefusal) {
        errors = refusal.findings.map { finding in
            let start = finding.place?.start
            return JSONValue.members([
                "message": .string(finding.message),
                "locations": start.map { start in
                    .array([.members(["line": .integer(start.line), "column": .integer(start.column)])])
                },
                "extensions": .members([
                    "code": .string(refusal.kind == .notDeclared ? "FORBIDDEN" : finding.code),
                    "rule": .string(finding.rule.rawValue),
                    "help": finding.help.map(JSONValue.string),
                ]),
            ])
        }
    }
}

extension Finding {
    fileprivate var code: String { rule == .syntax ? "GRAPHQL_PARSE_FAILED" : "GRAPHQL_VALIDATION_FAILED" }
}

extension SyncFailureKind {
    /// The code in 'extensions', in the form that GraphQL clients expect.
    fileprivate var graphQLCode: String {
        switch self {
        case .signedOut, .locked: "UNAUTHENTICATED"
        case .notDeclared, .blocked, .distrusted, .notSent: "FORBIDDEN"
        case .invalidDocument: "GRAPHQL_VALIDATION_FAILED"
        default: rawValue.asGraphQLCode
        }
    }
}

extension String {
    /// The name of a problem as a GraphQL code.
    fileprivate var asGraphQLCode: String { String(uppercased().map { $0 == "-" ? "_" : $0 }) }
}
