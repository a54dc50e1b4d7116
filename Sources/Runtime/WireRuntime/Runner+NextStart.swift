import Synchronization
import WireBase
import WireConfig
import WireRunnerContract
import WireService
import WireStore
import WireTelemetry

// Decisions at run time that also apply to the next start.

extension Runner {
    /// The effect of a change on the next start.
    static func settle(_ change: RequestedChange, _ next: inout NextStart) {
        switch change.target {
        case .file: next.setAside = nil
        case .environment(let name): (next.environment, next.setAside) = (name, nil)
        case .generation: break
        }
    }

    /// The decisions for the next start, including those not stored yet.
    func nextStart() async throws(StoreFailure) -> NextStart {
        if let next = state.withLock({ $0.unkept.next }) { return next }
        return try await history.nextStart()
    }

    /// Changes the decisions for the next start; retried where the store fails.
    func decide(_ change: (inout NextStart) async -> Void) async {
        do throws(StoreFailure) {
            let present = try await nextStart()
            var next = present
            await change(&next)
            state.withLock { $0.setAside = next.setAside }
            if next != present { await decide(next) }
        } catch {
            note(error)
        }
    }

    func decide(_ next: NextStart) async {
        state.withLock { $0.unkept.next = next }
        await keepUnkept()
    }

    /// Records the next start after a generation has replaced another one.
    func decide(_ change: RequestedChange, _ generation: Generation, after former: Generation?) async {
        guard change.origin != .start, let former else { return }
        let number = generation.number
        let environment = generation.candidate.sources.reveal().environment ?? generation.candidate.facts.name
        await decide { next in
            if change.confirmWithin == nil { next.trial = nil }
            let reason: NextStart.SetAside.Reason
            switch (change.origin, change.target) {
            case (.confirmation, _): reason = .notConfirmed
            case (_, .generation): reason = .rolledBack
            default: return Self.settle(change, &next)
            }
            next.environment = environment
            // After a further rollback, the rejected file stays the same; after a rollback to the file's own
            // generation, none is rejected.
            let file = next.setAside?.generation ?? former.number
            let texts = generation.candidate.sources.reveal()
            let isFile = (try? await history.sources(of: file))?.isSame(as: texts) ?? false
            next.setAside = isFile ? nil : .init(generation: file, instead: number, reason: reason)
        }
    }

    /// Records a trial before the change is made, because the change may end the process; returns the former decisions.
    func tryOut(_ number: Int, within limit: Duration, after present: Generation) async throws(StoreFailure)
        -> NextStart
    {
        let former = try await nextStart()
        var next = former
        next.trial = NextStart.Trial(
            generation: number,
            // The target of a rollback is never a generation on trial.
            former: next.trial?.former ?? present.number,
            end: context.clock.wall() + limit.milliseconds,
            starts: 1
        )
        try await history.save(next)
        return former
    }

    /// Records a decision only if the store accepts it.
    func decideDurably(_ change: (inout NextStart) -> Void) async throws(StoreFailure) {
        var next = try await nextStart()
        change(&next)
        try await history.save(next)
        state.withLock { $0.unkept.next = nil }
    }

    /// Data that could not be stored yet.
    struct Unkept {
        var generation: (generation: Generation, change: RequestedChange, time: Int64)?
        var next: NextStart?
        /// Whether a retry is scheduled.
        var isRetried = false
    }

    func keep(_ generation: Generation, _ change: RequestedChange) async {
        let time = context.clock.wall()
        state.withLock { $0.unkept.generation = (generation, change, time) }
        await keepUnkept()
    }

    /// Retries to store pending data until the store accepts it, for example when disk space is free again.
    private func keepUnkept() async {
        do throws(StoreFailure) {
            try await keepOnce()
        } catch {
            note(error)
            let isNew = state.withLock { state in
                defer { state.unkept.isRetried = true }
                return !state.unkept.isRetried
            }
            if isNew { jobs.add { await self.keepLater() } }
        }
    }

    private func keepOnce() async throws(StoreFailure) {
        let unkept = state.withLock { $0.unkept }
        if let (generation, change, time) = unkept.generation {
            try await history.save(generation, action: change.action, origin: change.origin, time: time)
            state.withLock { $0.unkept.generation = nil }
        }
        if let next = unkept.next {
            try await history.save(next)
            state.withLock { $0.unkept.next = nil }
        }
        state.withLock { $0.faults = [] }
    }

    private func keepLater() async {
        var isOver = false
        while !isOver {
            try? await Deadline(limit: .seconds(5), clock: context.clock).run { await self.ending.wait() }
            if ending.hasFired { return }
            isOver = await mutex.alone {
                do throws(StoreFailure) {
                    try await keepOnce()
                    state.withLock { $0.unkept.isRetried = false }
                    return true
                } catch {
                    return false
                }
            }
        }
    }

    /// Watches the store, because without it nothing is persistent.
    func watchStore() async {
        guard let failure = await context.stores.device.values.failure() else { return }
        let fault = Fault(failure.reason, help: failure.help)
        state.withLock { $0.storeFault = fault }
        context.log.error(
            "the store has failed",
            ["reason": .text(failure.reason), "help": .text(failure.help ?? "")]
        )
    }

    func note(_ failure: StoreFailure) {
        let fault = Fault("the generation cannot be stored: \(failure.reason)", help: failure.help)
        state.withLock { $0.faults = [fault] }
        context.log.error("cannot store the generation", ["reason": .text(failure.reason)])
    }
}
