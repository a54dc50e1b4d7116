package import WireBase
package import WireConfig
package import WireHTTP

/// The command-line form of an input member, where the default does not fit.
enum MemberWords: Sendable {
    /// An argument; members of the path are arguments by default.
    case argument(String, String, values: Command.Values = .anything, isOptional: Bool = false)
    /// An option named like the member, with its own help, and optionally another name and value.
    case option(named: String? = nil, value: String? = nil, String, values: [String]? = nil)
    /// A flag with its own name that sets a value.
    case flag(String, String, meaning: String)
    /// Not on the command line.
    case hidden
    /// An option that the command itself reads.
    case consumed(Command.Option)
}

/// The words of members by their names, in the order in which help shows them.
struct MemberWordList: ExpressibleByDictionaryLiteral, Sendable {
    fileprivate let items: [(name: String, words: MemberWords)]

    init(dictionaryLiteral items: (String, MemberWords)...) { self.items = items.map { ($0, $1) } }

    private init(_ items: [(name: String, words: MemberWords)]) { self.items = items }

    static func + (first: Self, second: Self) -> Self { Self(first.items + second.items) }
}

extension Command {
    /// A command that makes a call to a runner, with its input as arguments and options.
    ///
    /// The words are by the names of members, in the order in which help shows them; the other members follow. `done`
    /// is the member that `--format json` sets to true where the response has no body. `prepare` completes the parsed
    /// input, `perform` replaces the single call, `follow` shows the progress in place of the answer unless it returns
    /// nil, and `show` returns the text and the exit status.
    static func call<Input, Answer, Kind>(
        _ name: String,
        _ call: @autoclosure @escaping @Sendable () -> APICall<Input, Answer, Kind>,
        summary: String,
        discussion: String = "",
        words given: MemberWordList = [:],
        arguments: @autoclosure @escaping @Sendable () -> [Argument] = [],
        subcommands: @autoclosure @escaping @Sendable () -> [Command] = [],
        done: String? = nil,
        prepare: @escaping @Sendable (inout Input, Invocation) throws -> Void = { _, _ in },
        perform: (@Sendable (RunnerClient, Input, Invocation) async throws -> RunnerReply<Answer>)? = nil,
        follow: (@Sendable (RunnerClient, RunnerReply<Answer>, Display, Invocation) async throws -> ExitStatus?)? = nil,
        show: @escaping @Sendable (RunnerReply<Answer>, Paint) -> (text: String, status: ExitStatus)
    ) -> Command {
        Command(
            name: name,
            summary: summary,
            discussion: discussion,
            arguments: CallWords<Input>(given).arguments + arguments(),
            options: RunnerCommands.outputOptions + CallWords<Input>(given).options,
            subcommands: subcommands(),
            run: { invocation in
                let words = CallWords<Input>(given)
                let showing = try Display(invocation)
                var input = try words.input(invocation)
                try prepare(&input, invocation)
                let client = try RunnerClient(invocation)
                let reply =
                    if let perform { try await perform(client, input, invocation) } else {
                        try await client.perform(call(), input)
                    }
                if let status = try await follow?(client, reply, showing, invocation) { return status }
                let (text, status) = show(reply, showing.paint)
                showing.show(done.map { .members([$0: .boolean(true)]) } ?? reply.json) { text }
                return status
            }
        )
    }
}

/// The parser of a call's input from the command line.
struct CallWords<Input: JSONRecord>: Sendable {
    private let said: [(name: String, words: MemberWords)]

    init(_ given: MemberWordList) {
        let given = given.items
        for (name, words) in given {
            if case .consumed = words { continue }
            precondition(Input.form.members.contains { $0.name == name }, "\(Input.self) has no member \(name)")
        }
        said =
            given
            + Input.form.members.filter { member in !given.contains { $0.name == member.name } }.map { member in
                (member.name, member.place == .path ? .argument(member.name, member.help) : .option(member.help))
            }
        precondition(isReadable, "\(Input.self) has members that no option can set: hide them")
    }

    /// Whether each member with an option or an argument can be parsed from one.
    private var isReadable: Bool {
        said.allSatisfy { name, words in
            switch words {
            case .hidden, .consumed: true
            case .argument, .option, .flag: member(name)?.plainType != nil
            }
        }
    }

    var arguments: [Command.Argument] {
        said.compactMap { name, words in
            guard case .argument(let title, let help, let values, var isOptional) = words else { return nil }
            if member(name)?.isRequired == false { isOptional = true }
            return Command.Argument(name: title, help: help, isOptional: isOptional, values: values)
        }
    }

    var options: [Command.Option] {
        said.compactMap { name, words in
            switch words {
            case .argument, .hidden: return nil
            case .consumed(let option): return option
            case .flag(let title, let help, _): return Command.Option(name: title, help: help)
            case .option(let title, let value, let help, let values):
                let type = member(name)?.plainType
                let all = values ?? type?.words ?? []
                return Command.Option(
                    name: title ?? name.kebabCased,
                    value: value ?? type?.valueName,
                    help: help,
                    values: all.isEmpty ? .anything : .words(all)
                )
            }
        }
    }

    private func member(_ name: String) -> MemberDescription<Input>? { Input.form.members.first { $0.name == name } }

    func input(_ invocation: Invocation) throws -> Input {
        for case (let name, .option(let title, _, _, _)) in said {
            _ = try invocation.choice(title ?? name.kebabCased)
        }
        for case (let name, .argument(let title, _, _, _)) in said
        where member(name)?.place == .path && text(name, invocation) == "" {
            throw UsageError("<\(title)> is empty", for: invocation.path)
        }
        do throws(JSONMismatch) {
            return try Input(texts: { name throws(JSONMismatch) in text(name, invocation) })
        } catch {
            throw UsageError("\(title(of: error.member)): \(error.detail)", for: invocation.path)
        }
    }

    /// The name of a member's word in messages.
    private func title(of name: String) -> String {
        switch said.first(where: { $0.name == name })?.words {
        case .argument(let title, _, _, _): "<\(title)>"
        case .flag(let title, _, _), .option(let title?, _, _, _): "--\(title)"
        default: "--\(name.kebabCased)"
        }
    }

    private func text(_ name: String, _ invocation: Invocation) -> String? {
        guard let words = said.first(where: { $0.name == name })?.words else { return nil }
        switch words {
        case .argument(let title, _, _, _):
            return arguments.firstIndex { $0.name == title }.flatMap(invocation.argument)
        case .option(let title, _, _, _):
            let title = title ?? name.kebabCased
            guard member(name)?.plainType?.valueName == nil else { return invocation.option(title) }
            return invocation.flag(title) ? "true" : nil
        case .flag(let title, _, let meaning): return invocation.flag(title) ? meaning : nil
        case .hidden, .consumed: return nil
        }
    }
}

extension String {
    /// `maxAge` as `max-age`.
    fileprivate var kebabCased: String {
        var text = ""
        for character in self { text += character.isUppercase ? "-\(character.lowercased())" : String(character) }
        return text
    }
}

/// The answer of a runner to a call.
package struct RunnerReply<Answer: APIAnswer>: Sendable {
    package let answer: Answer
    package let status: Status
    /// The raw JSON, with members that a newer runner may have added.
    package let json: JSONValue
    /// The header fields of the answer.
    package var fields = Fields()
}

extension RunnerClient {
    /// The timeout of a call: changes may wait for a slow disk or for running work.
    static func limit(of method: Method) -> Duration { method.isSafe ? lookLimit : changeLimit }

    /// Makes a call and parses the answer.
    package func perform<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        _ input: Input,
        within limit: Duration? = nil,
        upTo size: ByteCount = Self.limit
    ) async throws -> RunnerReply<Answer> {
        let body = call.body(for: input)
        let method = call.operation.method
        var fields = input.headerFields
        if body != nil { fields["Content-Type"] = "application/json" }
        let answer = try await ask(
            method,
            call.target(for: input),
            body: body,
            fields: fields,
            within: limit ?? Self.limit(of: method),
            upTo: size
        ).wellDone(Kind.self)
        let hasBody = Answer.answerSchema != nil && answer.status != .noContent
        return RunnerReply(
            answer: try answer.value(Answer.self),
            status: answer.status,
            json: hasBody ? try answer.json() : .object([]),
            fields: answer.fields
        )
    }
}
