package import WireBase

/// The program: finds the command, runs it, and says what went wrong.
package enum Program {
    package static let version = Release.version

    /// Every command there is.
    static func root() -> Command {
        Command(
            name: "corewire",
            summary: "Runs the core services of a mobile product from one declarative file.",
            discussion: "Edit the file, check it with 'corewire validate-config', choose an environment with --env.",
            subcommands: [
                ValidateCommand.command,
                EnvironmentCommands.command,
                ExplainCommand.command,
                GraphCommand.command,
            ] + RunnerCommands.all + [
                SchemaCommand.command,
                InitCommand.command,
                ImportCommand.command,
                ExportCommand.command,
                CompletionCommand.command,
                helpCommand,
                versionCommand,
            ]
        )
    }

    /// What became of a command line.
    package enum Outcome {
        case ended(ExitStatus)
        /// It is the runner's to do.
        case isRunners(Invocation)
    }

    package static func run(_ words: [String]) async -> Outcome {
        do {
            let invocation = try CommandParser(root()).parse(words)
            if invocation.flag("version") {
                Console.print("corewire \(version)\n")
                return .ended(.success)
            }
            if invocation.flag("help") {
                Console.print(HelpText(invocation.command, path: invocation.path).text)
                return .ended(.success)
            }
            if invocation.isRunners { return .isRunners(invocation) }
            guard let run = invocation.command.run else {
                Console.say(HelpText(invocation.command, path: invocation.path).text)
                return .ended(.usage)
            }
            return .ended(await perform(invocation, run))
        } catch {
            return .ended(tell(error))
        }
    }

    /// Does what was typed, and says why where it was not done.
    package static func perform(_ invocation: Invocation, _ work: Command.Work) async -> ExitStatus {
        do {
            return try await work(invocation)
        } catch let refusal as RunnerRefusal {
            refusal.tell(invocation)
            return refusal.status
        } catch {
            return tell(error)
        }
    }

    /// Says why a command was not done; what that means for the exit status.
    private static func tell(_ error: any Error) -> ExitStatus {
        switch error {
        case let error as UsageError:
            Console.say("error: \(error.message)\n")
            Console.say("usage: \(usage(of: error.path))\n")
            Console.say("See 'corewire help\(error.path.map { " " + $0 }.joined())' for more.\n")
            return .usage
        case let error as Failure:
            Console.say("error: \(error.message)\n")
            if let help = error.help { Console.say("  = help: \(help)\n") }
            return error.status
        default:
            Console.say("error: \(error)\n")
            return .internalError
        }
    }

    private static func usage(of path: [String]) -> String {
        HelpText(command(at: path) ?? root(), path: path).usage
    }

    static func command(at path: [String]) -> Command? {
        path.reduce(Optional(root())) { command, name in command?.subcommands.first { $0.name == name } }
    }

    private static let helpCommand = Command(
        name: "help",
        summary: "Show the help of a command.",
        arguments: [
            .init(name: "command", help: "The command.", isOptional: true),
            .init(name: "subcommand", help: "Its subcommand.", isOptional: true),
            .init(name: "action", help: "The subcommand of that.", isOptional: true),
        ],
        run: { invocation in
            guard let command = command(at: invocation.arguments) else {
                let name = invocation.arguments.joined(separator: " ")
                let nearest = Nearest.name(to: name, among: root().subcommands.map(\.name))
                throw UsageError(
                    "unknown command \(name.quoted)" + (nearest.map { "; did you mean '\($0)'?" } ?? ""),
                    for: []
                )
            }
            Console.print(HelpText(command, path: invocation.arguments).text)
            return .success
        }
    )

    private static let versionCommand = Command(
        name: "version",
        summary: "Show the version.",
        run: { _ in
            Console.print("corewire \(version)\n")
            return .success
        }
    )
}
