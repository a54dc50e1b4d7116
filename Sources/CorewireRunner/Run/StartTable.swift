import WireHost
import WireService

/// What runs and where, for the person who started it.
struct StartTable {
    private let status: RunnerStatus
    private let folders: HostFolders

    init(_ status: RunnerStatus, folders: HostFolders) {
        self.status = status
        self.folders = folders
    }

    var text: String {
        let width = max(11, status.services.map(\.name.count).max() ?? 0)
        func row(_ name: String, _ value: String) -> String {
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(value)\n"
        }
        var text = "\(status.app ?? status.file) runs\n"
        if let name = status.environment { text += row("environment", "\(name) (\(status.backend))") }
        text += row("generation", "\(status.generation) (\(status.hash))")
        for service in status.services {
            text += row(service.name, service.state.name + (service.state.reason.map { ": \($0)" } ?? ""))
        }
        text += row("socket", "\(folders.runtime.path)/api.sock")
        text += row("state", folders.state.path)
        return text
    }
}
