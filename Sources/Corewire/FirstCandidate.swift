import WireBase
import WireConfig
import WireRuntime
import WireService
import WireStore
import WireTelemetry

/// What a start runs: the file, in the environment that was chosen last, unless people have set the file aside.
struct FirstCandidate: Sendable {
    /// The rule it is found by.
    struct Rules: Sendable {
        /// Whether it is run, and not only looked at.
        var isStart = true
        let source: FileCandidates
        let history: GenerationHistory
        /// Why what is kept may not run any more, however the file has it.
        let objection: @Sendable (Candidate) -> CandidateRejection?
        let now: Int64
        var log: Log?
    }

    private(set) var candidate: Candidate
    /// What returns unless the candidate, which is on trial, is confirmed.
    private(set) var former: (candidate: Candidate, trial: NextStart.Trial)?
    /// Why the file is not what runs.
    private(set) var setAside: NextStart.SetAside?
    /// What the next start goes by, as this one leaves it; nil where it cannot be read.
    private(set) var next: NextStart?

    /// Whether it is in an environment that was chosen earlier, and not in the one of the file.
    private(set) var isRemembered = false

    private let rules: Rules

    /// Begins with what the file says in its own environment, or in the one that was asked for.
    ///
    /// That one, `chosen`, counts before any that was chosen earlier.
    init(_ file: Candidate, chosen: String?, _ rules: Rules) {
        (candidate, self.rules) = (file, rules)
        do throws(StoreFailure) {
            let kept = try rules.history.nextStart()
            if chosen == nil { candidate = remembered(kept, of: file) }
            decide(by: kept, chosen)
            isRemembered = chosen == nil && candidate.facts.name != file.facts.name
        } catch {
            rules.log?.error("what was decided for this start cannot be read", ["reason": .text(error.reason)])
        }
    }

    /// The file in the environment that was switched to last.
    private func remembered(_ next: NextStart, of file: Candidate) -> Candidate {
        guard let remembered = next.environment, remembered != file.facts.name else { return file }
        do throws(CandidateRejection) {
            let candidate = try rules.source.candidate(environment: remembered)
            rules.log?.notice("the environment that was switched to last runs", ["environment": .text(remembered)])
            return candidate
        } catch {
            // Most often the file has lost it; what the file says itself is there to run.
            let reason = LogValue.text(error.reason)
            rules.log?.warning("the environment that was switched to last cannot run", ["reason": reason])
            return file
        }
    }

    private mutating func decide(by kept: NextStart, _ chosen: String?) {
        let file = candidate
        var next = kept
        do throws(CandidateRejection) {
            try resumeTrial(&next, chosen)
            if former == nil { try replaceFile(&next, chosen) }
            self.next = next
        } catch {
            // A secret may be mounted later, the store may be read again: the decision holds until then.
            (candidate, former, setAside, self.next) = (file, nil, nil, kept)
            rules.log?.warning(
                "the file runs, because what was decided to run cannot",
                ["reason": .text(error.reason)]
            )
        }
    }

    /// Goes on with a trial that a former run did not end, or ends it.
    private mutating func resumeTrial(_ next: inout NextStart, _ chosen: String?) throws(CandidateRejection) {
        guard let trial = next.trial else { return }
        let aside = next.setAside.flatMap { $0.instead == trial.generation ? $0 : nil }
        // A rollback on trial is not what the file says, and counts for the file that it was gone back from.
        let file = aside?.generation ?? trial.generation
        guard try isFile(file), let former = try kept(trial.former),
            let tried = try aside == nil ? candidate : kept(trial.generation, in: chosen)
        else {
            next.trial = nil
            return
        }
        let most = NextStart.Trial.most - (rules.isStart ? 1 : 0)
        guard trial.starts > most || rules.now >= trial.end else {
            next.trial?.starts += 1
            (candidate, self.former, setAside) = (tried, (former, trial), aside)
            return
        }
        next.trial = nil
        next.environment = former.sources.reveal().environment ?? former.facts.name
        let isSame = former.sources.reveal().isSame(as: candidate.sources.reveal())
        next.setAside = isSame ? nil : .init(generation: file, instead: trial.former, reason: .notConfirmed)
        if isSame, chosen == nil { candidate = former }
    }

    /// Runs what people went back to, as long as the file says what they went back from.
    private mutating func replaceFile(_ next: inout NextStart, _ chosen: String?) throws(CandidateRejection) {
        guard let aside = next.setAside else { return }
        guard try isFile(aside.generation), let other = try kept(aside.instead, in: chosen) else {
            next.setAside = nil
            return
        }
        (candidate, setAside) = (other, aside)
        rules.log?.warning("the file is not what runs", ["reason": .text(aside.text)])
    }

    /// Whether the file still says what it said in a generation.
    private func isFile(_ generation: Int) throws(CandidateRejection) -> Bool {
        try rules.history.sources(of: generation)?.isSame(as: candidate.sources.reveal()) ?? false
    }

    /// A generation that is kept; nil for one that is not, or may not run.
    private func kept(_ generation: Int, in environment: String? = nil) throws(CandidateRejection) -> Candidate? {
        guard let kept = try rules.history.sources(of: generation) else { return nil }
        let candidate = try rules.source.candidate(
            from: SourceTexts(
                files: kept.files,
                overrides: kept.overrides,
                environment: environment ?? kept.environment,
                signatures: kept.signatures
            )
        )
        guard let rejection = rules.objection(candidate) else { return candidate }
        let fields: KeyValuePairs<String, LogValue?> = [
            "generation": .integer(generation), "reason": .text(rejection.reason),
        ]
        rules.log?.warning("what was decided to run may not run any more", fields)
        return nil
    }
}
