import WireBase
import WireConfig
import WireRuntime
import WireSecrets
import WireSecurity

/// Where whoever starts the runner, or what runs already, demands signed files, every file that follows has to be signed by the
/// same key: the demand cannot be taken out by changing the file it stands in.
struct SignedChanges: CandidateJudge {
    /// The key that was named to whoever started it; it counts before anything a file says.
    let signer: SignerKey?
    let signatures: any Signatures

    func objection(to candidate: Candidate, after present: Candidate) -> CandidateRejection? {
        if let rejection = objection(to: candidate) { return rejection }
        guard signer == nil, let demand = SignatureDemand(present.configuration[SecuritySection.self]) else {
            return nil
        }
        return objection(to: candidate, demand, "what runs takes only signed files: security.rules.signature")
    }

    /// Lets nothing start that whoever started the runner does not want.
    func check(_ candidate: Candidate) throws(StartFailure) {
        guard let rejection = objection(to: candidate) else { return }
        let help = "sign it: 'openssl pkeyutl -sign -rawin', see docs/security.md"
        throw StartFailure(.guarded, rejection.reason, help: help)
    }

    /// Why the options the runner was started with rule it out.
    func objection(to candidate: Candidate) -> CandidateRejection? {
        guard let signer else { return nil }
        return objection(to: candidate, SignatureDemand(signer), "only signed files are run: --signed-by")
    }

    private func objection(to candidate: Candidate, _ demand: SignatureDemand, _ why: String) -> CandidateRejection? {
        let sources = candidate.sources.reveal()
        for file in sources.files {
            let signature = sources.signatures[file.name]
            if let reason = demand.objection(to: file.text, named: file.name, signature: signature, with: signatures) {
                return CandidateRejection(reason: "\(reason) (\(why))")
            }
        }
        return nil
    }
}
