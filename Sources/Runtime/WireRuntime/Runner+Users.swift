import Synchronization
import WireBase
import WireRunnerContract
import WireService

// Starts and stops user services within a generation, on sign-in and sign-out.

extension Runner {
    /// Follows changes of the signed-in user while the presence service runs.
    func watch(_ presence: any UserPresence, of instance: ServiceInstance) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in presence.changes() { self.followUser() }
            }
            group.addTask { await instance.stopRequested.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Schedules a follow-up of the user change; repeated calls before it starts are merged.
    func followUser() {
        let isNew = state.withLock { state in
            defer { state.willFollowUser = true }
            return !state.willFollowUser
        }
        if isNew { jobs.add { await self.follow() } }
    }

    /// Ends services of the previous user before any starts for the next one.
    private func follow() async {
        let leaving = await mutex.alone {
            // From here on a further change needs a new follow-up.
            state.withLock { $0.willFollowUser = false }
            return await letGo()
        }
        for instance in leaving.reversed() { await retire(instance) }
        await mutex.alone { await takeIn() }
    }

    private var running: Generation? {
        state.withLock { $0.phase == .running ? $0.present : nil }
    }

    // MARK: Releasing

    /// Replaces services of another user by waiting ones in one step, and returns those services.
    private func letGo() async -> [ServiceInstance] {
        guard let present = running else { return [] }
        let allowsNoUser = present.presence?.allowsAnonymous ?? false
        let user = present.presence?.user
        let absence = user == nil ? present.presence?.absence ?? .signedOut : nil
        // Services that wait already may have another reason now.
        if let absence {
            for instance in present.instances where instance.needsUser {
                if case .waiting = instance.current {
                    instance.transition(.waiting(absence.reason), at: context.clock.wall())
                }
            }
        }
        var faults: [String: Fault?] = [:]
        for step in present.candidate.plan.steps where step.needsUser {
            guard let instance = present.instance(step.name), instance.isOccupied else { continue }
            if step.uses.contains(where: { faults.keys.contains($0) }) {
                faults[step.name] = .some(nil)
            } else if allowsNoUser {
                if let fault = await publish(user, to: instance) { faults[step.name] = fault }
            } else if user == nil || instance.session != user?.session {
                faults[step.name] = .some(nil)
            }
        }
        guard !faults.isEmpty else { return [] }
        let leaving = present.instances.filter { faults.keys.contains($0.name) }
        for instance in leaving { drainingServices.began(instance) }
        swap(
            to: Generation(
                number: present.number,
                candidate: present.candidate,
                instances: present.instances.map { instance in
                    guard faults.keys.contains(instance.name), let step = present.candidate.plan.step(instance.name)
                    else {
                        return instance
                    }
                    let place = ServiceInstance(step, of: present.candidate, generation: present.number)
                    let reason = absence?.reason ?? "the service is stopping for the previous user"
                    place.transition(.waiting(reason), at: context.clock.wall())
                    return place
                },
                started: present.started
            )
        )
        return leaving
    }

    /// Notifies a service that runs with and without a user; returns a fault where it cannot continue.
    private func publish(_ user: SignedInUser?, to instance: ServiceInstance) async -> Fault? {
        guard let service = instance.service, instance.session != user?.session else { return nil }
        do {
            let deadline = Deadline(limit: .seconds(30), clock: context.clock)
            try await deadline.run { try await service.userChanged(to: user) }
            instance.work(for: user)
            return nil
        } catch {
            var fault = Fault(error)
            if fault.origin == nil { fault.origin = instance.candidate.origin(ofSection: instance.name) }
            context.publish(.failed(fault), of: instance)
            return fault
        }
    }

    // MARK: Starting

    /// Creates the services that wait for a user, where one is signed in; each may fail independently and is retried.
    private func takeIn() async {
        guard let present = running, let presence = present.presence else { return }
        guard presence.user != nil || presence.allowsAnonymous else { return }
        let waiting = present.instances.filter { instance in
            if instance.needsUser, case .waiting = instance.current { return true }
            return false
        }
        guard !waiting.isEmpty else { return }
        var construction = GenerationBuilder(
            Transition(renewing: Set(waiting.map(\.name)), of: present),
            candidate: present.candidate,
            present: present,
            number: present.number,
            context: context,
            drainingServices: drainingServices,
            ending: ending,
            occasion: .user
        )
        do throws(GenerationBuilder.Failed) {
            try await construction.build()
        } catch {
            // Only reused services with other settings could fail, and there are none.
            await construction.undo()
            return
        }
        // Services must not start for a user who has signed out meanwhile; the next follow-up handles that.
        guard presence.user?.session == construction.user?.session else {
            await construction.undo()
            return followUser()
        }
        swap(
            to: Generation(
                number: present.number,
                candidate: present.candidate,
                instances: construction.instances,
                started: present.started
            )
        )
        notifyAfterDrain(construction.made)
    }
}

extension ServiceInstance {
    /// Whether it has a service of a user, or a failed one.
    fileprivate var isOccupied: Bool {
        if service != nil { return true }
        if case .failed = current { return true }
        return false
    }
}
