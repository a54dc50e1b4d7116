package import CorewireCatalogue
import Glibc
package import WireBase
import WireHost

/// Finds and runs commands, and prints their errors.
package enum Program {
    package static let version = Release.version

    /// The root of all commands.
    static func root() -> Command {
        Command(
            name: "corewire",
            summary: "Run the core services of a mobile app from one declarative file.",
            discussion:
                "Edit the file, check it with 'corewire validate-config', and choose an environment with --env.",
            groups: [
                (
                    "FILE",
                    [
                        InitCommand.command, ValidateCommand.command, EnvironmentCommands.command,
                        ExplainCommand.command,
                        GraphCommand.command, SchemaCommand.command, ImportCommand.command, ExportCommand.command,
                    ]
                )
            ] + RunnerCommands.groups + [("HELP", [CompletionCommand.command, helpCommand, VersionCommand.command])]
        )
    }

    /// The result of a command line.
    package enum Outcome {
        case ended(ExitStatus)
        /// For the runner's program.
        case runnerProgram(RunnerProgramCommand, Invocation)
    }

    /// Does what the command line says; the libraries are those that this program runs with.
    package static func run(
        _ words: [String],
        libraries: @escaping @Sendable () -> [LibraryVersion] = { Shipped.libraries }
    ) async -> Outcome {
        do {
            let root = root()
            let invocation = try CommandParser(root).parse(words)
            // A program that this one becomes finds it too.
            if let name = invocation.option("instance") { _ = unsafe setenv(Environment.instanceVariable, name, 1) }
            if invocation.flag("version") {
                Console.print("corewire \(version)\n")
                return .ended(.success)
            }
            if invocation.flag("help") {
                // 'corewire --help status' is the same as 'corewire help status'.
                let path = invocation.path.isEmpty ? invocation.arguments : invocation.path
                Console.print(HelpText(command(at: path) ?? root, path: command(at: path) == nil ? [] : path).text)
                return .ended(.success)
            }
            if let command = invocation.runnerProgram { return .runnerProgram(command, invocation) }
            let isVersion = invocation.path == [VersionCommand.command.name]
            guard let run = isVersion ? VersionCommand.work(libraries) : invocation.command.run else {
                Console.printError(HelpText(invocation.command, path: invocation.path).text)
                return .ended(.usage)
            }
            return .ended(await perform(invocation, run))
        } catch {
            return .ended(ErrorText(error).say(asJSON: Invocation.wantsJSON(words)))
        }
    }

    /// Runs a command, and prints its error.
    package static func perform(_ invocation: Invocation, _ work: Command.Work) async -> ExitStatus {
        do {
            return try await work(invocation)
        } catch {
            return ErrorText(error).say(asJSON: invocation.wantsJSON)
        }
    }

    static func usage(of path: [String]) -> String {
        HelpText(command(at: path) ?? root(), path: path).usage
    }

    static func command(at path: [String]) -> Command? {
        path.reduce(Optional(root())) { command, name in command?.subcommands.first { $0.name == name } }
    }

    private static let helpCommand = Command(
        name: "help",
        summary: "Show the help of a command.",
        arguments: [
            .init(name: "command", help: "The command.", isOptional: true, values: .commands),
            .init(name: "subcommand", help: "The subcommand.", isOptional: true),
            .init(name: "action", help: "The subcommand of the subcommand.", isOptional: true),
        ],
        options: [
            .init(
                name: "format",
                value: "format",
                help: "text, or man: the manual page of the program.",
                values: .words(["text", "man"])
            )
        ],
        run: { invocation in
            if try invocation.choice("format") == "man" {
                guard invocation.arguments.isEmpty else {
                    throw UsageError("--format man prints one page for all commands; remove the command", for: ["help"])
                }
                Console.print(ManualPage(root()).text)
                return .success
            }
            var (command, path) = (root(), [String]())
            for name in invocation.arguments {
                guard let next = command.subcommands.first(where: { $0.name == name }) else {
                    throw UsageError(unknown: name, in: command, path)
                }
                (command, path) = (next, path + [name])
            }
            Console.print(HelpText(command, path: path).text)
            return .success
        }
    )
}
