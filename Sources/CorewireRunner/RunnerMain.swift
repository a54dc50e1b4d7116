import Corewire
import CorewireCLI
import WireBase
package import WireService

/// The main function of the runner programs, which share the command line of `corewire`.
package enum RunnerMain {
    /// Runs the command and exits the process.
    package static func run(embeddedServers: any Service.Type) async {
        Console.holdStandardStreams()
        let words = Arguments.words
        switch await Program.run(words, libraries: { Libraries.all }) {
        case .ended(let status): Console.exit(with: status)
        case .runnerProgram(let command, let invocation):
            Console.exit(
                with: await Program.perform(invocation) { try await perform(command, $0, embeddedServers) }
            )
        }
    }

    private static func perform(
        _ command: RunnerProgramCommand,
        _ invocation: Invocation,
        _ embeddedServers: any Service.Type
    ) async throws -> ExitStatus {
        switch command {
        case .run: try await RunCommand.run(invocation, embeddedServers)
        case .receive: try await ReceiveCommand.run(invocation, embeddedServers)
        case .doctor: try await DoctorCommand.run(invocation, embeddedServers)
        case .pin: try await PinCommand.run(invocation)
        case .signIn: try await SignInCommand.run(invocation)
        case .refuseToken: try await RefusedTokenCommand.run(invocation)
        case .registerScheme: try SchemeCommand.run(invocation)
        case .sendPush: try await PushSendCommand.run(invocation)
        case .migrateStore: try await DatabaseCommand.migrate(invocation, embeddedServers)
        case .storeStatus: try await DatabaseCommand.status(invocation, embeddedServers)
        case .exportStore: try await DatabaseCommand.export(invocation, embeddedServers)
        case .importStore: try await DatabaseCommand.importing(invocation, embeddedServers)
        case .vapidKey: try VAPIDKeyCommand.run(invocation)
        case .checkFile: try await OnlineCommand.run(invocation)
        }
    }
}
