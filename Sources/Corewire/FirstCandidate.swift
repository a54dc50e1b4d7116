import WireBase
import WireConfig
import WireRuntime
import WireService
import WireTelemetry

/// What a start runs: the file, in the environment that was chosen last, unless people have set the file aside.
struct FirstCandidate {
    private(set) var candidate: Candidate
    /// What returns unless somebody confirms the candidate, which is on trial.
    private(set) var former: Candidate?
    /// What the next start goes by, as this one leaves it.
    private(set) var next: NextStart

    private let source: FileCandidates
    private let history: GenerationHistory
    private let log: Log?

    /// Begins with what the file says in its own environment, or in the one that was asked for.
    ///
    /// That one, `chosen`, counts before any that was chosen earlier.
    init(
        _ file: Candidate,
        chosen: String?,
        _ source: FileCandidates,
        _ history: GenerationHistory,
        at now: Int64,
        log: Log? = nil
    ) {
        (candidate, next) = (file, history.nextStart)
        (self.source, self.history, self.log) = (source, history, log)
        if chosen == nil { switchToRemembered() }
        resumeTrial(at: now)
        setAside(chosen)
    }

    private mutating func switchToRemembered() {
        guard let remembered = next.environment, remembered != candidate.facts.name else { return }
        do throws(CandidateRejection) {
            candidate = try source.candidate(environment: remembered)
            log?.notice("the environment that was switched to last runs", ["environment": .text(remembered)])
        } catch {
            // Most often the file has lost it; what the file says itself is there to run.
            let reason = LogValue.text(error.reason)
            log?.warning("the environment that was switched to last cannot run", ["reason": reason])
        }
    }

    /// Goes on with a trial that a former run did not end, or ends it.
    private mutating func resumeTrial(at now: Int64) {
        guard let trial = next.trial else { return }
        guard isFile(trial.generation) else {
            next.trial = nil
            return
        }
        if trial.starts < NextStart.Trial.most, now < trial.end, let former = candidate(of: trial.former) {
            next.trial?.starts += 1
            self.former = former
        } else {
            next.trial = nil
            next.setAside = .init(generation: trial.generation, instead: trial.former, reason: .notConfirmed)
        }
    }

    private mutating func setAside(_ chosen: String?) {
        guard let aside = next.setAside, former == nil else { return }
        guard isFile(aside.generation), let other = candidate(of: aside.instead, in: chosen) else {
            next.setAside = nil
            return
        }
        candidate = other
        log?.warning("the file is not what runs", ["reason": .text(aside.text)])
    }

    /// Whether the file still says what it said in a generation.
    private func isFile(_ generation: Int) -> Bool {
        guard let sources = try? history.sources(of: generation) else { return false }
        return sources.isSame(as: candidate.sources.reveal())
    }

    private func candidate(of generation: Int, in environment: String? = nil) -> Candidate? {
        do throws(CandidateRejection) {
            guard let kept = try history.sources(of: generation) else { return nil }
            return try source.candidate(
                from: SourceTexts(
                    files: kept.files,
                    overrides: kept.overrides,
                    environment: environment ?? kept.environment,
                    signatures: kept.signatures
                )
            )
        } catch {
            let fields: KeyValuePairs<String, LogValue?> = [
                "generation": .integer(generation), "reason": .text(error.reason),
            ]
            log?.warning("the generation that was gone back to cannot run", fields)
            return nil
        }
    }
}
