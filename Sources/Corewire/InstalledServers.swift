import CorewireCatalogue
import WireBackends
import WireBase
package import WireConfig
package import WireRuntime
package import WireService

/// Lets no embedded environment run in a program that does not have the embedded servers.
package struct InstalledServers: CandidateJudge {
    let services: [any Service.Type]

    package static let help =
        "choose an environment with servers of its own ('--env NAME'), or install the runner for development: "
        + "'make install-dev', or 'import CorewireEmbedded' in a program of your own"

    package init(services: [any Service.Type]) { self.services = services }

    package func objection(to candidate: Candidate, after present: Candidate) -> CandidateRejection? {
        reason(against: candidate.facts).map { CandidateRejection(reason: "\($0): \(Self.help)") }
    }

    func check(_ candidate: Candidate) throws(StartFailure) {
        guard let reason = reason(against: candidate.facts) else { return }
        throw StartFailure(.invalid, reason, help: Self.help)
    }

    /// Why the environment cannot run in this program; nil where it can.
    package func reason(against facts: EnvironmentFacts) -> String? {
        guard facts.backend == .embedded, services.contains(where: { $0 == MissingServers.self }) else {
            return nil
        }
        let subject = facts.name.map { "the environment \($0.quoted)" } ?? "the file"
        return "\(subject) has 'backend: embedded', and the embedded servers are not installed"
    }
}
