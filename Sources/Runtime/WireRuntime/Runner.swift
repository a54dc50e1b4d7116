import Synchronization
import WireAddonContract
package import WireBase
package import WireConfig
import WireHTTP
package import WireRunnerContract
import WireService
import WireStore
package import WireTelemetry

/// Runs the current generation, and builds the next one beside it on request.
///
/// Changes are serialized. The status and other queries return snapshots.
package final class Runner: RunnerControl {
    private let source: any CandidateSource
    private let checks: [any CandidateCheck]
    let context: RunnerContext
    let history: GenerationHistory
    private let dispatcher: GenerationDispatcher
    let drainLimit: Duration
    let mutex = AsyncMutex()
    let jobs = JobQueue()
    let editedFiles = EditedFiles()
    let drainingServices = DrainingServices()
    let state = Mutex(State())
    let ending = OneShot()
    private let addons: AddonHooks?
    private let reloads: ReloadMeters

    struct State {
        var phase = RunnerStatus.Phase.starting
        var present: Generation?
        var rejected: ChangeReport?
        var pending: Confirmation?
        var faults: [Fault] = []
        var unkept = Unkept()
        /// Why the store cannot be written any more.
        var storeFault: Fault?
        /// The file that is not in effect, if any.
        var setAside: NextStart.SetAside?
        var willFollowUser = false
        var fatalFault: Fault?

        var allFaults: [Fault] { (storeFault.map { [$0] } ?? []) + faults }
    }

    /// A generation that is rolled back unless it is confirmed.
    struct Confirmation {
        let number: Int
        /// The number of the stored trial, which may have begun in an earlier process.
        let trial: Int
        var former: Candidate
        /// The deadline in milliseconds since 1970.
        let end: Int64
        let isDecided: OneShot
        /// Fires when the generation is rolled back.
        let isTakenBack = OneShot()
    }

    package init(
        source: any CandidateSource,
        checks: [any CandidateCheck] = [],
        context: RunnerContext,
        history: GenerationHistory,
        dispatcher: GenerationDispatcher,
        drainLimit: Duration = .seconds(20)
    ) {
        self.source = source
        self.checks = checks
        self.context = context
        self.history = history
        self.dispatcher = dispatcher
        self.drainLimit = drainLimit
        reloads = ReloadMeters(context.metrics)
        addons = Abilities(context.offered)[.addonHooks]
    }

    // MARK: Lifecycle

    /// Runs background work that outlives changes; returns when the runner has stopped.
    package func run() async {
        jobs.add { await self.watchStore() }
        await jobs.run()
    }

    /// Starts the first generation; a trial of the last process continues, with `former` as the rollback target.
    package func start(
        _ candidate: Candidate,
        orReturnTo former: (candidate: Candidate, trial: NextStart.Trial)? = nil,
        setAside: NextStart.SetAside? = nil
    ) async -> ChangeReport {
        await mutex.alone {
            let begin = context.clock.monotonic()
            var report = await install(candidate, RequestedChange(.file, origin: .start), after: nil)
            report.duration = context.clock.monotonic() - begin
            state.withLock { $0.setAside = setAside }
            if report.outcome == .applied, let (former, trial) = former {
                awaitConfirmation(of: report.generation, trial: trial.generation, until: trial.end, else: former)
            }
            if report.outcome == .applied { addons?.notify(.ready, .ready) }
            publish(report, .start)
            return report
        }
    }

    /// Drains requests, stops all services in reverse order, and ends ``run()``.
    ///
    /// Takes at most the drain limit. A change or a start in progress is cancelled.
    package func stop() async {
        end()
        state.withLock { $0.phase = .stopping }
        let end = context.clock.monotonic() + drainLimit
        await mutex.alone {
            let present = present
            // Subscribers are notified and disconnected, since their streams would not end by themselves.
            context.events.emit(RunnerEvents.stopping, EmptyPayload(), generation: present?.number ?? 0)
            context.events.finish()
            addons?.notify(.draining, .draining)
            let instances = Array(present?.instances.reversed() ?? [])
            for instance in instances where !instance.acceptsRequests { await retire(instance, of: present, by: end) }
            // Services released by an earlier change or a sign-out may still be stopping.
            await drainingServices.all()
            // The local API is the last to stop, so that clients can observe the shutdown.
            for instance in instances where instance.acceptsRequests { await retire(instance, of: present, by: end) }
            dispatcher.release()
        }
        jobs.finish()
    }

    package func end(because fault: Fault) {
        state.withLock { state in if state.fatalFault == nil { state.fatalFault = fault } }
        end()
    }

    /// Requests the end of the runner; a change or start in progress is cancelled.
    package func end() {
        ending.fire()
        dispatcher.close()
    }

    /// Whether the end was requested without a fault.
    package var isToldToEnd: Bool { ending.hasFired && demiseSoFar == nil }

    /// The fault that ends the runner, if any.
    package var demiseSoFar: Fault? { state.withLock(\.fatalFault) }

    /// Waits until the runner must end, or the task is cancelled; returns the fault, if any.
    package func fatalFault() async -> Fault? {
        await ending.wait()
        return demiseSoFar
    }

    // MARK: Status

    package var events: EventHub { context.events }

    package var status: RunnerStatus {
        let (phase, present, rejected, pending, faults, setAside) = state.withLock {
            ($0.phase, $0.present, $0.rejected, $0.pending?.end, $0.allFaults, $0.setAside)
        }
        let facts = present?.candidate.facts
        return RunnerStatus(
            phase: phase,
            app: present?.candidate.app?.id.text,
            file: present?.candidate.file ?? "",
            environment: facts?.name,
            url: present?.candidate.url,
            environments: present?.candidate.environments ?? [],
            backend: facts?.backend.rawValue ?? "",
            generation: present?.number ?? 0,
            hash: present?.candidate.hash ?? "",
            started: present?.started ?? 0,
            services: present?.instances.map(\.status) ?? [],
            rejected: rejected,
            confirmBy: pending,
            setAside: setAside?.text,
            faults: faults,
            group: context.group()
        )
    }

    /// The current generation; after the end, the last one.
    var present: Generation? { state.withLock { $0.present } }

    /// Whether the runner is stopping or has stopped.
    package var isStopping: Bool { state.withLock { $0.phase == .stopping } }

    /// The settings of the current generation.
    package var configuration: Configuration? { present?.candidate.configuration }

    package func generations() async -> [GenerationRecord] {
        let (current, pending) = state.withLock { ($0.present?.number, $0.pending?.number) }
        return (try? await history.records(current: current, awaitingConfirmation: pending)) ?? []
    }

    package func effectiveFile(of generation: Int) async -> String? {
        try? await history.effectiveFile(of: generation)
    }

    // MARK: Changes

    package func plan(_ change: RequestedChange) async -> ChangeReport {
        let present = state.withLock { $0.present }
        do throws(CandidateRejection) {
            let candidate = try await candidate(for: change, present)
            var report = report(.planned, candidate, present)
            let transition = Transition(from: present, to: candidate, isForced: change.isForced)
            report.services = transition.changes
            report.settings = SettingComparison(from: present?.candidate, to: candidate).changes
            if candidate.isSame(as: present), !change.isForced { report.outcome = .unchanged }
            return report
        } catch {
            return report(of: error, present)
        }
    }

    package func apply(_ change: RequestedChange) async -> ChangeReport {
        if isStopping { return conflict("the runner is stopping", present) }
        return await mutex.alone {
            let begin = context.clock.monotonic()
            var report = await applyAlone(change)
            report.duration = context.clock.monotonic() - begin
            publish(report, change.origin)
            return report
        }
    }

    private func candidate(for change: RequestedChange, _ present: Generation?) async throws(CandidateRejection)
        -> Candidate
    {
        let candidate = try await read(change, present)
        if let present, let rejection = objection(to: candidate, after: present) { throw rejection }
        return candidate
    }

    func objection(to candidate: Candidate, after present: Generation) -> CandidateRejection? {
        checks.firstFound { $0.rejection(to: candidate, after: present.candidate) }
    }

    private func read(_ change: RequestedChange, _ present: Generation?) async throws(CandidateRejection) -> Candidate {
        switch change.target {
        case .file: return try source.candidate(environment: present?.candidate.sources.reveal().environment)
        case .environment(let name): return try source.candidate(environment: name)
        case .generation(let number):
            guard let sources = try await history.sources(of: number) else {
                throw CandidateRejection(reason: "generation \(number) is not stored", isOfUnknownTarget: true)
            }
            return try source.candidate(from: sources)
        }
    }

    private func applyAlone(_ change: RequestedChange) async -> ChangeReport {
        let (present, phase) = state.withLock { ($0.present, $0.phase) }
        guard phase != .stopping else { return conflict("the runner is stopping", present) }
        guard let present else { return conflict("the runner has not started yet", nil) }
        if let expected = change.expectedHash, expected != present.candidate.hash {
            return conflict("the current content has changed: its hash is \(present.candidate.hash)", present)
        }
        let candidate: Candidate
        do throws(CandidateRejection) {
            candidate = try await self.candidate(for: change, present)
        } catch {
            var report = report(of: error, present)
            report.isFaultOfRequest = error.isOfUnknownTarget && change.target != .file
            return report
        }
        if candidate.isSame(as: present), !change.isForced {
            state.withLock { $0.rejected = nil }
            await decide { Self.settle(change, &$0) }
            return report(.unchanged, candidate, present)
        }
        return await install(candidate, change, after: present)
    }

    func install(_ candidate: Candidate, _ change: RequestedChange, after present: Generation?) async
        -> ChangeReport
    {
        let number = await history.reserveNumber(for: candidate)
        var formerNext: NextStart?
        if let limit = change.confirmWithin, let present {
            do throws(StoreFailure) {
                formerNext = try await tryOut(number, within: limit, after: present)
            } catch {
                try? await history.release(number)
                let reason = "the confirmation deadline cannot be stored: \(error.reason)"
                return self.report(of: CandidateRejection(reason: reason), present)
            }
        }
        let transition = Transition(from: present, to: candidate, isForced: change.isForced)
        var construction = GenerationBuilder(
            transition,
            candidate: candidate,
            present: present,
            number: number,
            context: context,
            drainingServices: drainingServices,
            ending: ending
        )
        let (former, next) = (present?.candidate.facts.name, candidate.facts.name)
        let isSwitch = present.map { former != next || $0.candidate.url != candidate.url } ?? false
        if isSwitch { addons?.notify(.environmentWillChange, .environmentWillChange(from: former, to: next)) }
        do throws(GenerationBuilder.Failed) {
            try await construction.build()
        } catch {
            await construction.undo()
            notifyAfterDrain(construction.rebound)
            if let formerNext { await decide(formerNext) }
            try? await history.release(number)
            if isSwitch {
                let reason = "\(error.service): \(error.fault.reason)"
                addons?.notify(.environmentStayed, .environmentStayed(former, reason: reason))
            }
            var report = report(.rolledBack, present?.candidate ?? candidate, present)
            report.services = transition.changes.map { change in
                guard change.name == error.service else { return change }
                return .init(
                    name: change.name,
                    action: change.action,
                    needsUser: change.needsUser,
                    cause: change.cause,
                    fault: error.fault
                )
            }
            report.reason = "\(error.service): \(error.fault.reason)"
            return report
        }
        let generation = Generation(
            number: number,
            candidate: candidate,
            instances: construction.instances,
            started: context.clock.wall()
        )
        swap(to: generation)
        await settle(construction.rebound)
        if isSwitch { addons?.notify(.environmentDidChange, .environmentDidChange(from: former, to: next)) }
        var report = report(.applied, candidate, generation)
        report.services = transition.changes.map { change in
            construction.changes.first { $0.name == change.name }.map {
                .init(
                    name: $0.name,
                    action: $0.action,
                    duration: $0.duration,
                    inFlight: change.inFlight,
                    needsUser: change.needsUser,
                    cause: change.cause,
                    fault: $0.fault
                )
            } ?? change
        }
        report.settings = SettingComparison(from: present?.candidate, to: candidate).changes
        await keep(generation, change)
        await decide(change, generation, after: present)
        retire(transition.transitions, of: present)
        notifyAfterDrain(construction.rebound + construction.made)
        followUser()
        if let limit = change.confirmWithin, let former = present?.candidate {
            report.confirmWithin = limit
            let end = context.clock.wall() + limit.milliseconds
            awaitConfirmation(of: number, trial: number, until: end, else: former)
        } else {
            let superseded = state.withLock { state in
                defer { state.pending = nil }
                return state.pending
            }
            superseded?.isDecided.fire()
        }
        return report
    }

    /// Swaps to the next generation in one step.
    func swap(to generation: Generation) {
        for instance in generation.instances { instance.work(in: generation.candidate) }
        dispatcher.install(generation)
        let former = state.withLock { state in
            let former = state.present
            state.present = generation
            if state.phase == .starting { state.phase = .running }
            if former?.number != generation.number { state.rejected = nil }
            return former
        }
        let new = generation.instances.filter { instance in former?.instances.contains { $0 === instance } != true }
        for instance in new {
            if case .failed = instance.current {
                jobs.add { await self.restart(instance) }
            } else if instance.service != nil {
                jobs.add { await self.supervise(instance) }
            }
        }
        for instance in new { context.publish(instance.current, of: instance) }
        if let presence = generation.presence, let instance = generation.presenceInstance,
            instance !== former?.presenceInstance
        {
            jobs.add { await self.watch(presence, of: instance) }
        }
    }

    // MARK: Reports

    private func report(_ outcome: ChangeReport.Outcome, _ candidate: Candidate, _ generation: Generation?)
        -> ChangeReport
    {
        ChangeReport(
            outcome: outcome,
            generation: generation?.number ?? 0,
            environment: candidate.facts.name,
            url: candidate.url,
            hash: candidate.hash
        )
    }

    func report(of rejection: CandidateRejection, _ present: Generation?) -> ChangeReport {
        var report = ChangeReport(
            outcome: .rejected,
            generation: present?.number ?? 0,
            environment: present?.candidate.facts.name,
            url: present?.candidate.url,
            hash: present?.candidate.hash ?? ""
        )
        report.reason = rejection.reason
        report.diagnostics = rejection.diagnostics
        report.diagnosticsText = rejection.text
        return report
    }

    private func conflict(_ reason: String, _ present: Generation?) -> ChangeReport {
        var report = report(of: CandidateRejection(reason: reason), present)
        report.outcome = .conflict
        return report
    }

    /// Records a rejection, and publishes the result of a change.
    func publish(_ report: ChangeReport, _ origin: ChangeOrigin) {
        let fields: KeyValuePairs<String, LogValue?> = [
            "generation": .integer(report.generation), "environment": report.environment.map(LogValue.text),
            "url": report.url.map(LogValue.text),
            "origin": .text(origin.rawValue), "reason": report.reason.map(LogValue.text),
        ]
        reloads.count(report.outcome, origin, at: context.clock.wall())
        switch report.outcome {
        case .rejected, .rolledBack:
            // A mistyped name says nothing about the file, or about the runner.
            if !report.isFaultOfRequest { state.withLock { $0.rejected = report } }
            guard origin != .start || !isToldToEnd else {
                context.log.notice("stopped before it was ready", fields)
                break
            }
            let isStart = origin == .start
            let words = isStart ? "the start has failed" : "change rejected; the current generation continues"
            context.log.error(words, fields)
            for problem in report.problems.prefix(20) { context.log.error(problem) }
        case .applied: context.log.notice("generation runs", fields)
        case .unchanged: context.log.info("nothing has changed", fields)
        case .planned, .conflict: break
        }
        // The details of an invalid file are returned to the caller and in the status, but not stored in events.
        var told = report
        told.diagnostics = nil
        told.diagnosticsText = nil
        events.emit(GenerationEvents(report.outcome), told, generation: report.generation)
    }
}

extension Candidate {
    fileprivate func isSame(as generation: Generation?) -> Bool { generation.map { isSame(as: $0.candidate) } ?? false }
}
