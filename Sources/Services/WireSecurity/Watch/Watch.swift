import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireSecurityContract
import WireService
import WireTelemetry

/// Applies rules, and performs the actions of the file.
final class Watch: Sendable {
    private struct State {
        var present: Present
        var verdicts: [String: Verdict] = [:]
        /// The next check of each rule, by the monotonic clock.
        var due: [String: Duration] = [:]
        /// The rules to check once more after the check in progress, which began too early.
        var hurried: Set<String> = []
        /// The number of completed rounds.
        var rounds = 0
        var isInRound = false
        var distrust: TrustFailure?
    }

    /// The settings of a generation and its surroundings.
    final class Present: Sendable {
        let settings: SecuritySection
        let host: ServiceHost
        let rules: [AppliedRule]

        init(_ settings: SecuritySection, _ host: ServiceHost) {
            (self.settings, self.host) = (settings, host)
            rules = AppliedRule.all(settings, in: host)
        }
    }

    private let state: Mutex<State>
    /// Held while results are applied: later results are applied last.
    private let evaluating = Mutex(())
    private let distrusts = Subscribers<TrustFailure?>()
    private let outcomes = Subscribers<[SecurityResult]>()
    private let turns = Subscribers<Int>()
    /// Signals that a check is due earlier.
    private let wakeup = Wakeup()

    init(_ present: Present) {
        state = Mutex(State(present: present))
    }

    var present: Present { state.withLock(\.present) }

    /// The last results, in the order of the catalogue.
    var verdicts: [Verdict] {
        state.withLock { state in state.present.rules.compactMap { state.verdicts[$0.name] } }
    }

    // MARK: Applying

    /// Applies all rules now, before anything else starts.
    func begin() async throws(Fault) {
        await round()
        guard let verdict = verdicts.first(where: { $0.action == .stop }) else { return }
        throw verdict.fault
    }

    /// Applies each rule when it is due.
    func run() async {
        let clock = present.host.clock
        // Subscribed before the first check, so that no event is missed.
        let news = present.host.find(.runnerControl)?.events.watch()
        // Embedded servers start after this service: rules that ask them had no response yet.
        if present.host.facts.backend == .embedded { hurry("appVersion") }
        await withTaskGroup(of: Void.self) { group in
            if let news { group.addTask { await self.listen(to: news) } }
            while !Task.isCancelled {
                let next = state.withLock { $0.due.values.min() } ?? clock.monotonic() + .seconds(3_600)
                await wakeup.next(atMost: max(.milliseconds(10), next - clock.monotonic()), clock)
                if !Task.isCancelled { await round() }
            }
            group.cancelAll()
        }
    }

    /// Repeats checks after a sign-in, sign-out or change of the network, since their results may differ.
    private func listen(to news: EventStream) async {
        for await watched in news {
            guard case .event(let event) = watched,
                ["auth.signedIn", "auth.unlocked", "network.online", "backends.listening", "backends.version"]
                    .contains(event.name)
            else { continue }
            hurry(event.name.hasPrefix("backends.") ? "appVersion" : nil)
        }
    }

    /// Schedules all rules, or one, for now.
    private func hurry(_ only: String? = nil) {
        state.withLock { state in
            for name in state.due.keys where only == nil || only == name {
                state.due[name] = .zero
                state.hurried.insert(name)
            }
        }
        wakeup.wake()
    }

    /// Applies all rules; returns when that is done.
    func applyNow() async {
        // A round in progress has begun with other rules.
        let (done, wanted) = state.withLock { ($0.rounds, $0.rounds + ($0.isInRound ? 2 : 1)) }
        let turns = turns.listen(beginningWith: done)
        hurry()
        for await round in turns where round >= wanted { return }
    }

    /// Applies the rules that are due.
    private func round() async {
        let (present, rules) = state.withLock { state in
            let now = state.present.host.clock.monotonic()
            state.isInRound = true
            return (state.present, state.present.rules.filter { state.due[$0.name] ?? .zero <= now })
        }
        guard let context = RuleContext(present.host) else { return state.withLock { $0.isInRound = false } }
        state.withLock { $0.hurried.subtract(rules.map(\.name)) }
        await withTaskGroup(of: (Int, RuleCheck).self) { group in
            for (index, applied) in rules.enumerated() {
                group.addTask { (index, await RuleCheck(at: applied, context)) }
            }
            // Reported in the order of the catalogue, whichever ends first.
            var (done, next) = ([Int: RuleCheck](), 0)
            for await (index, check) in group where !Task.isCancelled {
                done[index] = check
                while let check = done.removeValue(forKey: next) {
                    record(check)
                    next += 1
                }
            }
        }
        evaluate()
        turns.notify(
            state.withLock { state in
                state.rounds += 1
                state.isInRound = false
                return state.rounds
            }
        )
    }

    private func record(_ check: RuleCheck) {
        let (applied, outcome, findings) = (check.applied, check.outcome, check.findings)
        let (verdict, former, host) = state.withLock { state in
            let host = state.present.host
            let former = state.verdicts[applied.name]
            let now = host.clock.wall()
            let isSame = former?.outcome == outcome && former?.findings.evidence == findings.evidence
            let verdict = Verdict(
                applied: applied,
                outcome: outcome,
                findings: findings,
                checked: now,
                since: isSame ? former?.since ?? now : now,
                lasted: check.lasted
            )
            // The file may have changed during the check.
            guard state.present.rules.contains(where: { $0.name == applied.name }) else {
                return (verdict, former, host)
            }
            state.verdicts[applied.name] = verdict
            state.due[applied.name] =
                state.hurried.contains(applied.name) ? .zero : host.clock.monotonic() + applied.every
            return (verdict, former, host)
        }
        guard former?.outcome != outcome || former?.findings.evidence != findings.evidence else { return }
        // A first result without findings is not reported.
        guard former != nil || outcome != .clear else { return }
        tell(verdict, host)
    }

    private func tell(_ verdict: Verdict, _ host: ServiceHost) {
        host.emit(SecurityEvents.changed, SecurityRuleReport(verdict))
        let fields: KeyValuePairs<String, LogValue?> = [
            "rule": .text(verdict.applied.name), "result": .text(verdict.outcome.rawValue),
            "evidence": .text(verdict.words), "place": .text(verdict.applied.origin?.place ?? ""),
        ]
        switch verdict.action {
        case nil, .report: host.log.info("the result of a security rule changed", fields)
        case .warn: host.log.warning("a security rule detected a problem", fields)
        case .block: host.log.error("a security rule blocks user data", fields)
        case .stop: host.log.error("a security rule stops the runner", fields)
        }
    }

    // MARK: What follows

    /// Applies the most severe action, and ends those without a cause.
    private func evaluate() {
        let (verdicts, host): ([Verdict], ServiceHost) = evaluating.withLock { _ in
            let (verdicts, host) = (self.verdicts, present.host)
            apply(verdicts, host)
            return (verdicts, host)
        }
        if let stopping = verdicts.first(where: { $0.action == .stop }) {
            host.find(.runnerControl)?.end(because: stopping.fault)
        }
    }

    private func apply(_ verdicts: [Verdict], _ host: ServiceHost) {
        let gravest = SecurityAction.allCases.reversed().firstFound { action in
            verdicts.first { $0.action == action }
        }
        if let gravest, let action = gravest.action, action != .report {
            host.report(.degraded(gravest.consequence))
        } else {
            host.report(.well)
        }
        let blocking = verdicts.first { $0.action == .stop } ?? verdicts.first { $0.action == .block }
        let distrust = blocking.map {
            TrustFailure(rule: $0.applied.name, reason: $0.words, origin: $0.applied.origin)
        }
        let isNew = state.withLock { state in
            defer { state.distrust = distrust }
            return state.distrust != distrust
        }
        if isNew { distrusts.notify(distrust) }
        outcomes.notify(passedOn(verdicts))
    }

    /// The results for the metrics service; none where the file does not want them sent.
    fileprivate func passedOn(_ verdicts: [Verdict]) -> [SecurityResult] {
        guard present.settings.sendsMetrics != false else { return [] }
        return verdicts.filter { $0.outcome != .inconclusive }.map {
            SecurityResult(id: $0.applied.name, name: $0.applied.card.title, isDetected: $0.outcome == .detected)
        }
    }

    // MARK: Changes

    /// Uses other settings from now on; all rules are checked again soon.
    func update(_ present: Present) {
        state.withLock { state in
            state.present = present
            state.due = Dictionary(present.rules.map { ($0.name, .zero) }, uniquingKeysWith: { first, _ in first })
            let names = Set(present.rules.map(\.name))
            // Results stay until the next check with the new settings.
            state.verdicts = state.verdicts.filter { names.contains($0.key) }
            for applied in present.rules {
                state.verdicts[applied.name] = state.verdicts[applied.name]?.by(applied)
            }
        }
        evaluate()
        wakeup.wake()
    }

    func finish() {
        distrusts.finish()
        outcomes.finish()
        turns.finish()
    }
}

extension Watch: Trust {
    var distrust: TrustFailure? { state.withLock(\.distrust) }
    func changes() -> AsyncStream<TrustFailure?> { distrusts.listen(beginningWith: distrust) }
}

/// The watch also provides the results of rules.
extension Watch: SecurityResults {
    func results() -> AsyncStream<[SecurityResult]> { outcomes.listen(beginningWith: passedOn(verdicts)) }
}

extension Verdict {
    /// The result for a rule with other settings.
    fileprivate func by(_ applied: AppliedRule) -> Verdict {
        Verdict(
            applied: applied,
            outcome: outcome,
            findings: findings,
            checked: checked,
            since: since,
            lasted: lasted
        )
    }
}
