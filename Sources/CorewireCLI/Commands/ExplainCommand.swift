import CorewireCatalogue
import WireBase
import WireConfig

/// `corewire explain`: the meaning of a code, or the origin of a value.
enum ExplainCommand {
    static let command = Command(
        name: "explain",
        summary: "Explain a code, or the origin of a setting's value.",
        discussion: """
            For a code (CW0203) or the name of a warning: prints the meaning and the remedy. For a
            security rule (debugger): prints the findings and common mistakes. For a path
            (auth.clientIds.stage): prints the effective value, the overridden values, and the place
            of each.
            """,
        arguments: [
            .init(
                name: "path|code|rule",
                help: "A path such as network.retries, a code such as CW0203, or a rule such as debugger.",
                values: .settings
            )
        ],
        options: ConfigFinder.options + [
            .init(
                name: "format",
                value: "format",
                help: "text or json. (default: text)",
                values: .words(["text", "json"])
            )
        ],
        run: { invocation in
            let subject = invocation.arguments[0]
            let isJSON = try invocation.choice("format") == "json"
            if let code = Shipped.catalogue.codes.first(where: { $0.id == subject.uppercased() || $0.name == subject })
            {
                Console.print(isJSON ? json(code).text(indented: true) + "\n" : text(code))
                return .success
            }
            if let rule = RuleExplanation.all.first(where: { $0.name == subject }) {
                Console.print(isJSON ? rule.json.text(indented: true) + "\n" : rule.text)
                return .success
            }
            if subject.uppercased().hasPrefix("CW"), subject.dropFirst(2).allSatisfy(\.isNumber) {
                let nearest = Nearest.name(to: subject.uppercased(), among: Shipped.catalogue.codes.map(\.id))
                throw Failure(
                    message: "unknown code \(subject.quoted)",
                    status: .usage,
                    help: nearest.map { "did you mean '\($0)'?" }
                )
            }
            return try explain(subject, invocation, isJSON: isJSON)
        }
    )

    // MARK: Codes

    private static func text(_ code: Code) -> String {
        "\(code.id) \(code.name) (\(code.severity.rawValue))\n\n\(code.explanation)\n"
    }

    private static func json(_ code: Code) -> JSONValue {
        .members([
            "code": .string(code.id), "name": .string(code.name), "severity": .string(code.severity.rawValue),
            "explanation": .string(code.explanation),
        ])
    }

    // MARK: Paths

    private static func explain(_ path: String, _ invocation: Invocation, isJSON: Bool) throws -> ExitStatus {
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let form = FileForm(Shipped.catalogue)
        let key = form.key(at: steps)
        let validation = try ConfigFinder.validate(invocation)
        try EnvironmentCommands.requireReadable(validation)
        guard let file = validation.file else { return .problemsFound }
        let environment = try ConfigFinder.environment(invocation, validation)
        let history = History(of: steps, in: file, environment: environment, default: key?.defaultValue)
        guard key != nil || !history.candidates.isEmpty else { throw unknown(path, steps, form) }
        let explanation = Explanation(
            path: path,
            key: key,
            history: history,
            environment: environment,
            document: file.document,
            secrets: validation.result.secrets,
            effective: validation.environment(environment).flatMap { file.document.node(at: steps, from: $0.root) }
        )
        Console.print(isJSON ? explanation.json.text(indented: true) + "\n" : explanation.text)
        return .success
    }

    private static func unknown(_ path: String, _ steps: [String], _ form: FileForm) -> Failure {
        var known: [String] = []
        for step in steps {
            let names = form.names(below: known)
            if names.contains(step) || form.key(at: known + [step]) != nil {
                known.append(step)
                continue
            }
            let nearest = Nearest.name(to: step, among: names)
            return Failure(
                message:
                    "unknown setting \(path.quoted): there is no \(step.quoted)\(known.isEmpty ? "" : " in \(known.joined(separator: "."))")",
                status: .usage,
                help: nearest.map { "did you mean '\((known + [$0]).joined(separator: "."))'?" }
                    ?? (names.isEmpty ? nil : "there are \(names.sorted().listed("and"))")
            )
        }
        return Failure(message: "the file does not set \(path.quoted)", status: .usage)
    }
}
