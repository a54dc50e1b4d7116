import Synchronization
package import WireBase
import WireConfig
import WireRunnerContract
import WireService
import WireStore
import WireTelemetry

// Changes that are rolled back unless they are confirmed in time.

extension Runner {
    package func confirm() async throws(Fault) -> Bool {
        let (asked, confirmed) = state.withLock { ($0.pending, $0.present?.candidate) }
        guard let asked, let confirmed else { return false }
        return try await mutex.alone { () async throws(Fault) in
            // Only the confirmation seen at the time of the request is confirmed; it may have been decided since.
            guard !asked.isTakenBack.hasFired else { return false }
            do throws(StoreFailure) {
                try await decideDurably { next in
                    if next.trial?.generation == asked.trial {
                        next.trial = nil
                    } else {
                        next.trial?.former = asked.number
                    }
                }
            } catch {
                throw Fault("the confirmation cannot be stored: \(error.reason)", help: error.help)
            }
            state.withLock { state in
                if state.pending?.number == asked.number {
                    state.pending = nil
                } else {
                    state.pending?.former = confirmed
                }
            }
            asked.isDecided.fire()
            events.emit(RunnerEvents.confirmed, EmptyPayload(), generation: asked.number)
            return true
        }
    }

    /// Waits for a confirmation until a time of the wall clock.
    func awaitConfirmation(of number: Int, trial: Int, until end: Int64, else former: Candidate) {
        let limit = Duration.milliseconds(max(0, end - context.clock.wall()))
        let isDecided = OneShot()
        state.withLock { state in
            let earlier = state.pending
            state.pending = Confirmation(
                number: number,
                trial: trial,
                former: earlier?.former ?? former,
                end: end,
                isDecided: isDecided
            )
            return earlier
        }?.isDecided.fire()
        jobs.add {
            do {
                try await Deadline(limit: limit, clock: self.context.clock).run { await isDecided.wait() }
            } catch {
                await self.takeBack(number)
            }
        }
    }

    private func takeBack(_ number: Int) async {
        await mutex.alone {
            let (pending, present) = state.withLock { state in
                defer { if state.pending?.number == number { state.pending = nil } }
                return (state.pending, state.present)
            }
            guard let pending, pending.number == number, let present, !isStopping else { return }
            pending.isTakenBack.fire()
            if let rejection = objection(to: pending.former, after: present) {
                context.log.error("the generation was not confirmed, and the rollback is not allowed")
                return publish(report(of: rejection, present), .confirmation)
            }
            context.log.warning("the generation was not confirmed; rolling back")
            let change = RequestedChange(.file, origin: .confirmation)
            publish(await install(pending.former, change, after: present), .confirmation)
        }
    }
}
