package import WireBase

/// An operation of the local API, declared once with its types: what it is asked with, what it answers, how it can fail.
///
/// The route, its description, the call from Swift and the command that makes it all follow from this.
///
/// ```swift
/// package static let pause = APICall<OutboxPause, OutboxPauses, OutboxFailureKind>(
///     .post, "/v1/outbox/pause", "Send nothing more of a lane, or of any, until it is resumed.",
///     access: .write,
///     answers: [.init(.ok, "What is paused now.")],
///     fails: [.storeUnavailable]
/// )
/// ```
package struct APICall<Input: JSONRecord, Answer: APIAnswer, Kind: FailureKind>: Sendable {
    package let operation: Operation
    /// The status of what is done, where the work says no other.
    let usualStatus: Status
    private let needsBody: Bool

    /// The first of the answers is the usual one.
    ///
    /// The kinds are how it can fail besides how any operation can. Without a limit of its own a body may be as large as the
    /// API lets any be. A call without members of a body may still take an object that has none, and one whose members may
    /// all be absent may still need a body. Where it streams, the caller may ask for events in place of the answer.
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
        precondition(!answers.isEmpty, "\(pattern) is never answered")
        let names = Set(form.members.filter { $0.place == .path }.map(\.name))
        precondition(
            Set(RoutePattern(pattern).placeholders.map(\.name)) == names,
            "\(pattern) has not the members of the path that its input has"
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
    /// Reads what a request brings.
    func input(_ request: Request) throws(Problem) -> Input {
        guard needsBody, request.body.isEmpty else { return try Input(request) }
        throw Problem(JSONMismatch("the body is empty, expected JSON", nil))
    }
}

/// One way an operation is answered where it is done.
package struct APISuccess: Sendable {
    let status: Status
    let help: String
    var fields: [(name: String, help: String)] = []

    package init(_ status: Status, _ help: String) {
        (self.status, self.help) = (status, help)
    }

    /// The same with a header field that says something of its own.
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

/// What a call is made with: its input, and what the caller may do.
@dynamicMemberLookup
package struct APIRequest<Input: Sendable>: Sendable {
    package let input: Input
    package let rights: Rights

    package init(_ input: Input, rights: Rights) {
        (self.input, self.rights) = (input, rights)
    }

    package subscript<Value>(dynamicMember path: KeyPath<Input, Value>) -> Value { input[keyPath: path] }
}

/// What a call is answered with where it is done.
package struct APIReply<Answer: Sendable>: Sendable {
    package let answer: Answer
    /// The usual status of the call where nil.
    package let status: Status?
    package var fields: Fields

    package init(_ answer: Answer, _ status: Status? = nil, fields: Fields = [:]) {
        (self.answer, self.status, self.fields) = (answer, status, fields)
    }
}

extension APIReply<Nothing> {
    /// It is done, and there is nothing to say.
    package static var done: Self { APIReply(Nothing()) }
}

extension JSONForm {
    /// The members of the path, the query and the header as a route describes them.
    package var inputs: [Route.Input] { members.compactMap(\.input) }
}

extension MemberDescription {
    /// A member of the path, the query or the header as the route describes it.
    fileprivate var input: Route.Input? {
        switch place {
        case .body: nil
        case .path: Route.Input(.path, name, help, member.schema)
        case .query: Route.Input(.query, name, help, member.schema)
        case .header: Route.Input(.header, name, help, member.schema)
        }
    }
}
