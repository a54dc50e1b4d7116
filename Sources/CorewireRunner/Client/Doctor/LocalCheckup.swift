import CorewireCatalogue
import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireMessageBus

/// The requirements of an environment that this machine does not meet.
struct LocalCheckup {
    /// All problems except for the address of the local API, which this app's runner may use.
    let problemsButAddress: [Diagnostic]
    private let address: [Diagnostic]
    private let listen: ListenCheckup

    init(_ validation: Validation, environment name: String?) {
        let environment = Environment.snapshot()
        let hints = RunnerHints(validation)
        let app = hints.app ?? "app"
        let folders = try? HostFolders(environment, group: hints.group ?? app, app: app)
        let problems = LocalChecks(
            validation,
            environment: name,
            today: Console.today(),
            data: folders?.state.file("data/\(app)"),
            bus: SessionBus({ environment[$0] }, user: HostFacts.user)
        ).problems()
        let isAddress = { @Sendable (problem: Diagnostic) in problem.code == .localNeed && problem.path == "api.listen"
        }
        problemsButAddress = problems.filter { !isAddress($0) }
        address = problems.filter(isAddress)
        listen = ListenCheckup(validation.environment(name), OwnRunner(hints, environment))
    }

    func problems() async -> [Diagnostic] {
        guard !address.isEmpty, await !listen.isOwnRunners else { return problemsButAddress }
        return problemsButAddress + address
    }
}
