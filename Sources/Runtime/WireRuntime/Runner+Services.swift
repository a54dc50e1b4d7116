import Synchronization
import WireBase
import WireRunnerContract
package import WireService
import WireTelemetry

// The life of single services: running, restarting, draining and stopping.

extension Runner {
    /// Runs a service; one that ends by itself has failed and is restarted.
    func supervise(_ cell: ServiceInstance) async {
        guard let service = cell.service else { return }
        let failure = await withTaskGroup(of: Fault?.self) { race in
            race.addTask {
                do {
                    try await service.run()
                    return Fault("the service ended unexpectedly")
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
        cell.transition(.failed(failure), at: context.clock.wall())
        context.publish(.failed(failure), of: cell)
        await restart(cell)
    }

    /// Restarts a failed service after a delay that grows with each failure.
    func restart(_ cell: ServiceInstance, after attempts: Int = 0) async {
        let pause = Duration.seconds(min(60, 1 << min(6, cell.restarts + attempts)))
        try? await Deadline(limit: pause, clock: context.clock).run { await cell.stopRequested.wait() }
        guard !cell.stopRequested.hasFired, !Task.isCancelled else { return }
        if await renew(cell) == false { jobs.add { await self.restart(cell, after: attempts + 1) } }
    }

    /// Restarts a service, unless it has been replaced meanwhile.
    private func renew(_ cell: ServiceInstance) async -> Bool? {
        await mutex.alone {
            let (present, phase) = state.withLock { ($0.present, $0.phase) }
            guard phase == .running, let present, present.cells.contains(where: { $0 === cell }) else { return nil }
            let transition = Transition(from: present, to: present.candidate, renewing: cell.name)
            var construction = Construction(
                transition,
                candidate: present.candidate,
                present: present,
                number: present.number,
                context: context,
                drainingServices: drainingServices,
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
                context.log.of(cell.name).error("cannot restart", ["reason": .text(error.fault.reason)])
                return false
            }
        }
    }

    /// Replaces the service of a type with its dependents; nil where none runs, false where it fails.
    package func renew(_ kind: any Service.Type) async -> Bool? {
        guard let cell = present?.cells.first(where: { $0.type == kind }) else { return nil }
        return await renew(cell)
    }

    /// Lets rebound services release what a failed change would have needed.
    func settle(_ rebound: [ServiceInstance]) async {
        for cell in rebound {
            guard let service = cell.service else { continue }
            try? await Deadline(limit: .seconds(10), clock: context.clock).run { await service.settle() }
        }
    }

    /// Notifies rebound services when all services that used their previous settings have ended.
    ///
    /// Where another change follows, its end is awaited too.
    func tellWhenFormerHaveEnded(_ rebound: [ServiceInstance]) {
        guard !rebound.isEmpty else { return }
        jobs.add {
            var hasTold = false
            while !hasTold {
                await self.drainingServices.all()
                hasTold = await self.mutex.alone {
                    if self.isStopping { return true }
                    guard self.drainingServices.isEmpty else { return false }
                    for cell in rebound where !cell.stopRequested.hasFired { await cell.service?.formerHaveEnded() }
                    return true
                }
            }
        }
    }

    /// Ends services of a previous generation, each after its dependents.
    func retire(_ moves: [Transition.Move], of former: Generation?) {
        let cells = moves.filter { $0.action == .restart || $0.action == .stop }.compactMap(\.present)
        for cell in cells { drainingServices.began(cell) }
        for cell in cells {
            let users = cells.filter { former?.candidate.plan.step($0.name)?.uses.contains(cell.name) ?? false }
            jobs.add {
                for user in users { await user.hasEnded.wait() }
                await self.retire(cell, of: former)
            }
        }
    }

    /// Drains a service up to a limit, and stops it.
    ///
    /// The limit is the drain timeout, or the given end if earlier. `former` is the generation that routed requests to
    /// it.
    func retire(_ cell: ServiceInstance, of former: Generation? = nil, by end: Duration? = nil) async {
        defer { drainingServices.ended(cell) }
        guard let service = cell.service else { return }
        cell.transition(.draining, at: context.clock.wall())
        let left = end.map { max(.zero, $0 - context.clock.monotonic()) } ?? drainLimit
        do {
            try await Deadline(limit: left, clock: context.clock).run {
                // Requests before the swap may still be being routed.
                await former?.led.idle()
                // Drains the service and its requests concurrently: a stream lasts until its service ends it.
                async let drained: Void = service.drain()
                await cell.idle()
                await drained
            }
        } catch {
            context.log.of(cell.name).warning(
                "did not drain in time",
                ["limit": .duration(drainLimit), "inFlight": .integer(cell.inFlight)]
            )
        }
        cell.stopRequested.fire()
        let patience = Duration.seconds(10)
        do {
            try await Deadline(limit: patience, clock: context.clock).run { await service.stop() }
        } catch {
            context.log.of(cell.name).error("did not stop in time", ["limit": .duration(patience)])
        }
        cell.transition(.stopped, at: context.clock.wall())
        context.publish(.stopped, of: cell)
    }
}
