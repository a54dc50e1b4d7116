package import WireBase

/// A typed operation of the local API: its input, its response and its failures, declared once.
///
/// The route, its description, the Swift call and its command are all derived from this declaration.
///
/// ```swift
/// package static let pause = APICall<OutboxPause, OutboxPauses, OutboxFailureKind>(
///     .post, "/v1/outbox/pause", "Pause a lane, or all lanes, until they are resumed.",
///     access: .write,
///     answers: [.init(.ok, "What is paused now.")],
///     fails: [.storeUnavailable]
/// )
/// ```
package struct APICall<Input: JSONRecord, Answer: APIAnswer, Kind: FailureKind>: Sendable {
    package let operation: Operation
    /// The status of a success, unless the handler sets another one.
    let usualStatus: Status
    private let needsBody: Bool

    /// Declares an operation; the first response is the default one.
    ///
    /// `fails` lists the failures specific to this operation. Without a limit of its own, a body may be as large as the
    /// API allows. By default, a body is accepted where the input has body members, and required where one of them is
    /// required. With a stream, the caller may ask for events instead of the response.
    package init(
        _ method: Method,
        _ pattern: String,
        _ summary: String,
        access: Route.Access,
        upTo limit: ByteCount? = nil,
        takesEmptyObject: Bool = false,
        needsBody: Bool = false,
        answers: [APISuccess],
        streams stream: APIStream? = nil,
        fails kinds: [Kind]
    ) {
        let form = Input.form
        precondition(!answers.isEmpty, "\(pattern) has no response")
        let names = Set(form.members.filter { $0.place == .path }.map(\.name))
        precondition(
            Set(RoutePattern(pattern).placeholders.map(\.name)) == names,
            "\(pattern) has other path parameters than its input"
        )
        (usualStatus, self.needsBody) = (answers[0].status, needsBody)
        operation = Operation(
            method,
            pattern,
            summary,
            access: access,
            body: form.bodyMembers.isEmpty
                ? takesEmptyObject ? .json(.object([]), upTo: limit, mayBeEmpty: true) : .none
                : .json(
                    form.requestSchema,
                    upTo: limit,
                    mayBeEmpty: !needsBody && !form.bodyMembers.contains(where: \.isRequired)
                ),
            inputs: form.inputs + (stream?.inputs ?? []),
            answers: answers.map { $0.described(Answer.self) } + (stream.map { [$0.described] } ?? [])
                + kinds.map(\.described)
        )
    }
}

extension APICall {
    /// Decodes the input from a request.
    func input(_ request: Request) throws(Problem) -> Input {
        guard needsBody, request.body.isEmpty else { return try Input(request) }
        throw Problem(JSONMismatch("the body is empty, expected JSON", nil))
    }
}

/// A successful response of an operation.
package struct APISuccess: Sendable {
    let status: Status
    let help: String
    var fields: [(name: String, help: String)] = []

    package init(_ status: Status, _ help: String) {
        (self.status, self.help) = (status, help)
    }

    /// Adds a response field.
    package func with(_ name: String, _ help: String) -> APISuccess {
        var success = self
        success.fields.append((name, help))
        return success
    }

    fileprivate func described(_ answer: (some APIAnswer).Type) -> Operation.Answer {
        let schema = status == .noContent ? nil : answer.answerSchema
        let described = schema.map { Operation.Answer.json($0, help, status: status) } ?? .nothing(status, help)
        return fields.reduce(described) { $0.with($1.name, $1.help) }
    }
}

/// The input of a call, with the rights of the caller.
@dynamicMemberLookup
package struct APIRequest<Input: Sendable>: Sendable {
    package let input: Input
    package let rights: Rights

    package init(_ input: Input, rights: Rights) {
        (self.input, self.rights) = (input, rights)
    }

    package subscript<Value>(dynamicMember path: KeyPath<Input, Value>) -> Value { input[keyPath: path] }
}

/// The result of a call that succeeded.
package struct APIReply<Answer: Sendable>: Sendable {
    package let answer: Answer
    /// The status; nil is the default of the operation.
    package let status: Status?
    package var fields: Fields

    package init(_ answer: Answer, _ status: Status? = nil, fields: Fields = [:]) {
        (self.answer, self.status, self.fields) = (answer, status, fields)
    }
}

extension APIReply<Nothing> {
    /// Success without a body.
    package static var done: Self { APIReply(Nothing()) }
}

extension JSONForm {
    /// The path, query and header members, as a route describes them.
    package var inputs: [Route.Input] { members.compactMap(\.input) }
}

extension MemberDescription {
    /// The path, query or header member, as a route describes it.
    fileprivate var input: Route.Input? {
        switch place {
        case .body: nil
        case .path: Route.Input(.path, name, help, member.schema)
        case .query: Route.Input(.query, name, help, member.schema)
        case .header: Route.Input(.header, name, help, member.schema)
        }
    }
}
