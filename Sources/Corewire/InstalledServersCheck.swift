import CorewireCatalogue
import WireBackends
import WireBase
package import WireConfig
package import WireRuntime
package import WireService

/// Rejects embedded environments in a program without the embedded servers.
package struct InstalledServersCheck: CandidateCheck {
    let services: [any Service.Type]

    package static let help = "choose an environment with servers of its own ('--env NAME'), or \(install)"

    private static let install =
        "install the runner for development: 'make install-dev', or 'import CorewireEmbedded' in a program of your own"

    package init(services: [any Service.Type]) { self.services = services }

    package func rejection(to candidate: Candidate, after present: Candidate) -> CandidateRejection? {
        reason(against: candidate.facts).map { CandidateRejection(reason: "\($0): \(Self.help)") }
    }

    /// Lets nothing start without its servers; `file` is what the file says where an environment chosen earlier counts.
    func check(_ candidate: Candidate, insteadOf file: EnvironmentFacts?) throws(StartFailure) {
        guard let reason = reason(against: candidate.facts) else { return }
        throw StartFailure(.invalid, reason, help: file.map(Self.help(insteadOf:)) ?? Self.help)
    }

    /// An embedded environment is never left for servers elsewhere unless a person says so.
    private static func help(insteadOf file: EnvironmentFacts) -> String {
        let name = file.backend == .embedded ? "NAME" : file.name ?? "NAME"
        return "the environment was chosen while an earlier runner ran ('corewire env use'), and counts at each start: "
            + "start with 'corewire run --env \(name)' (or COREWIRE_ENV=\(name)) and keep that with "
            + "'corewire env use \(name)', or \(install)"
    }

    /// Why the environment cannot run in this program; nil where it can.
    package func reason(against facts: EnvironmentFacts) -> String? {
        guard facts.backend == .embedded, services.contains(where: { $0 == MissingServers.self }) else {
            return nil
        }
        let subject = facts.name.map { "the environment \($0.quoted)" } ?? "the file"
        return "\(subject) has 'backend: embedded', but the embedded servers are not installed"
    }
}
