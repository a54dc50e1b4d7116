import WireBase
import WireConfig
import WireCrypto
import WireHost
import WireRuntime
import WireTelemetry

/// What every candidate is held against: at a start, for a push that is received, at a reload and at a switch.
struct CandidateRules: Sendable {
    private let heard: HeardSockets
    private let signed: SignedChanges
    private let installed: InstalledServers

    /// `sockets` is how many of them were opened for this program.
    init(_ options: RunOptions, sockets: Int = 0) {
        heard = HeardSockets(given: sockets)
        signed = SignedChanges(signer: options.signer, signatures: OpenSSLSignatures())
        installed = InstalledServers(services: options.services)
    }

    /// What a change of what runs is held against.
    var judges: [any CandidateCheck] { [SameApp(), heard, signed, installed] }

    /// Lets nothing be done for a file that this program may not run in any environment.
    func check(_ file: Candidate) throws(StartFailure) {
        try signed.check(file)
        if let objection = heard.objection(to: file, after: file) { throw StartFailure(.invalid, objection.reason) }
    }

    /// Finds what a start runs: the file, or what was decided in its place, where this program may run it.
    func first(
        _ file: Candidate,
        chosen: String?,
        from source: FileCandidates,
        _ history: GenerationHistory,
        isStart: Bool = true,
        log: Log? = nil
    ) throws(StartFailure) -> FirstCandidate {
        let first = FirstCandidate(
            file,
            chosen: chosen,
            FirstCandidate.Rules(
                isStart: isStart,
                source: source,
                history: history,
                objection: { objection(toKept: $0, file) },
                now: Clockwork.host.wall(),
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
        SameApp().objection(to: candidate, after: file) ?? heard.objection(to: candidate, after: file)
            ?? signed.objection(to: candidate) ?? installed.objection(to: candidate, after: file)
    }
}
