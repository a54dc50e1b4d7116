import Synchronization
import WireBase
import WireRunnerContract
package import WireService
import WireTelemetry

// The life of single services: running, restarting, draining and stopping.

extension Runner {
    /// Runs a service; one that ends by itself has failed and is restarted.
    func supervise(_ instance: ServiceInstance) async {
        guard let service = instance.service else { return }
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
                await instance.stopRequested.wait()
                return nil
            }
            let first = await race.next() ?? nil
            race.cancelAll()
            return instance.stopRequested.hasFired ? nil : first
        }
        guard var failure else { return }
        let present = state.withLock { $0.present }
        if failure.origin == nil { failure.origin = present?.candidate.origin(ofSection: instance.name) }
        instance.transition(.failed(failure), at: context.clock.wall())
        context.publish(.failed(failure), of: instance)
        await restart(instance)
    }

    /// Restarts a failed service after a delay that grows with each failure.
    func restart(_ instance: ServiceInstance, after attempts: Int = 0) async {
        let pause = Duration.seconds(min(60, 1 << min(6, instance.restarts + attempts)))
        try? await Deadline(limit: pause, clock: context.clock).run { await instance.stopRequested.wait() }
        guard !instance.stopRequested.hasFired, !Task.isCancelled else { return }
        if await renew(instance) == false { jobs.add { await self.restart(instance, after: attempts + 1) } }
    }

    /// Restarts a service, unless it has been replaced meanwhile.
    private func renew(_ instance: ServiceInstance) async -> Bool? {
        await mutex.alone {
            let (present, phase) = state.withLock { ($0.present, $0.phase) }
            guard phase == .running, let present, present.instances.contains(where: { $0 === instance }) else {
                return nil
            }
            let transition = Transition(from: present, to: present.candidate, renewing: instance.name)
            var construction = GenerationBuilder(
                transition,
                candidate: present.candidate,
                present: present,
                number: present.number,
                context: context,
                drainingServices: drainingServices,
                ending: ending
            )
            do throws(GenerationBuilder.Failed) {
                try await construction.build()
                swap(
                    to: Generation(
                        number: present.number,
                        candidate: present.candidate,
                        instances: construction.instances,
                        started: present.started
                    )
                )
                await settle(construction.rebound)
                defer { notifyAfterDrain(construction.rebound + construction.made) }
                retire(transition.transitions, of: present)
                followUser()
                return true
            } catch {
                await construction.undo()
                notifyAfterDrain(construction.rebound)
                context.log.of(instance.name).error("cannot restart", ["reason": .text(error.fault.reason)])
                return false
            }
        }
    }

    /// Replaces the service of a type with its dependents; nil where none runs, false where it fails.
    package func renew(_ kind: any Service.Type) async -> Bool? {
        guard let instance = present?.instances.first(where: { $0.type == kind }) else { return nil }
        return await renew(instance)
    }

    /// Lets rebound services release what a failed change would have needed.
    func settle(_ rebound: [ServiceInstance]) async {
        for instance in rebound {
            guard let service = instance.service else { continue }
            try? await Deadline(limit: .seconds(10), clock: context.clock).run { await service.didActivate() }
        }
    }

    /// Notifies new and rebound services when all services of former generations have ended.
    ///
    /// Where another change follows, its end is awaited too.
    func notifyAfterDrain(_ instances: [ServiceInstance]) {
        guard !instances.isEmpty else { return }
        jobs.add {
            var hasTold = false
            while !hasTold {
                await self.drainingServices.all()
                hasTold = await self.mutex.alone {
                    if self.isStopping { return true }
                    guard self.drainingServices.isEmpty else { return false }
                    for instance in instances where !instance.stopRequested.hasFired {
                        await instance.service?.predecessorsDidStop()
                    }
                    return true
                }
            }
        }
    }

    /// Ends services of a previous generation, each after its dependents.
    func retire(_ moves: [Transition.ServiceTransition], of former: Generation?) {
        let instances = moves.filter { $0.action == .restart || $0.action == .stop }.compactMap(\.present)
        for instance in instances { drainingServices.began(instance) }
        for instance in instances {
            let users = instances.filter { former?.candidate.plan.step($0.name)?.uses.contains(instance.name) ?? false }
            jobs.add {
                for user in users { await user.hasEnded.wait() }
                await self.retire(instance, of: former)
            }
        }
    }

    /// Drains a service up to a limit, and stops it.
    ///
    /// The limit is the drain timeout, or the given end if earlier. `former` is the generation that routed requests to
    /// it.
    func retire(_ instance: ServiceInstance, of former: Generation? = nil, by end: Duration? = nil) async {
        defer { drainingServices.ended(instance) }
        guard let service = instance.service else { return }
        instance.transition(.draining, at: context.clock.wall())
        let left = end.map { max(.zero, $0 - context.clock.monotonic()) } ?? drainLimit
        do {
            try await Deadline(limit: left, clock: context.clock).run {
                // Requests before the swap may still be being routed.
                await former?.inFlightRequests.idle()
                // Drains the service and its requests concurrently: a stream lasts until its service ends it.
                async let drained: Void = service.drain()
                await instance.idle()
                await drained
            }
        } catch {
            context.log.of(instance.name).warning(
                "did not drain in time",
                ["limit": .duration(drainLimit), "inFlight": .integer(instance.inFlight)]
            )
        }
        instance.stopRequested.fire()
        let patience = Duration.seconds(10)
        do {
            try await Deadline(limit: patience, clock: context.clock).run { await service.stop() }
        } catch {
            context.log.of(instance.name).error("did not stop in time", ["limit": .duration(patience)])
        }
        instance.transition(.stopped, at: context.clock.wall())
        context.publish(.stopped, of: instance)
    }
}
