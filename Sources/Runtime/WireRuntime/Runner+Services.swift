import Synchronization
import WireBase
import WireRunnerContract
package import WireService
import WireTelemetry

// The lives of single services: run, made anew when they fail, drained and stopped.

extension Runner {
    /// Lives as long as a service runs; a service that ends by itself has failed, and is made anew.
    func supervise(_ cell: ServiceCell) async {
        guard let service = cell.service else { return }
        let failure = await withTaskGroup(of: Fault?.self) { race in
            race.addTask {
                do {
                    try await service.run()
                    return Fault("it ended by itself")
                } catch {
                    return Fault(error)
                }
            }
            race.addTask {
                await cell.stopRequested.wait()
                return nil
            }
            let first = await race.next() ?? nil
            race.cancelAll()
            return cell.stopRequested.hasFired ? nil : first
        }
        guard var failure else { return }
        let present = state.withLock { $0.present }
        if failure.origin == nil { failure.origin = present?.candidate.origin(ofSection: cell.name) }
        cell.become(.failed(failure), at: surroundings.clock.wall())
        surroundings.tell(.failed(failure), of: cell)
        await restart(cell)
    }

    /// Makes a failed service anew, after a pause that grows with each time it failed.
    func restart(_ cell: ServiceCell, after attempts: Int = 0) async {
        let pause = Duration.seconds(min(60, 1 << min(6, cell.restarts + attempts)))
        try? await Deadline(limit: pause, clock: surroundings.clock).run { await cell.stopRequested.wait() }
        guard !cell.stopRequested.hasFired, !Task.isCancelled else { return }
        if await renew(cell) == false { jobs.add { await self.restart(cell, after: attempts + 1) } }
    }

    /// The same, for one that may have been replaced meanwhile.
    private func renew(_ cell: ServiceCell) async -> Bool? {
        await turnstile.alone {
            let (present, phase) = state.withLock { ($0.present, $0.phase) }
            guard phase == .running, let present, present.cells.contains(where: { $0 === cell }) else { return nil }
            let transition = Transition(from: present, to: present.candidate, renewing: cell.name)
            var construction = Construction(
                transition,
                candidate: present.candidate,
                present: present,
                number: present.number,
                surroundings: surroundings,
                departures: departures,
                ending: ending
            )
            do throws(Construction.Failed) {
                try await construction.build()
                swap(
                    to: Generation(
                        number: present.number,
                        candidate: present.candidate,
                        cells: construction.cells,
                        started: present.started
                    )
                )
                await settle(construction.rebound)
                defer { tellWhenFormerHaveEnded(construction.rebound) }
                retire(transition.moves, of: present)
                followUser()
                return true
            } catch {
                await construction.undo()
                tellWhenFormerHaveEnded(construction.rebound)
                surroundings.log.of(cell.name).error("cannot be made anew", ["reason": .text(error.fault.reason)])
                return false
            }
        }
    }

    /// Replaces the service of a kind, with those that use it; nil where none runs, false where that fails.
    package func renew(_ kind: any Service.Type) async -> Bool? {
        guard let cell = present?.cells.first(where: { $0.type == kind }) else { return nil }
        return await renew(cell)
    }

    /// Lets services go of what they have kept in case that a change comes to nothing.
    func settle(_ rebound: [ServiceCell]) async {
        for cell in rebound {
            guard let service = cell.service else { continue }
            try? await Deadline(limit: .seconds(10), clock: surroundings.clock).run { await service.settle() }
        }
    }

    /// Tells services that were rebound when all that worked with them as they were before has ended.
    ///
    /// Where another change has come meanwhile, the end of that is waited for as well.
    func tellWhenFormerHaveEnded(_ rebound: [ServiceCell]) {
        guard !rebound.isEmpty else { return }
        jobs.add {
            var hasTold = false
            while !hasTold {
                await self.departures.all()
                hasTold = await self.turnstile.alone {
                    if self.isStopping { return true }
                    guard self.departures.isEmpty else { return false }
                    for cell in rebound where !cell.stopRequested.hasFired { await cell.service?.formerHaveEnded() }
                    return true
                }
            }
        }
    }

    /// Lets services of a former generation end, each after those that use it: what they still do, they do with it.
    func retire(_ moves: [Transition.Move], of former: Generation?) {
        let cells = moves.filter { $0.action == .restart || $0.action == .stop }.compactMap(\.present)
        for cell in cells { departures.began(cell) }
        for cell in cells {
            let users = cells.filter { former?.candidate.plan.step($0.name)?.uses.contains(cell.name) ?? false }
            jobs.add {
                for user in users { await user.hasEnded.wait() }
                await self.retire(cell, of: former)
            }
        }
    }

    /// Lets a service end what it holds, for as long as that may take, and stops it.
    ///
    /// That is the drain limit, or until a moment at the latest. `former` is the generation that led requests to it.
    func retire(_ cell: ServiceCell, of former: Generation? = nil, by end: Duration? = nil) async {
        defer { departures.ended(cell) }
        guard let service = cell.service else { return }
        cell.become(.draining, at: surroundings.clock.wall())
        let left = end.map { max(.zero, $0 - surroundings.clock.monotonic()) } ?? drainLimit
        do {
            try await Deadline(limit: left, clock: surroundings.clock).run {
                // Requests that came before the next generation did may not have been led to it yet.
                await former?.led.idle()
                // What it is told to end and what ends by itself: a stream, say, lasts until its service lets it go.
                async let drained: Void = service.drain()
                await cell.idle()
                await drained
            }
        } catch {
            surroundings.log.of(cell.name).warning(
                "did not end what it held in time",
                ["limit": .duration(drainLimit), "inFlight": .integer(cell.inFlight)]
            )
        }
        cell.stopRequested.fire()
        let patience = Duration.seconds(10)
        do {
            try await Deadline(limit: patience, clock: surroundings.clock).run { await service.stop() }
        } catch {
            surroundings.log.of(cell.name).error("did not stop in time", ["limit": .duration(patience)])
        }
        cell.become(.stopped, at: surroundings.clock.wall())
        surroundings.tell(.stopped, of: cell)
    }
}
