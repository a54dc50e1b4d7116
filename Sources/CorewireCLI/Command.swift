package import WireBase

/// The declaration of a command, from which help, completion and parsing follow.
package struct Command: Sendable {
    package let name: String
    let summary: String
    let discussion: String
    private let makeArguments: @Sendable () -> [Argument]
    private let makeOptions: @Sendable () -> [Option]
    private let makeGroups: @Sendable () -> [Group]
    /// The command as the runner's program executes it; nil for a command of this program.
    var runnerProgram: RunnerProgramCommand?
    /// The flags with which alone the runner's program executes the command; empty where it always does.
    var runnerFlags: [String]
    /// Executes the command, with requests to a runner where necessary.
    var run: Work?

    package typealias Work = @Sendable (Invocation) async throws -> ExitStatus

    /// Related subcommands with a title.
    typealias Group = (title: String, commands: [Command])

    /// Arguments, options and subcommands are built lazily: most invocations need those of one command.
    init(
        name: String,
        summary: String,
        discussion: String = "",
        groups: @autoclosure @escaping @Sendable () -> [Group]
    ) {
        (self.name, self.summary, self.discussion, makeGroups) = (name, summary, discussion, groups)
        (makeArguments, makeOptions) = ({ [] }, { [] })
        (runnerProgram, runnerFlags, run) = (nil, [], nil)
    }

    init(
        name: String,
        summary: String,
        discussion: String = "",
        arguments: @autoclosure @escaping @Sendable () -> [Argument] = [],
        options: @autoclosure @escaping @Sendable () -> [Option] = [],
        subcommands: @autoclosure @escaping @Sendable () -> [Command] = [],
        runnerProgram: RunnerProgramCommand? = nil,
        runnerFlags: [String] = [],
        run: Work? = nil
    ) {
        (self.name, self.summary, self.discussion) = (name, summary, discussion)
        (makeArguments, makeOptions) = (arguments, options)
        makeGroups = { [("SUBCOMMANDS", subcommands())] }
        (self.runnerProgram, self.runnerFlags, self.run) = (runnerProgram, runnerFlags, run)
    }

    var arguments: [Argument] { makeArguments() }
    var options: [Option] { makeOptions() }
    var groups: [Group] { makeGroups().filter { !$0.commands.isEmpty } }
    var subcommands: [Command] { groups.flatMap(\.commands) }

    /// A positional argument.
    package struct Argument: Sendable {
        let name: String
        let help: String
        var isOptional = false
        var values = Values.anything
    }

    /// An option that begins with dashes.
    package struct Option: Sendable {
        let name: String
        var value: String?
        let help: String
        /// The short form after one dash; its value may follow without a space.
        var letter: Character?
        var isRepeated = false
        var values = Values.anything
    }

    /// The possible values, for completion.
    package enum Values: Sendable {
        case anything
        case files
        case words([String])
        case environments
        /// The names of push servers in the services file.
        case registrars
        /// Paths of settings, listed when a completion script is made.
        case settings
        /// The commands of the program.
        case commands
    }
}

/// A parsed command line.
package struct Invocation: Sendable {
    package let command: Command
    package let path: [String]
    package let arguments: [String]
    private let options: [String: [String]]

    init(command: Command, path: [String], arguments: [String], options: [String: [String]]) {
        self.command = command
        self.path = path
        self.arguments = arguments
        self.options = options
    }

    /// The command line as the runner's program executes it; nil for one of this program.
    var runnerProgram: RunnerProgramCommand? {
        command.runnerFlags.isEmpty || command.runnerFlags.contains(where: flag) ? command.runnerProgram : nil
    }

    package func flag(_ name: String) -> Bool { options[name] != nil }
    package func option(_ name: String) -> String? { options[name]?.last }
    package func all(_ name: String) -> [String] { options[name] ?? [] }
    package func argument(_ index: Int) -> String? { arguments.indices.contains(index) ? arguments[index] : nil }

    /// Whether the output, errors included, should be JSON.
    var wantsJSON: Bool { option("format") == "json" }

    /// Whether an unparsable command line asks for JSON.
    static func wantsJSON(_ words: [String]) -> Bool {
        words.contains("--format=json") || zip(words, words.dropFirst()).contains { $0 == ("--format", "json") }
    }

    /// The value of an option that accepts one of its declared words.
    package func choice(_ name: String) throws -> String? {
        guard let given = option(name), let declared = command.options.first(where: { $0.name == name }),
            case .words(let words) = declared.values
        else { return option(name) }
        guard words.contains(given) else {
            let nearest = Nearest.name(to: given, among: words)
            throw UsageError(
                "--\(name) takes \(words.listed()), not \(given.quoted)"
                    + (nearest.map { "; did you mean '\($0)'?" } ?? ""),
                for: path
            )
        }
        return given
    }
}

/// An invalid command line.
package struct UsageError: Error {
    let message: String
    let path: [String]

    package init(_ message: String, for path: [String]) {
        self.message = message
        self.path = path
    }
}

/// A failure with its own exit status and message.
package struct Failure: Error {
    package let message: String
    package let status: ExitStatus
    package var help: String?

    package init(message: String, status: ExitStatus, help: String? = nil) {
        self.message = message
        self.status = status
        self.help = help
    }
}
