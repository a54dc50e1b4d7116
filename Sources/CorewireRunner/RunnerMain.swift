import Corewire
import CorewireCLI
import WireBase
package import WireService

/// The implementations of commands, by command name.
typealias CommandHandlers = [String: @Sendable (Invocation) async throws -> ExitStatus]

/// The main function of the runner programs, which share the command line of `corewire`.
package enum RunnerMain {
    /// Runs the command and exits the process.
    package static func run(embeddedServers: any Service.Type) async {
        Console.holdStandardStreams()
        let words = Arguments.words
        switch await Program.run(words, libraries: Libraries.all) {
        case .ended(let status): Console.exit(with: status)
        case .isRunners(let invocation): Console.exit(with: await perform(invocation, handlers(embeddedServers)))
        }
    }

    /// The implementations of all commands.
    private static func handlers(_ embeddedServers: any Service.Type) -> CommandHandlers {
        [
            RunCommand.handlers(embeddedServers),
            PinCommand.handlers,
            SignInCommand.handlers,
            RefusedTokenCommand.handlers,
            SchemeCommand.handlers,
            ReceiveCommand.handlers(embeddedServers),
            OnlineCommand.handlers,
            DoctorCommand.handlers(embeddedServers),
        ].reduce(into: [:]) { all, some in all.merge(some) { $1 } }
    }

    private static func perform(_ invocation: Invocation, _ handlers: CommandHandlers) async -> ExitStatus {
        await Program.perform(invocation) { invocation in
            guard let handler = handlers[invocation.path.joined(separator: " ")] else {
                throw Failure(message: "the runner does not implement this command", status: .internalError)
            }
            return try await handler(invocation)
        }
    }
}
