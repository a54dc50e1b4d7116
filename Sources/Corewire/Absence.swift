import WireBase
import WireConfig
import WireService

/// Why nothing can be asked of a section: the file has none, or what runs for it does not answer.
struct Absence {
    let description: String
    let help: String?
    let origin: ValueOrigin?

    /// The help is for a file without the section.
    init(of section: String, in status: RunnerStatus, help: String) {
        guard let service = status.services.first(where: { $0.name == section }) else {
            (description, self.help, origin) = ("\(status.file.quoted) has no section '\(section)'", help, nil)
            return
        }
        let reason = service.state.reason.map { ": \($0)" } ?? ""
        description = "the service '\(section)' is \(service.state.name)\(reason)"
        (self.help, origin) = (nil, service.state.fault?.origin)
    }
}
