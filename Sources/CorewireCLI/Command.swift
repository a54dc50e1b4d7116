package import WireBase

/// A command as it is declared: help, completion and parsing all follow from this.
package struct Command: Sendable {
    package let name: String
    let summary: String
    let discussion: String
    var arguments: [Argument]
    var options: [Option]
    private let makeGroups: @Sendable () -> [Group]
    /// Whether the runner does it, which is a program of its own: it brings libraries that no other command pays for.
    var isRunners: Bool
    /// Flags with which it is the runner's, while without them this program does it.
    var runnersFlags: [String]
    /// Does it, also where that takes asking a runner.
    var run: Work?

    package typealias Work = @Sendable (Invocation) async throws -> ExitStatus

    /// Subcommands that belong together, under a title.
    typealias Group = (title: String, commands: [Command])

    /// The subcommands are made when they are asked for: most runs of the program need those of one command.
    init(
        name: String,
        summary: String,
        discussion: String = "",
        groups: @autoclosure @escaping @Sendable () -> [Group]
    ) {
        (self.name, self.summary, self.discussion, makeGroups) = (name, summary, discussion, groups)
        (arguments, options, isRunners, runnersFlags, run) = ([], [], false, [], nil)
    }

    init(
        name: String,
        summary: String,
        discussion: String = "",
        arguments: [Argument] = [],
        options: [Option] = [],
        subcommands: @autoclosure @escaping @Sendable () -> [Command] = [],
        isRunners: Bool = false,
        runnersFlags: [String] = [],
        run: Work? = nil
    ) {
        (self.name, self.summary, self.discussion) = (name, summary, discussion)
        (self.arguments, self.options) = (arguments, options)
        makeGroups = { [("SUBCOMMANDS", subcommands())] }
        (self.isRunners, self.runnersFlags, self.run) = (isRunners, runnersFlags, run)
    }

    var groups: [Group] { makeGroups().filter { !$0.commands.isEmpty } }
    var subcommands: [Command] { groups.flatMap(\.commands) }

    /// A word that stands by its position.
    package struct Argument: Sendable {
        let name: String
        let help: String
        var isOptional = false
        var values = Values.anything
    }

    /// A word that begins with dashes.
    package struct Option: Sendable {
        let name: String
        var value: String?
        let help: String
        /// A letter that stands for it behind one dash; its value may follow at once.
        var letter: Character?
        var isRepeated = false
        var values = Values.anything
    }

    /// What may stand somewhere, for completion.
    package enum Values: Sendable {
        case anything
        case files
        case words([String])
        case environments
        /// The names the services file gives push servers.
        case registrars
        /// Paths of settings, made when a completion script is.
        case settings
        /// The commands of the program.
        case commands
    }
}

/// What the user typed, taken apart.
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

    /// Whether the runner does what was typed.
    var isRunners: Bool { command.isRunners || command.runnersFlags.contains(where: flag) }

    package func flag(_ name: String) -> Bool { options[name] != nil }
    package func option(_ name: String) -> String? { options[name]?.last }
    package func all(_ name: String) -> [String] { options[name] ?? [] }
    package func argument(_ index: Int) -> String? { arguments.indices.contains(index) ? arguments[index] : nil }

    /// Whether its answer is wanted as JSON, and so why it was not done.
    var wantsJSON: Bool { option("format") == "json" }

    /// The same of a command line that cannot be taken apart.
    static func wantsJSON(_ words: [String]) -> Bool {
        words.contains("--format=json") || zip(words, words.dropFirst()).contains { $0 == ("--format", "json") }
    }

    /// An option that takes one of the words its declaration lists.
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

/// A command line that makes no sense.
package struct UsageError: Error {
    let message: String
    let path: [String]

    package init(_ message: String, for path: [String]) {
        self.message = message
        self.path = path
    }
}

/// A failure with its own exit status and nothing more to say than its message.
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
