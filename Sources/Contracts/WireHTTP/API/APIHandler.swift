/// Runs an operation for callers in the same process with typed input and response; routes serve it over HTTP.
package struct APIHandler<Input: JSONRecord, Answer: APIAnswer, Kind: FailureKind>: Sendable {
    package let perform: @Sendable (APIRequest<Input>) async throws(APIFailure<Kind>) -> APIReply<Answer>
}

extension RouteEntry {
    /// A handler that runs synchronously on the listener's own thread and must not block.
    package static func call<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        atOnce work:
            @escaping @Sendable (Group) -> @Sendable (APIRequest<Input>) throws(APIFailure<Kind>) -> APIReply<Answer>
    ) -> RouteEntry {
        make(call.operation) { group in
            let work = work(group)
            return .snapshot { request in
                call.response(try work(APIRequest(try Input(request), rights: request.rights)))
            }
        } calls: { group in
            let work = work(group)
            return APIHandler<Input, Answer, Kind> { request throws(APIFailure<Kind>) in try work(request) }
        }
    }

    /// An asynchronous handler with a synchronous fast path on the listener's own thread.
    ///
    /// The fast path returns nil where it would have to wait or fails. It is used for small bodies only.
    package static func call<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        atOnce quick: @escaping @Sendable (Group) -> @Sendable (APIRequest<Input>) -> APIReply<Answer>?,
        orBy work:
            @escaping @Sendable (Group) ->
            @Sendable (APIRequest<Input>) async throws(APIFailure<Kind>) -> APIReply<Answer>
    ) -> RouteEntry {
        make(call.operation) { group in
            let (quick, work) = (quick(group), work(group))
            return .snapshotOrWork { request in
                guard request.body.count <= Request.smallBody else {
                    return .later { try await call.answer(try Input(request), request.rights, work) }
                }
                let input = try Input(request)
                if let reply = quick(APIRequest(input, rights: request.rights)) { return .now(call.response(reply)) }
                return .later { try await call.answer(input, request.rights, work) }
            }
        } calls: { group in
            APIHandler(perform: work(group))
        }
    }

    /// An asynchronous handler that does not need the rights of the caller.
    package static func call<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        answer work:
            @escaping @Sendable (Group) -> @Sendable (Input) async throws(APIFailure<Kind>) -> Answer
    ) -> RouteEntry {
        .call(
            call,
            by: { group in
                let work = work(group)
                return { request throws(APIFailure<Kind>) in APIReply(try await work(request.input)) }
            }
        )
    }

    /// An asynchronous handler, with a callback for requests that cannot be decoded.
    package static func call<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        by work:
            @escaping @Sendable (Group) ->
            @Sendable (APIRequest<Input>) async throws(APIFailure<Kind>) -> APIReply<Answer>,
        misread: (@Sendable (Group) -> @Sendable (Request, Problem) -> Void)? = nil
    ) -> RouteEntry {
        make(call.operation) { group in
            let (work, misread) = (work(group), misread?(group))
            return .work { request in
                let input: Input
                do throws(Problem) { input = try call.input(request) } catch {
                    misread?(request, error)
                    throw error
                }
                return try await call.answer(input, request.rights, work)
            }
        } calls: { group in
            APIHandler(perform: work(group))
        }
    }
}

extension Request {
    /// The maximum size in bytes of a body that is decoded on the listener's own thread.
    package static let smallBody = 16_384
}

extension APICall {
    fileprivate func answer(
        _ input: Input,
        _ rights: Rights,
        _ work: (APIRequest<Input>) async throws(APIFailure<Kind>) -> APIReply<Answer>
    ) async throws(APIFailure<Kind>) -> Response {
        response(try await work(APIRequest(input, rights: rights)))
    }

    func response(_ reply: APIReply<Answer>) -> Response {
        guard let bytes = reply.answer.answer else {
            let usual = Answer.answerSchema == nil ? usualStatus : .noContent
            return Response(reply.status ?? usual, fields: reply.fields)
        }
        var fields: Fields = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        fields.add(reply.answer.answerFields)
        fields.add(reply.fields)
        return Response(reply.status ?? usualStatus, fields: fields, body: .bytes(bytes))
    }
}
