import WireBase
import WireConfig
import WireRuntime
import WireService
import WireStore
import WireTelemetry

/// The candidate of a start: the file in the environment chosen last, unless the file is rejected.
struct FirstCandidate: Sendable {
    /// The rules for finding it.
    struct Rules: Sendable {
        /// Whether the candidate is for a start, and not only for inspection.
        var isStart = true
        let source: FileCandidateSource
        let history: GenerationHistory
        /// Why a stored candidate must not run any more.
        let objection: @Sendable (Candidate) -> CandidateRejection?
        let now: Int64
        var log: Log?
    }

    private(set) var candidate: Candidate
    /// The rollback target, where the candidate is on trial.
    private(set) var former: (candidate: Candidate, trial: NextStart.Trial)?
    /// The file that is not in effect, if any.
    private(set) var setAside: NextStart.SetAside?
    /// The decisions for the next start after this one; nil where they cannot be read.
    private(set) var next: NextStart?

    /// Whether it is in an environment that was chosen earlier, and not in the one of the file.
    private(set) var isRemembered = false

    private let rules: Rules

    /// Begins with the file in its default environment, or in the requested one.
    ///
    /// A requested environment takes precedence over any chosen earlier.
    init(_ file: Candidate, chosen: String?, _ rules: Rules) async {
        (candidate, self.rules) = (file, rules)
        do throws(StoreFailure) {
            let kept = try await rules.history.nextStart()
            if chosen == nil { candidate = remembered(kept, of: file) }
            await decide(by: kept, chosen)
            isRemembered = chosen == nil && candidate.facts.name != file.facts.name
        } catch {
            rules.log?.error("cannot read the decisions for this start", ["reason": .text(error.reason)])
        }
    }

    /// The file in the environment chosen last.
    private func remembered(_ next: NextStart, of file: Candidate) -> Candidate {
        guard let remembered = next.environment, remembered != file.facts.name else { return file }
        do throws(CandidateRejection) {
            let candidate = try rules.source.candidate(environment: remembered)
            rules.log?.notice("using the environment chosen last", ["environment": .text(remembered)])
            return candidate
        } catch {
            // Usually the environment was removed from the file; the default of the file is used.
            let reason = LogValue.text(error.reason)
            rules.log?.warning("cannot use the environment chosen last", ["reason": reason])
            return file
        }
    }

    private mutating func decide(by kept: NextStart, _ chosen: String?) async {
        let file = candidate
        var next = kept
        do throws(CandidateRejection) {
            try await resumeTrial(&next, chosen)
            if former == nil { try await replaceFile(&next, chosen) }
            self.next = next
        } catch {
            // The decision stays, because a missing secret or store may be available later.
            (candidate, former, setAside, self.next) = (file, nil, nil, kept)
            rules.log?.warning(
                "using the file, because the stored decision cannot be applied",
                ["reason": .text(error.reason)]
            )
        }
    }

    /// Continues or ends a trial of an earlier process.
    private mutating func resumeTrial(_ next: inout NextStart, _ chosen: String?) async throws(CandidateRejection) {
        guard let trial = next.trial else { return }
        let aside = next.setAside.flatMap { $0.instead == trial.generation ? $0 : nil }
        // A rollback on trial counts for the rejected file.
        let file = aside?.generation ?? trial.generation
        guard try await isFile(file), let former = try await kept(trial.former),
            let tried = try await aside == nil ? candidate : kept(trial.generation, in: chosen)
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

    /// Runs the rollback target, as long as the file is unchanged since the rollback.
    private mutating func replaceFile(_ next: inout NextStart, _ chosen: String?) async throws(CandidateRejection) {
        guard let aside = next.setAside else { return }
        guard try await isFile(aside.generation), let other = try await kept(aside.instead, in: chosen) else {
            next.setAside = nil
            return
        }
        (candidate, setAside) = (other, aside)
        rules.log?.warning("the file is not in effect", ["reason": .text(aside.text)])
    }

    /// Whether the file is the same as in a generation.
    private func isFile(_ generation: Int) async throws(CandidateRejection) -> Bool {
        try await rules.history.sources(of: generation)?.isSame(as: candidate.sources.reveal()) ?? false
    }

    /// A stored generation; nil where it does not exist or must not run.
    private func kept(_ generation: Int, in environment: String? = nil) async throws(CandidateRejection) -> Candidate? {
        guard let kept = try await rules.history.sources(of: generation) else { return nil }
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
        rules.log?.warning("the stored decision is not allowed any more", fields)
        return nil
    }
}
