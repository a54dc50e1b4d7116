import WireBase
import WireConfig
import WireRuntime
import WireSecrets
import WireSecurity

/// Rejects unsigned files where signatures are required by the start options or by the current generation: a change of
/// the file cannot remove the requirement.
struct SignedChangeCheck: CandidateCheck {
    /// The key given at the start; takes precedence over the file.
    let signer: SignerKey?
    let signatures: any Signatures

    func rejection(to candidate: Candidate, after present: Candidate) -> CandidateRejection? {
        if let rejection = objection(to: candidate) { return rejection }
        guard signer == nil, let demand = SignatureDemand(present.configuration[SecuritySection.self]) else {
            return nil
        }
        return objection(to: candidate, demand, "only signed files are accepted: security.rules.signature")
    }

    /// Checks the first candidate against the start options.
    func check(_ candidate: Candidate) throws(StartFailure) {
        guard let rejection = objection(to: candidate) else { return }
        let help = "sign it: 'openssl pkeyutl -sign -rawin', see docs/security.md"
        throw StartFailure(.guarded, rejection.reason, help: help)
    }

    /// Why the start options reject a candidate.
    func objection(to candidate: Candidate) -> CandidateRejection? {
        guard let signer else { return nil }
        return objection(to: candidate, SignatureDemand(signer), "only signed files are accepted: --signed-by")
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
