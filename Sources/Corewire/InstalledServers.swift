import CorewireCatalogue
import WireBackends
import WireBase
import WireConfig
import WireRuntime
import WireService

/// Lets no embedded environment run in a program that does not have the embedded servers.
struct InstalledServers: CandidateJudge {
    let services: [any Service.Type]

    private static let help =
        "choose an environment with servers of its own ('--env NAME'), or install the runner for development: "
        + "'make install-dev', or 'import CorewireEmbedded' in a program of your own"

    func objection(to candidate: Candidate, after present: Candidate) -> CandidateRejection? {
        reason(against: candidate).map { CandidateRejection(reason: "\($0): \(Self.help)") }
    }

    func check(_ candidate: Candidate) throws(StartFailure) {
        guard let reason = reason(against: candidate) else { return }
        throw StartFailure(.invalid, reason, help: Self.help)
    }

    private func reason(against candidate: Candidate) -> String? {
        guard candidate.facts.backend == .embedded, services.contains(where: { $0 == MissingServers.self }) else {
            return nil
        }
        let subject = candidate.facts.name.map { "the environment \($0.quoted)" } ?? "the file"
        return "\(subject) has 'backend: embedded', and the embedded servers are not installed"
    }
}
