import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireSecurityContract
import WireService
import WireTelemetry

/// Applies rules, and has done what the file says about what they come to.
final class Watch: Sendable {
    private struct State {
        var present: Present
        var verdicts: [String: Verdict] = [:]
        /// When each is to be applied next, by the clock that only goes forward.
        var due: [String: Duration] = [:]
        /// Those that are to be applied again although they are being applied: what they ask was asked too early.
        var hurried: Set<String> = []
        /// How often all that was due was applied.
        var rounds = 0
        var isInRound = false
        var distrust: Distrust?
    }

    /// What it works by: the settings of a generation and its surroundings.
    struct Present: Sendable {
        let settings: SecuritySection
        let host: ServiceHost
        let rules: [AppliedRule]

        init(_ settings: SecuritySection, _ host: ServiceHost) {
            (self.settings, self.host) = (settings, host)
            rules = AppliedRule.all(settings, in: host)
        }
    }

    private let state: Mutex<State>
    private let distrusts = Listeners<Distrust?>()
    private let outcomes = Listeners<[SecurityResult]>()
    private let turns = Listeners<Int>()
    /// Rings when something is to be applied sooner.
    private let wakeup = Wakeup()

    init(_ present: Present) {
        state = Mutex(State(present: present))
    }

    var present: Present { state.withLock(\.present) }

    /// What the rules came to when they were last applied, in the order of the catalogue.
    var verdicts: [Verdict] {
        state.withLock { state in state.present.rules.compactMap { state.verdicts[$0.name] } }
    }

    // MARK: Applying

    /// Applies all rules now, before anything else begins.
    func begin() async throws(Fault) {
        await round()
        guard let verdict = verdicts.first(where: { $0.action == .stop }) else { return }
        throw verdict.fault
    }

    /// Applies each rule when its time has come.
    func run() async {
        let clock = present.host.clock
        // From before anything is asked anew, so that nothing falls in between.
        let news = present.host.find(.runnerControl)?.events.watch()
        // The servers built in have started after this: who asks them has heard nothing so far.
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

    /// Looks anew when somebody signs in or out, and when the network changes: what was clear may no longer be.
    private func listen(to news: EventStream) async {
        for await watched in news {
            guard case .event(let event) = watched,
                ["auth.signedIn", "auth.unlocked", "network.online", "backends.listening", "backends.version"]
                    .contains(event.name)
            else { continue }
            hurry(event.name.hasPrefix("backends.") ? "appVersion" : nil)
        }
    }

    /// Has all rules applied as soon as possible, or one of them.
    private func hurry(_ only: String? = nil) {
        state.withLock { state in
            for name in state.due.keys where only == nil || only == name {
                state.due[name] = .zero
                state.hurried.insert(name)
            }
        }
        wakeup.wake()
    }

    /// Applies all rules once more; returns when that is done.
    func applyNow() async {
        // A round that is under way has begun with other rules.
        let (done, wanted) = state.withLock { ($0.rounds, $0.rounds + ($0.isInRound ? 2 : 1)) }
        let turns = turns.listen(beginningWith: done)
        hurry()
        for await round in turns where round >= wanted { return }
    }

    /// Applies what is due.
    private func round() async {
        let (present, rules) = state.withLock { state in
            let now = state.present.host.clock.monotonic()
            state.isInRound = true
            return (state.present, state.present.rules.filter { state.due[$0.name] ?? .zero <= now })
        }
        guard let scene = Scene(present.host) else { return state.withLock { $0.isInRound = false } }
        state.withLock { $0.hurried.subtract(rules.map(\.name)) }
        await withTaskGroup(of: (Int, Look).self) { group in
            for (index, applied) in rules.enumerated() {
                group.addTask { (index, await Look(at: applied, scene)) }
            }
            // They are told in the order of the catalogue, whichever of them is done first.
            var (done, next) = ([Int: Look](), 0)
            for await (index, look) in group where !Task.isCancelled {
                done[index] = look
                while let look = done.removeValue(forKey: next) {
                    take(look)
                    next += 1
                }
            }
        }
        judge()
        turns.tell(
            state.withLock { state in
                state.rounds += 1
                state.isInRound = false
                return state.rounds
            }
        )
    }

    private func take(_ look: Look) {
        let (applied, outcome, sighting) = (look.applied, look.outcome, look.sighting)
        let (verdict, former, host) = state.withLock { state in
            let host = state.present.host
            let former = state.verdicts[applied.name]
            let now = host.clock.wall()
            let isSame = former?.outcome == outcome && former?.sighting.evidence == sighting.evidence
            let verdict = Verdict(
                applied: applied,
                outcome: outcome,
                sighting: sighting,
                checked: now,
                since: isSame ? former?.since ?? now : now,
                lasted: look.lasted
            )
            // It may have been taken out of the file while it was applied.
            guard state.present.rules.contains(where: { $0.name == applied.name }) else {
                return (verdict, former, host)
            }
            state.verdicts[applied.name] = verdict
            state.due[applied.name] =
                state.hurried.contains(applied.name) ? .zero : host.clock.monotonic() + applied.every
            return (verdict, former, host)
        }
        guard former?.outcome != outcome || former?.sighting.evidence != sighting.evidence else { return }
        // That a first look finds nothing is no news.
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
        case nil, .report: host.log.info("a security rule comes to something else", fields)
        case .warn: host.log.warning("a security rule found something", fields)
        case .block: host.log.error("a security rule withholds what is the user's", fields)
        case .stop: host.log.error("a security rule stops the runner", fields)
        }
    }

    // MARK: What follows

    /// Has the gravest of all verdicts take effect, and undoes what no longer has a cause.
    private func judge() {
        let verdicts = verdicts
        let host = present.host
        let gravest = SecurityAction.allCases.reversed().firstFound { action in
            verdicts.first { $0.action == action }
        }
        if let gravest, let action = gravest.action, action != .report {
            host.report(.degraded(gravest.fault))
        } else {
            host.report(.well)
        }
        let blocking = verdicts.first { $0.action == .stop } ?? verdicts.first { $0.action == .block }
        let distrust = blocking.map {
            Distrust(rule: $0.applied.name, reason: $0.words, origin: $0.applied.origin)
        }
        let isNew = state.withLock { state in
            defer { state.distrust = distrust }
            return state.distrust != distrust
        }
        if isNew { distrusts.tell(distrust) }
        outcomes.tell(passedOn(verdicts))
        if let stopping = verdicts.first(where: { $0.action == .stop }) {
            host.find(.runnerControl)?.end(because: stopping.fault)
        }
    }

    /// What is passed on to whoever sends it; nothing where the file says that nobody is to.
    fileprivate func passedOn(_ verdicts: [Verdict]) -> [SecurityResult] {
        guard present.settings.sendsMetrics != false else { return [] }
        return verdicts.filter { $0.outcome != .inconclusive }.map {
            SecurityResult(id: $0.applied.name, name: $0.applied.card.title, isDetected: $0.outcome == .detected)
        }
    }

    // MARK: Changes

    /// Works by other settings from now on; all rules are applied anew, soon.
    func become(_ present: Present) {
        state.withLock { state in
            state.present = present
            state.due = Dictionary(present.rules.map { ($0.name, .zero) }, uniquingKeysWith: { first, _ in first })
            let names = Set(present.rules.map(\.name))
            // What is known stays known until it is looked at anew, by what the file says now.
            state.verdicts = state.verdicts.filter { names.contains($0.key) }
            for applied in present.rules {
                state.verdicts[applied.name] = state.verdicts[applied.name]?.by(applied)
            }
        }
        judge()
        wakeup.wake()
    }

    func finish() {
        distrusts.finish()
        outcomes.finish()
        turns.finish()
    }
}

extension Watch: Trust {
    var distrust: Distrust? { state.withLock(\.distrust) }
    func changes() -> AsyncStream<Distrust?> { distrusts.listen(beginningWith: distrust) }
}

/// The same object tells what rules came to.
extension Watch: SecurityResults {
    func results() -> AsyncStream<[SecurityResult]> { outcomes.listen(beginningWith: passedOn(verdicts)) }
}

extension Verdict {
    /// The same as a rule with other terms has it.
    fileprivate func by(_ applied: AppliedRule) -> Verdict {
        Verdict(
            applied: applied,
            outcome: outcome,
            sighting: sighting,
            checked: checked,
            since: since,
            lasted: lasted
        )
    }
}
