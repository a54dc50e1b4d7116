/// Declares that an operation can respond with server-sent events, on request by `watch` or `Accept`.
///
/// A request for events has no query members besides `watch`.
package struct APIStream: Sendable {
    private let help: String
    private let watchHelp: String

    /// Describes the events, and the `watch` item of the query.
    package init(_ help: String, asked watchHelp: String) {
        (self.help, self.watchHelp) = (help, watchHelp)
    }

    private static let type = "text/event-stream"

    var inputs: [Route.Input] {
        [
            Route.Input(.query, "watch", watchHelp, .boolean),
            Route.Input(.header, "Accept", "\(Self.type) has the same effect as 'watch'."),
        ]
    }

    var described: Operation.Answer { .body(Self.type, help) }

    /// Whether a request asks for events; `watch` takes precedence over `Accept`.
    fileprivate static func isWanted(by request: Request) throws(Problem) -> Bool {
        guard try asksForEvents(request) else { return false }
        if let item = request.target.query.first(where: { $0.name != "watch" }) {
            throw .unknownQuery(item.name, expected: ["watch"])
        }
        return true
    }

    private static func asksForEvents(_ request: Request) throws(Problem) -> Bool {
        do throws(JSONMismatch) {
            if let text = try request.queryItem("watch") { return try Bool.read(plain: text) }
        } catch {
            throw Problem(error.inside(member: "watch", .query))
        }
        return request.fields.values(of: "Accept").contains { value in
            value.split(separator: ",").contains { MediaType(parsing: String($0))?.essence == type }
        }
    }
}

extension RouteEntry {
    /// An asynchronous handler, with a second one that streams events on request.
    package static func call<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        by work:
            @escaping @Sendable (Group) ->
            @Sendable (APIRequest<Input>) async throws(APIFailure<Kind>) -> APIReply<Answer>,
        orStreaming stream:
            @escaping @Sendable (Group) -> @Sendable (APIRequest<Input>) async throws(APIFailure<Kind>) -> Response
    ) -> RouteEntry {
        make(call.operation) { group in
            let (work, stream) = (work(group), stream(group))
            return .work { request in
                let asked = APIRequest(try Input(request), rights: request.rights)
                let isStreamed = try APIStream.isWanted(by: request)
                return try await isStreamed ? stream(asked) : call.response(work(asked))
            }
        } calls: { group in
            APIHandler(perform: work(group))
        }
    }
}

extension APICall {
    /// The request target for events.
    package func streamTarget(for input: Input) -> String {
        let target = target(for: input)
        return "\(target)\(target.contains("?") ? "&" : "?")watch=true"
    }
}
