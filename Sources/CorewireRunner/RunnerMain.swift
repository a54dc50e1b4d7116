import CorewireCLI
import WireBase

/// What is done for commands, by their words.
typealias Deeds = [String: @Sendable (Invocation) async throws -> ExitStatus]

/// The second program: what it is asked goes by the same command line as the first.
@main
enum RunnerMain {
    static func main() async {
        Console.holdStandardStreams()
        let words = Arguments.words
        switch await Program.run(words) {
        case .ended(let status): Console.exit(with: status)
        case .isRunners(let invocation): Console.exit(with: await perform(invocation))
        }
    }

    /// What is done for each command, as the files of the commands say.
    private static let deeds: Deeds = [
        RunCommand.deeds,
        PinCommand.deeds,
        SignInCommand.deeds,
        RefusedTokenCommand.deeds,
        SchemeCommand.deeds,
        ReceiveCommand.deeds,
        OnlineCommand.deeds,
        DoctorCommand.deeds,
    ].reduce(into: [:]) { all, some in all.merge(some) { $1 } }

    private static func perform(_ invocation: Invocation) async -> ExitStatus {
        await Program.perform(invocation) { invocation in
            guard let deed = deeds[invocation.path.joined(separator: " ")] else {
                throw Failure(message: "the runner does not know this command", status: .internalError)
            }
            return try await deed(invocation)
        }
    }
}
