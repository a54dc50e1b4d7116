import CorewireCLI
import WireBase
package import WireService

/// What is done for commands, by their words.
typealias Deeds = [String: @Sendable (Invocation) async throws -> ExitStatus]

/// The runner's programs: what they are asked goes by the same command line as `corewire`.
package enum RunnerMain {
    /// Does what the command line says, and ends the process.
    package static func run(embeddedServers: any Service.Type) async {
        Console.holdStandardStreams()
        let words = Arguments.words
        switch await Program.run(words) {
        case .ended(let status): Console.exit(with: status)
        case .isRunners(let invocation): Console.exit(with: await perform(invocation, deeds(embeddedServers)))
        }
    }

    /// What is done for each command, as the files of the commands say.
    private static func deeds(_ embeddedServers: any Service.Type) -> Deeds {
        [
            RunCommand.deeds(embeddedServers),
            PinCommand.deeds,
            SignInCommand.deeds,
            RefusedTokenCommand.deeds,
            SchemeCommand.deeds,
            ReceiveCommand.deeds(embeddedServers),
            OnlineCommand.deeds,
            DoctorCommand.deeds(embeddedServers),
        ].reduce(into: [:]) { all, some in all.merge(some) { $1 } }
    }

    private static func perform(_ invocation: Invocation, _ deeds: Deeds) async -> ExitStatus {
        await Program.perform(invocation) { invocation in
            guard let deed = deeds[invocation.path.joined(separator: " ")] else {
                throw Failure(message: "the runner does not know this command", status: .internalError)
            }
            return try await deed(invocation)
        }
    }
}
