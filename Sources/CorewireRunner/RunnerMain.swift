import CorewireCLI
import WireBase

/// The second program: what it is asked goes by the same command line as the first.
@main
enum RunnerMain {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        switch Program.run(words) {
        case .ended(let status): Console.exit(with: status)
        case .isRunners(let invocation): Console.exit(with: await perform(invocation))
        }
    }

    private static func perform(_ invocation: Invocation) async -> ExitStatus {
        do {
            switch invocation.path.joined(separator: " ") {
            case "run": return try await RunCommand.run(invocation)
            default: throw Failure(message: "the runner does not know this command", status: .internalError)
            }
        } catch {
            return Program.tell(error)
        }
    }
}
