import Corewire
import CorewireCLI
import CorewireCatalogue
import WireBase
import WireConfig
import WireHost
import WireService

/// `corewire doctor`: checks whether this machine can run the services file; changes nothing.
enum DoctorCommand {
    static func run(_ invocation: Invocation, _ embeddedServers: any Service.Type) async throws -> ExitStatus {
        let installed = InstalledServersCheck(services: [embeddedServers])
        let showing = try Display(invocation)
        let environment = Environment.consumed()
        let clock = ClockCheckup()
        let file = try FileCheckup(invocation)
        let socket = SocketCheckup(invocation, environment, file)
        let folders = FolderCheckup(file, environment)
        var findings = file.findings + folders.findings
        findings += StoreCheckup(file, folders).findings
        findings += await DatabaseCheckup.findings(invocation, embeddedServers, environment)
        findings += socket.findings
        let runner = file.hints.map { OwnRunner($0, environment) }
        findings += await ListenCheckup(file.validated, runner).findings()
        findings += HostCheckup(file, environment).findings
        findings += AccountCheckup(file).findings
        if let validated = file.validated, let reason = installed.reason(against: validated.facts) {
            findings.append(.problem("environment", reason, help: InstalledServersCheck.help))
        }
        findings += clock.findings()
        let all = Findings(all: findings)
        showing.show(all.json) { all.text(showing.paint) }
        return all.count(.problem) > 0 ? .problemsFound : .success
    }
}
