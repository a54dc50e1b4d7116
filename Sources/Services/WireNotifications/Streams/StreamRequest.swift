import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// The request of a stream from a server of the app: its address, its token, its fields and where it resumes.
struct StreamRequest: Sendable {
    @Setting var url: Address
    @Setting var authenticated: Bool
    @Setting var authorization: TokenChoice?
    @Setting var needs: [UserNeed]?
    @Setting var headers: HeaderMap<HeaderValue>
    @Setting var secretHeaders: HeaderMap<Secret<HeaderValue>>
    @Setting var resume: StreamResume?
    @Setting var catchUp: CatchUp?

    init(_ keys: inout Keys, example: String) {
        _url = keys.required("url", "URL of the stream.", .takes(.stream), .example(example))
        _authenticated = keys.value("authenticated", "Whether requests carry a token, where there is one.", or: true)
        _authorization = TokenChoice.key(&keys, "goes along")
        _needs = UserNeed.key(
            &keys,
            "User that the stream needs: with a token a user unless 'auth.policy' is anonymous when absent, nothing "
                + "with []."
        )
        _headers = keys.value(
            "headers",
            "Additional header fields of the request, without secrets.",
            or: HeaderMap(),
            .example("{ client-name: tasks }")
        )
        _secretHeaders = keys.value(
            "secretHeaders",
            "Additional header fields of the request with secret values.",
            or: HeaderMap(),
            .example("{ x-api-key: \"${env:API_KEY}\" }")
        )
        _resume = keys.optional(
            "resume",
            "Location of the last event id in the request. Default: the header field Last-Event-ID.",
            .example("{ query: after }")
        )
        _catchUp = keys.optional(
            "catchUp",
            "Request for the notifications since the last one, sent each time the stream has opened.",
            .example("{ url: v1/notifications, items: data }")
        )
    }

    /// The token of the requests.
    var token: ServerCall.Authorization { .init(authorization, authenticated: authenticated) }

    var connectionSettings: [String?] {
        let resume = [resume?.header?.text, resume?.query?.text, resume?.message?.text, "\(resume == nil)"]
        let fields: [String?] =
            headers.fields.items.flatMap { [$0.name, $0.value.text] }
            + secretHeaders.fields.items.flatMap { [$0.name, $0.value.reveal().text] }
        return [url.text, "\(authenticated)", authorization?.rawValue, needs.map { "\($0)" }] + resume
            + (catchUp?.connectionSettings ?? [nil]) + fields
    }

    /// The request for the stream, after the last notification of the session.
    func call(_ session: StreamSession, by requests: any ServerClient) -> ServerCall {
        call(to: url, session, by: requests, header: resume == nil ? "Last-Event-ID" : resume?.header?.text)
    }

    /// The request for missed notifications; another server than that of the stream gets no secret fields.
    func catchUpCall(_ catchUp: CatchUp, _ session: StreamSession, by requests: any ServerClient) -> ServerCall {
        let header = resume?.query == nil ? resume?.header?.text ?? "Last-Event-ID" : nil
        var call = call(to: catchUp.url, session, by: requests, header: header)
        let (own, other) = (requests.url(of: url.overHTTP)?.origin, requests.url(of: catchUp.url)?.origin)
        if own != other { for item in secretHeaders.fields.items { call.fields[item.name] = nil } }
        return call
    }

    private func call(
        to url: Address,
        _ session: StreamSession,
        by requests: any ServerClient,
        header: String?
    ) -> ServerCall {
        let last = session.last
        var address = url.overHTTP
        if let query = resume?.query, let last, let url = requests.url(of: address) {
            address = Address(url.adding(query.text, last))
        }
        var call = session.call(to: .address(address))
        for item in headers.fields.items { call.fields.add(item.name, item.value.text) }
        for item in secretHeaders.fields.items { call.fields.add(item.name, item.value.reveal().text) }
        if let header, let last, last.isFieldValue { call.fields[header] = last }
        call.authorization = token
        return call
    }
}

/// A stream from a server of the app, with the request of the file.
protocol RequestedStream: StreamSource {
    var request: StreamRequest { get }
}

extension RequestedStream {
    var url: Address { request.url }
    var urlPlace: Place { request.$url }
    var needs: [UserNeed]? { request.needs }
    var token: ServerCall.Authorization { request.token }
    /// Servers reject requests with long header fields, with status 431.
    var largestPosition: ByteCount? { .kibibytes(1) }
}

/// How a server gets the id of the last event: in one of these ways, once there was an event.
struct StreamResume: Record {
    @Setting var header: HeaderName?
    @Setting var query: Identifier?
    @Setting var message: Template?

    init(_ keys: inout Keys) {
        _header = keys.optional("header", "Header field.", .example("Last-Event-ID"))
        _query = keys.optional("query", "Query parameter.", .example("after"))
        _message = keys.optional(
            "message",
            "Message on a WebSocket, after the greeting.",
            .example("'{\"type\":\"resume\",\"after\":{{ id | json }}}'")
        )
    }
}

extension String {
    /// Whether it is a valid value of a header field.
    fileprivate var isFieldValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
}
