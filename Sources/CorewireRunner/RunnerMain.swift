import CorewireCLI
import WireBase
import WireConfig

/// The second program: what it is asked goes by the same command line as the first.
@main
enum RunnerMain {
    static func main() async {
        let words = Arguments.words
        switch Program.run(words) {
        case .ended(let status): Console.exit(with: status)
        case .isRunners(let invocation): Console.exit(with: await perform(invocation))
        }
    }

    private static func perform(_ invocation: Invocation) async -> ExitStatus {
        do {
            switch invocation.path.joined(separator: " ") {
            case "run": return try await RunCommand.run(invocation)
            case "status": return try await StatusCommand.run(invocation)
            case "reload": return try await ChangeCommands.reload(invocation)
            case "env use": return try await ChangeCommands.use(invocation)
            case "rollback": return try await ChangeCommands.rollback(invocation)
            case "plan": return try await ChangeCommands.plan(invocation)
            case "confirm": return try await ChangeCommands.confirm(invocation)
            case "log-level": return try await LogLevelCommand.run(invocation)
            case "events": return try await EventsCommand.run(invocation)
            case "history": return try await HistoryCommand.run(invocation)
            case "diff": return try await DiffCommand.run(invocation)
            case "state get": return try await StateCommand.get(invocation)
            case "state set": return try await StateCommand.set(invocation)
            case "state delete": return try await StateCommand.delete(invocation)
            case "state list": return try await StateCommand.list(invocation)
            case "state watch": return try await StateWatchCommand.run(invocation)
            case "backends status": return try await BackendsCommand.status(invocation)
            case "backends fault": return try await BackendsCommand.fault(invocation)
            case "backends faults": return try await BackendsCommand.faults(invocation)
            case "backends clear": return try await BackendsCommand.clear(invocation)
            case "auth login": return try await SignInCommand.run(invocation)
            case "auth logout": return try await AuthCommand.logout(invocation)
            case "auth status": return try await AuthCommand.status(invocation)
            case "auth token": return try await AuthCommand.token(invocation)
            case "auth user": return try await AuthCommand.user(invocation)
            case "auth lock": return try await AuthCommand.lock(invocation)
            case "auth unlock": return try await AuthCommand.unlock(invocation)
            case "auth callback": return try await AuthCommand.callback(invocation)
            case "auth scheme": return try SchemeCommand.run(invocation)
            case "console": return try await ConsoleCommand.run(invocation)
            case "validate-config": return try await OnlineCommand.run(invocation)
            case "doctor": return try await DoctorCommand.run(invocation)
            default: throw Failure(message: "the runner does not know this command", status: .internalError)
            }
        } catch let refusal as RunnerRefusal {
            if invocation.option("output") == "json" { Console.print(refusal.json.text(indented: true) + "\n") }
            Console.say(refusal.text)
            return refusal.status
        } catch {
            return Program.tell(error)
        }
    }
}
