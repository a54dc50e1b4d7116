import WireBase
import WireConfig
import WireCrypto
import WireHost
import WireRuntime
import WireTelemetry

/// What every candidate is held against: at a start, for a push that is received, at a reload and at a switch.
struct CandidateRules: Sendable {
    private let heard: InheritedSocketCheck
    private let signed: SignedChangeCheck
    private let installed: InstalledServersCheck

    /// `sockets` is how many of them were opened for this program.
    init(_ options: RunOptions, sockets: Int = 0) {
        heard = InheritedSocketCheck(given: sockets)
        signed = SignedChangeCheck(signer: options.signer, signatures: OpenSSLSignatures())
        installed = InstalledServersCheck(services: options.services)
    }

    /// What a change of what runs is held against.
    var checks: [any CandidateCheck] { [SameAppCheck(), heard, signed, installed] }

    /// Lets nothing be done for a file that this program may not run in any environment.
    func check(_ file: Candidate) throws(StartFailure) {
        try signed.check(file)
        if let objection = heard.rejection(to: file, after: file) { throw StartFailure(.invalid, objection.reason) }
    }

    /// Finds what a start runs: the file, or what was decided in its place, where this program may run it.
    func first(
        _ file: Candidate,
        chosen: String?,
        from source: FileCandidateSource,
        _ history: GenerationHistory,
        isStart: Bool = true,
        log: Log? = nil
    ) async throws(StartFailure) -> FirstCandidate {
        let first = await FirstCandidate(
            file,
            chosen: chosen,
            FirstCandidate.Rules(
                isStart: isStart,
                source: source,
                history: history,
                objection: { objection(toKept: $0, file) },
                now: TimeSource.host.wall(),
                log: log
            )
        )
        // The file was read once more for it, and may be another one by now.
        try signed.check(first.candidate)
        try installed.check(first.candidate, insteadOf: first.isRemembered ? file.facts : nil)
        return first
    }

    /// Only the demand of who starts the runner counts for what is kept: it may be older than that of the file.
    private func objection(toKept candidate: Candidate, _ file: Candidate) -> CandidateRejection? {
        SameAppCheck().rejection(to: candidate, after: file) ?? heard.rejection(to: candidate, after: file)
            ?? signed.objection(to: candidate) ?? installed.rejection(to: candidate, after: file)
    }
}
