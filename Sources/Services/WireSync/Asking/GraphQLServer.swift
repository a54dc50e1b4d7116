import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireService
import WireSyncContract

/// The server of the section, reached through the pipeline of `network`.
struct GraphQLServer: Sendable {
    private let requests: any ServerClient
    private let settings: SyncSection
    private let origin: ValueOrigin?
    private let persisted: PersistedQueries?
    private let meters: SyncMeters
    private let largeAnswers: LargeAnswerLimit

    /// The maximum size of an answer.
    private static let largestAnswer = ByteCount.mebibytes(64)
    /// The maximum length of the URL of a GET query, which servers and proxies accept.
    private static let longestURL = 4_096
    private static let longestUpload = Duration.seconds(3_600)

    init(_ requests: any ServerClient, _ settings: SyncSection, _ host: SyncHost, _ meters: SyncMeters) {
        (self.requests, self.settings, self.meters) = (requests, settings, meters)
        origin = host.places.origin(of: settings.$url, "sync.url")
        largeAnswers = LargeAnswerLimit(host.clock)
        persisted = settings.persistedQueries ? host.find(.secrecy).map(PersistedQueries.init) : nil
    }

    /// Sends an operation; the server's response is returned unchanged, including errors.
    func send(
        _ asked: AskedOperation,
        _ text: String
    ) async throws(SyncFailure) -> ServerResponse {
        let (prepared, tokens) = (asked.prepared, asked.tokens)
        try checkPolicy()
        var request = GraphQLRequest(text, operationName: prepared.name, variables: asked.variables)
        let isQuery = prepared.kind == .query
        guard let persisted, isQuery, let hash = persisted.hash(of: text) else {
            return try await send(request, isQuery: isQuery, tokens)
        }
        request.extensions = persisted.extensions(hash)
        var byHash = request
        byHash.query = nil
        let response = try await send(byHash, isQuery: true, tokens)
        guard persisted.isUnknown(response) else { return response }
        return try await send(request, isQuery: true, byPost: true, tokens)
    }

    private func checkPolicy() throws(SyncFailure) {
        guard requests.offlinePolicy == .returnLocalDataDontLoad else { return }
        throw SyncFailure(.offline, "'network.offlinePolicy' keeps requests on this machine", origin: origin)
    }

    /// Sends a request as it is, without a persisted query.
    func send(
        _ request: GraphQLRequest,
        isQuery: Bool,
        byPost: Bool = false,
        _ tokens: TokenRights
    ) async throws(SyncFailure) -> ServerResponse {
        var call = form(of: request, mayBeGet: isQuery && !byPost)
        call.isRepeatable = isQuery
        return try await send(call, tokens)
    }

    /// Sends a mutation with its files as a multipart form.
    func send(_ upload: FormUpload, _ asked: AskedOperation) async throws(SyncFailure) -> ServerResponse {
        try checkPolicy()
        let prepared = asked.prepared
        let request = GraphQLRequest(
            prepared.typedText,
            operationName: prepared.name,
            variables: upload.request.variables
        )
        let form: (length: Int?, body: any BodyReader)
        do {
            form = try await upload.body(with: request.json)
        } catch {
            throw SyncFailure(
                upload.flaw == nil ? .cancelled : .invalid,
                upload.flaw?.reason ?? "the form was interrupted"
            )
        }
        var call = ServerCall(.post, .address(settings.url), from: SyncSection.name, at: origin)
        call.fields = settings.requestFields
        call.fields["Content-Type"] = "multipart/form-data; boundary=\(upload.boundary)"
        call.fields["Apollo-Require-Preflight"] = "true"
        call.body = .stream(length: form.length, form.body)
        // The answer begins once the files have arrived; connecting, waiting for a turn and a stalled server have the
        // timeouts of other requests.
        call.deadline = Self.longestUpload
        return try await send(call, asked.tokens)
    }

    private func send(_ call: ServerCall, _ tokens: TokenRights) async throws(SyncFailure) -> ServerResponse {
        do throws(SyncFailure) {
            let response = try await exchange(call, tokens)
            meters.request(response)
            return response
        } catch {
            meters.requestFailed(error.kind)
            throw error
        }
    }

    private func exchange(_ wanted: ServerCall, _ tokens: TokenRights) async throws(SyncFailure) -> ServerResponse {
        var call = wanted
        call.authorization = settings.authenticated ? .usual : .none
        call.tokenRights = tokens
        call.redirects = .unchanged
        call.offlinePolicy = OfflinePolicy.none
        call.waitsForNetwork = false
        call.largestBody = Self.largestAnswer
        let answer: ServerAnswer
        do throws(CallFailure) {
            answer = try await requests.send(call)
        } catch {
            throw SyncFailure(error)
        }
        if let length = answer.fields["Content-Length"].flatMap({ Int($0) }), length > Self.largestAnswer.bytes {
            throw tooLarge
        }
        let body = AnswerBody(answer.body, largeAnswers)
        defer { body.end() }
        return try read(answer, try await bytes(of: body))
    }

    /// A POST request; a GET query where the file allows it and the URL is short enough.
    private func form(of request: GraphQLRequest, mayBeGet: Bool) -> ServerCall {
        if mayBeGet, settings.queriesByGet, let url = requests.url(of: settings.url) {
            let own = url.query.map { [$0] } ?? []
            let parameters = request.parameters.map { "\($0.name)=\($0.value.percentEncoded)" }
            let query = (own + parameters).joined(separator: "&")
            if url.description.utf8.count + query.utf8.count < Self.longestURL {
                let destination = ServerCall.Destination.below(settings.url, path: "", query: query)
                var call = ServerCall(.get, destination, from: SyncSection.name, at: origin)
                call.fields = settings.requestFields
                call.fields["Content-Type"] = nil
                // Servers with CSRF protection require a field that web pages cannot set.
                call.fields["Apollo-Require-Preflight"] = "true"
                return call
            }
        }
        var call = ServerCall(.post, .address(settings.url), from: SyncSection.name, at: origin)
        call.fields = settings.requestFields
        call.body = .bytes(request.json.bytes())
        return call
    }

    private func bytes(of body: AnswerBody) async throws(SyncFailure) -> [UInt8] {
        do {
            return try await body.collect(upTo: Self.largestAnswer)
        } catch is BodyTooLarge {
            throw tooLarge
        } catch is StreamTimeout {
            throw SyncFailure(
                .serverFailed,
                "the response exceeds \(LargeAnswerLimit.small) and was not read within \(LargeAnswerLimit.longest.components.seconds) s",
                help: "select fewer fields, or send fewer large requests at a time",
                origin: origin
            )
        } catch let failure as TransferFailure {
            throw SyncFailure(failure.kind == .cancelled ? .cancelled : .unreachable, failure.reason, origin: origin)
        } catch let failure as CallFailure {
            throw SyncFailure(failure)
        } catch {
            throw SyncFailure(
                Task.isCancelled ? .cancelled : .unreachable,
                "the response was interrupted",
                origin: origin
            )
        }
    }

    private var tooLarge: SyncFailure {
        SyncFailure(
            .tooLarge,
            "the response exceeds \(Self.largestAnswer)",
            help: "select fewer fields",
            origin: origin
        )
    }

    /// A GraphQL response counts whatever its status; other responses are judged by their status.
    private func read(_ answer: ServerAnswer, _ bytes: [UInt8]) throws(SyncFailure) -> ServerResponse {
        var problem = ""
        do throws(Unreadable) {
            let json = try JSONValue(parsing: bytes, named: "answer", limits: .graphQLAnswer, exactNumbers: true)
            if let response = ServerResponse(json) { return response }
        } catch {
            problem = ": \(error.problem.message.shown(upTo: 200))"
        }
        let code = answer.status.code
        switch code {
        case 200..<300:
            let reason = "the server responded with status \(code) without a GraphQL response\(problem)"
            throw SyncFailure(.malformed, reason, origin: origin)
        case 408, 429, 500...:
            throw SyncFailure(
                .serverFailed,
                "the server responded with status \(code) \(answer.status.phrase)",
                origin: origin
            )
        default:
            throw SyncFailure(
                .refused,
                "the server responded with status \(code) \(answer.status.phrase)",
                help: code == 404 ? "check 'sync.url'" : nil,
                origin: origin
            )
        }
    }
}

extension SyncSection {
    /// The header fields of all requests to the server.
    var requestFields: Fields {
        var fields: Fields = ["Accept": ResponseForm.graphQLResponse.mediaType + ", " + ResponseForm.json.mediaType]
        fields["Content-Type"] = "application/json"
        for item in headers.fields.items { fields[item.name] = item.value.text }
        for item in secretHeaders.fields.items { fields[item.name] = item.value.reveal().text }
        return fields
    }
}

extension ReadingLimits {
    /// Limits for the answers of a server: deep and long, but bounded.
    static var graphQLAnswer: ReadingLimits {
        var limits = ReadingLimits()
        limits.depth = 128
        limits.nodes = 500_000
        return limits
    }
}
