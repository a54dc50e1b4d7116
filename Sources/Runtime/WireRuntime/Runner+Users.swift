import Synchronization
import WireBase
import WireRunnerContract
import WireService

// Services that need a user start when somebody signs in and stop when that user is signed out, within a generation.

extension Runner {
    /// Hears from who knows it that somebody else is signed in, for as long as that service runs.
    func watch(_ presence: any UserPresence, of cell: ServiceCell) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in presence.changes() { self.followUser() }
            }
            group.addTask { await cell.stopRequested.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Has services follow who is signed in, soon; what is asked for while that is still ahead is the same.
    func followUser() {
        let isNew = state.withLock { state in
            defer { state.willFollowUser = true }
            return !state.willFollowUser
        }
        if isNew { jobs.add { await self.follow() } }
    }

    /// What works for somebody who is gone ends before anything begins for who has come.
    private func follow() async {
        let leaving = await turnstile.alone {
            // From here on a change is a new one.
            state.withLock { $0.willFollowUser = false }
            return await letGo()
        }
        for cell in leaving.reversed() { await retire(cell) }
        await turnstile.alone { await takeIn() }
    }

    private var running: Generation? {
        state.withLock { $0.phase == .running ? $0.present : nil }
    }

    // MARK: Letting go

    /// Puts places that wait where services work for somebody else, in one step, and gives those services.
    private func letGo() async -> [ServiceCell] {
        guard let present = running else { return [] }
        let mayBeNobody = present.presence?.allowsAnonymous ?? false
        let user = present.presence?.user
        let absence = user == nil ? present.presence?.absence ?? .signedOut : nil
        // What waits already may wait for another reason now.
        if let absence {
            for cell in present.cells where cell.needsUser {
                if case .waiting = cell.current { cell.become(.waiting(absence.reason), at: surroundings.clock.wall()) }
            }
        }
        var faults: [String: Fault?] = [:]
        for step in present.candidate.plan.steps where step.needsUser {
            guard let cell = present.cell(step.name), cell.isOccupied else { continue }
            if step.uses.contains(where: { faults.keys.contains($0) }) {
                faults[step.name] = .some(nil)
            } else if mayBeNobody {
                if let fault = await tell(user, to: cell) { faults[step.name] = fault }
            } else if user == nil || cell.session != user?.session {
                faults[step.name] = .some(nil)
            }
        }
        guard !faults.isEmpty else { return [] }
        let leaving = present.cells.filter { faults.keys.contains($0.name) }
        for cell in leaving { departures.began(cell) }
        swap(
            to: Generation(
                number: present.number,
                candidate: present.candidate,
                cells: present.cells.map { cell in
                    guard faults.keys.contains(cell.name), let step = present.candidate.plan.step(cell.name) else {
                        return cell
                    }
                    let place = ServiceCell(step, of: present.candidate, generation: present.number)
                    let reason = absence?.reason ?? "it ends for who was signed in before"
                    place.become(.waiting(reason), at: surroundings.clock.wall())
                    return place
                },
                started: present.started
            )
        )
        return leaving
    }

    /// Tells a service that runs with and without a user who that is now; why it cannot go on, where it cannot.
    private func tell(_ user: SignedInUser?, to cell: ServiceCell) async -> Fault? {
        guard let service = cell.service, cell.session != user?.session else { return nil }
        do {
            let deadline = Deadline(limit: .seconds(30), clock: surroundings.clock)
            try await deadline.run { try await service.userChanged(to: user) }
            cell.work(for: user)
            return nil
        } catch {
            var fault = Fault(error)
            if fault.origin == nil { fault.origin = cell.candidate.origin(ofSection: cell.name) }
            surroundings.tell(.failed(fault), of: cell)
            return fault
        }
    }

    // MARK: Taking in

    /// Makes what waits for a user, where somebody is signed in; what fails then fails alone, and is tried again.
    private func takeIn() async {
        guard let present = running, let presence = present.presence else { return }
        guard presence.user != nil || presence.allowsAnonymous else { return }
        let waiting = present.cells.filter { cell in
            if cell.needsUser, case .waiting = cell.current { return true }
            return false
        }
        guard !waiting.isEmpty else { return }
        var construction = Construction(
            Transition(renewing: Set(waiting.map(\.name)), of: present),
            candidate: present.candidate,
            present: present,
            number: present.number,
            surroundings: surroundings,
            departures: departures,
            ending: ending,
            occasion: .user
        )
        do throws(Construction.Failed) {
            try await construction.build()
        } catch {
            // Only what is taken over with other settings could fail, and nothing is.
            await construction.undo()
            return
        }
        // Whoever has gone meanwhile must not be worked for; that they went is on its way here.
        guard presence.user?.session == construction.user?.session else {
            await construction.undo()
            return followUser()
        }
        swap(
            to: Generation(
                number: present.number,
                candidate: present.candidate,
                cells: construction.cells,
                started: present.started
            )
        )
    }
}

extension ServiceCell {
    /// Whether somebody's service is in it, or was and failed.
    fileprivate var isOccupied: Bool {
        if service != nil { return true }
        if case .failed = current { return true }
        return false
    }
}
