import WireConfig
import WireLocalAPI
import WireRuntime

/// A socket that was opened for this program is heard: without a local API its callers would wait forever.
struct InheritedSocketCheck: CandidateCheck {
    let given: Int

    func rejection(to candidate: Candidate, after present: Candidate) -> CandidateRejection? {
        guard given > 0, candidate.configuration[LocalAPISection.self] == nil else { return nil }
        let sockets = given == 1 ? "a socket" : "\(given) sockets"
        return CandidateRejection(
            reason: "this program was given \(sockets), and the file says 'api: false': "
                + "remove 'api: false', or start it without"
        )
    }
}
