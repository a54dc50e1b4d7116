import Synchronization
import WireBase
import WireConfig
import WireService
import WireStore
import WireTelemetry

// What people decide while the runner runs holds for the next start as well.

extension Runner {
    /// What a change that somebody asked for says of the next start.
    static func settle(_ change: RequestedChange, _ next: inout NextStart) {
        switch change.target {
        case .file: next.setAside = nil
        case .environment(let name): (next.environment, next.setAside) = (name, nil)
        case .generation: break
        }
    }

    func decide(_ change: (inout NextStart) -> Void) async {
        let present = history.nextStart
        var next = present
        change(&next)
        state.withLock { $0.setAside = next.setAside }
        guard next != present else { return }
        do throws(StoreFailure) {
            try await history.keep(next)
        } catch {
            note(error)
        }
    }

    /// What the next start runs once a generation has taken over from another.
    func decide(_ change: RequestedChange, _ generation: Generation, after former: Generation?) async {
        guard change.origin != .start, let former else { return }
        let number = generation.number
        let environment = generation.candidate.sources.reveal().environment ?? generation.candidate.facts.name
        await decide { next in
            if change.confirmWithin == nil { next.trial = nil }
            switch (change.origin, change.target) {
            case (.confirmation, _):
                next.environment = environment
                next.setAside = .init(generation: former.number, instead: number, reason: .notConfirmed)
            case (_, .generation):
                next.environment = environment
                // Gone back further, it is still the same file that does not run; gone back to what it says, it does.
                let file = next.setAside?.generation ?? former.number
                let texts = generation.candidate.sources.reveal()
                let isFile = (try? history.sources(of: file))?.isSame(as: texts) ?? false
                next.setAside = isFile ? nil : .init(generation: file, instead: number, reason: .rolledBack)
            default: Self.settle(change, &next)
            }
        }
    }

    /// Puts a change on trial before it is made: it may be what ends the runner.
    func tryOut(_ candidate: Candidate, as number: Int, within limit: Duration, after present: Generation)
        async throws(StoreFailure)
    {
        try await history.keepTexts(of: candidate, as: number)
        var next = history.nextStart
        next.trial = NextStart.Trial(
            generation: number,
            // What was on trial itself is not what to return to.
            former: next.trial?.former ?? present.number,
            end: surroundings.clock.wall() + limit.milliseconds,
            starts: 1
        )
        try await history.keep(next)
    }

    /// Tries again what the store refused, until it is kept: a full disk may have room again.
    func keepLater(_ generation: Generation, _ origin: ChangeOrigin, _ time: Int64) async {
        var isOver = false
        while !isOver {
            try? await Deadline(limit: .seconds(5), clock: surroundings.clock).run { await self.ending.wait() }
            if ending.hasFired { return }
            isOver = await turnstile.alone {
                guard present?.number == generation.number else { return true }
                do throws(StoreFailure) {
                    try await history.keep(generation, origin: origin, time: time)
                    state.withLock { $0.faults = [] }
                    return true
                } catch {
                    return false
                }
            }
        }
    }

    func note(_ failure: StoreFailure) {
        let fault = Fault("the generation could not be kept in the store: \(failure.reason)", help: failure.help)
        state.withLock { $0.faults = [fault] }
        surroundings.log.error("cannot keep the generation", ["reason": .text(failure.reason)])
    }
}
