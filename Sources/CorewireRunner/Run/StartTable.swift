import Corewire
import WireHost
import WireRunnerContract
import WireRuntime
import WireService

/// The table that 'corewire run' prints for the user.
struct StartTable {
    private let status: RunnerStatus
    private let assembly: Assembly

    init(_ assembly: Assembly) {
        status = assembly.runner.status
        self.assembly = assembly
    }

    var text: String {
        let width = max(11, status.services.map(\.name.count).max() ?? 0)
        func row(_ name: String, _ value: String) -> String {
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(value)\n"
        }
        var text = "\(status.app ?? status.file) is running\n"
        if let name = status.environment {
            text += row("environment", "\(name)\(status.url.map { " at \($0)" } ?? "") (\(status.backend))")
        }
        text += row("generation", "\(status.generation) (\(status.hash))")
        for service in status.services {
            text += row(service.name, service.state.name + (service.state.reason.map { ": \($0)" } ?? ""))
        }
        if let socket = assembly.apiSocket { text += row("socket", socket) }
        if let address = assembly.apiAddress {
            text += row("address", "http://\(address), 'corewire console' prints a link to the console")
        }
        text += row("state", assembly.folders.state.path)
        return text
    }
}
