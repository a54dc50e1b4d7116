import WireBase

/// Parses a command line: options anywhere, `--name value` or `--name=value`, `--` ends them.
struct CommandParser {
    private let root: Command

    init(_ root: Command) {
        self.root = root
    }

    func parse(_ words: [String]) throws -> Invocation {
        var command = root
        var path: [String] = []
        var rest = words[...]
        while let word = rest.first {
            let subcommands = command.subcommands
            if subcommands.isEmpty || word.hasPrefix("-") && word != "-" { break }
            guard let next = subcommands.first(where: { $0.name == word }) else {
                throw UsageError(unknown: word, in: command, path)
            }
            command = next
            path.append(word)
            rest = rest.dropFirst()
        }
        return try parse(rest, of: command, path)
    }

    private func parse(_ words: ArraySlice<String>, of command: Command, _ path: [String]) throws -> Invocation {
        var arguments: [String] = []
        var options: [String: [String]] = [:]
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                arguments += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                arguments.append(word)
                continue
            }
            try take(word, &rest, of: command, path, &options)
        }
        let isAsking = options["help"] != nil || options["version"] != nil
        if !isAsking { try check(arguments, of: command, path) }
        return Invocation(command: command, path: path, arguments: arguments, options: options)
    }

    private func take(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        of command: Command,
        _ path: [String],
        _ options: inout [String: [String]]
    ) throws {
        var pieces = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var typed = pieces[0] == "-h" ? "--help" : pieces[0]
        if let known = option(byLetterOf: word, in: command), typed != "--help" {
            typed = "--\(known.name)"
            pieces = word.count > 2 ? [typed, String(word.dropFirst(2))] : [typed]
        }
        guard let option = (command.options + [.help, .version]).first(where: { "--\($0.name)" == typed }) else {
            let nearest = Synonyms.suggestion(
                for: String(typed.drop { $0 == "-" }),
                among: (command.options + [.help]).map(\.name)
            )
            throw UsageError(
                "unknown option \(typed.quoted)" + (nearest.map { "; did you mean '--\($0)'?" } ?? ""),
                for: path
            )
        }
        guard options[option.name] == nil || option.isRepeated else {
            throw UsageError("--\(option.name) is given twice", for: path)
        }
        guard let value = option.value else {
            guard pieces.count == 1 else { throw UsageError("--\(option.name) takes no value", for: path) }
            options[option.name] = []
            return
        }
        let given = pieces.count > 1 ? pieces[1] : rest.popFirst()
        guard let given else {
            throw UsageError("--\(option.name) takes a value: --\(option.name) <\(value)>", for: path)
        }
        options[option.name, default: []].append(given)
    }

    /// The option of a word such as `-XPOST`; nil for `--method`, since a dash is no short option.
    private func option(byLetterOf word: String, in command: Command) -> Command.Option? {
        guard let letter = word.dropFirst().first else { return nil }
        return command.options.first { $0.letter == letter }
    }

    private func check(_ arguments: [String], of command: Command, _ path: [String]) throws {
        let required = command.arguments.filter { !$0.isOptional }
        if arguments.count < required.count {
            throw UsageError("missing <\(required[arguments.count].name)>", for: path)
        }
        if arguments.count > command.arguments.count {
            throw UsageError("unexpected argument \(arguments[command.arguments.count].quoted)", for: path)
        }
    }
}

extension UsageError {
    /// An unknown command.
    init(unknown word: String, in command: Command, _ path: [String]) {
        let nearest = Synonyms.suggestion(for: word, among: command.subcommands.map(\.name))
        let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
        self.init("unknown command \(word.quoted)\(hint)", for: path)
    }
}

extension Command.Option {
    static let help = Command.Option(name: "help", help: "Show this text.")
    static let version = Command.Option(name: "version", help: "Show the version.")
}
