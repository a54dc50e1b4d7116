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
            case "downloads list": return try await DownloadsCommand.list(invocation)
            case "downloads add": return try await DownloadsCommand.add(invocation)
            case "downloads show": return try await DownloadsCommand.show(invocation)
            case "downloads pause": return try await DownloadsCommand.pause(invocation)
            case "downloads resume": return try await DownloadsCommand.resume(invocation)
            case "downloads cancel": return try await DownloadsCommand.cancel(invocation)
            case "downloads follow": return try await DownloadsCommand.follow(invocation)
            case "request": return try await RequestCommand.run(invocation)
            case "pin": return try await PinCommand.run(invocation)
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
            case "outbox list": return try await OutboxCommand.list(invocation)
            case "outbox show": return try await OutboxCommand.show(invocation)
            case "outbox retry": return try await OutboxCommand.retry(invocation)
            case "outbox drop": return try await OutboxCommand.drop(invocation)
            case "outbox pause": return try await OutboxCommand.setPause(true, invocation)
            case "outbox resume": return try await OutboxCommand.setPause(false, invocation)
            case "outbox post": return try await OutboxCommand.post(invocation)
            case "outbox follow": return try await OutboxFollowCommand.run(invocation)
            case "tasks list": return try await TasksCommand.list(invocation)
            case "tasks run": return try await TasksCommand.run(invocation)
            case "tasks cancel": return try await TasksCommand.cancel(invocation)
            case "content modules": return try await ContentCommand.modules(invocation)
            case "content search": return try await ContentCommand.search(invocation)
            case "content get": return try await ContentCommand.get(invocation)
            case "content create": return try await ContentCommand.create(invocation)
            case "content update": return try await ContentCommand.update(invocation)
            case "content delete": return try await ContentCommand.delete(invocation)
            case "content batch": return try await ContentCommand.batch(invocation)
            case "content sync": return try await ContentCommand.sync(invocation)
            case "device show": return try await DeviceCommand.show(invocation)
            case "device tag": return try await DeviceCommand.tag(invocation)
            case "device untag": return try await DeviceCommand.untag(invocation)
            case "device set": return try await DeviceCommand.set(invocation)
            case "device register": return try await DeviceCommand.register(invocation)
            case "device remove": return try await DeviceCommand.remove(invocation)
            case "notifications send": return try await NotificationsCommand.send(invocation)
            case "notifications list": return try await NotificationsCommand.list(invocation)
            case "notifications show": return try await NotificationsCommand.show(invocation)
            case "notifications tap": return try await NotificationsCommand.tap(invocation)
            case "notifications read": return try await NotificationsCommand.read(invocation)
            case "notifications dismiss": return try await NotificationsCommand.dismiss(invocation)
            case "notifications permission": return try await NotificationsCommand.permission(invocation)
            case "notifications follow": return try await NotificationsFollowCommand.run(invocation)
            case "receive": return try await ReceiveCommand.run(invocation)
            case "clear": return try await ClearCommand.run(invocation)
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
