import Synchronization
import WireBase
import WireService
import WireStore
import WireTelemetry

/// Handles what waits: so many at once, claimed in the order in which they came.
///
/// One task writes: what has ended meanwhile is ended, and as many more are claimed as there is room for, in one step. So
/// however many are handled at once, each costs a share of a write; and what is claimed is in order.
final class NotificationEngine: Sendable {
    private struct State {
        var active: [String: ClaimedWork] = [:]
        var ended: [HandlingEnd] = []
        var isDraining = false
        var isWatching = false
        /// Who waits for the end of one.
        var waiters: [(id: String, ended: OneShot)] = []
    }

    private let state = Mutex(State())
    private let dry = OneShot()
    private let turns = Wakeup()
    private let watching = Wakeup()
    private let owner = NotificationID.fresh(at: 0)
    let line: PresentationLine
    private let former: FormerRun
    /// The same for what apps are asked: each is asked in the order in which notifications came.
    let asking = PresentationLine()

    /// How long a claim lasts that nobody extends, and how often claims are extended.
    static let lease = Duration.seconds(8)
    private static let keeping = Duration.seconds(2)
    /// How long until something that the store refused is tried again.
    private static let patience = Duration.seconds(1)

    init() {
        line = PresentationLine()
        former = FormerRun(line)
    }

    /// How many are being handled.
    var active: Int { state.withLock { $0.active.count } }

    /// Something may be there to be handled.
    func wake() { turns.wake() }

    /// Begins nothing more; returns when what is being handled has ended.
    func drain() async {
        let isDry = state.withLock { state in
            state.isDraining = true
            return state.active.isEmpty
        }
        turns.wake()
        if isDry { dry.fire() }
        await dry.wait()
    }

    func end() {
        state.withLock { $0.isDraining = true }
        turns.finish()
        watching.finish()
    }

    /// Something that happens when one has been turned to next, done or put back.
    func turned(_ id: String) -> OneShot {
        let ended = OneShot()
        state.withLock { $0.waiters.append((id, ended)) }
        return ended
    }

    func forget(_ ended: OneShot) { state.withLock { state in state.waiters.removeAll { $0.ended === ended } } }

    // MARK: Running

    func run(_ service: NotificationsService) async {
        // A former run may have ended between an answer and what waited for it, or the file may answer now.
        await service.permission.release(service.ledger)
        turns.wake()
        await withDiscardingTaskGroup { group in
            former.takeOver(from: service.present.shelf)
            group.addTask { await self.former.lookAgain(self.turns, service.present.host.clock) }
            group.addTask { await self.watch(service) }
            group.addTask { await self.keepClaims(service) }
            for await _ in turns {
                if Task.isCancelled { return }
                while let turned = await turn(service, and: former.freed(on: service.present.shelf)), !turned.isEmpty {
                    for claim in turned {
                        // They enter in the order in which they are claimed.
                        let tickets = (showing: line.enter(claim.position), asking: asking.enter(claim.position))
                        group.addTask { await self.handle(claim, tickets, service) }
                    }
                    former.waitNoMore(for: turned.map(\.id))
                }
            }
        }
    }

    private func handle(_ claim: ClaimedWork, _ tickets: NotificationRun.Tickets, _ service: NotificationsService) async
    {
        let run = NotificationRun(service)
        let handled = await service.gate.run { await run.perform(claim, tickets) } ?? HandlingEnd(heldUp: claim)
        line.leave(tickets.showing)
        asking.leave(tickets.asking)
        state.withLock { $0.ended.append(handled) }
        turns.wake()
    }

    /// Ends what has ended, and claims what there is room for, and what was freed; nil where there is nothing to do.
    private func turn(_ service: NotificationsService, and freed: [String]) async -> [ClaimedWork]? {
        let present = service.present
        let (ended, free, named) = state.withLock { state -> ([HandlingEnd], Int, [String]) in
            defer { state.ended = [] }
            guard !state.isDraining, service.gate.isOpen else { return (state.ended, 0, []) }
            let free = present.settings.parallel - state.active.count + state.ended.count
            return (state.ended, max(0, free), freed)
        }
        let work = present.shelf.work
        do throws(StoreFailure) {
            // Looking takes no turn from those who write.
            let isAnyDue = free > 0 ? try work.nextDue(in: present.shelf.queue) == .zero : false
            let isDue = isAnyDue || !named.isEmpty
            guard isDue || !ended.isEmpty else {
                if free > 0 { rest() }
                return nil
            }
            // What handlers have done is on the disk later than the claim, so it cannot outlast it.
            let wish = WorkWish(by: owner, for: Self.lease, upTo: free, and: named, isConfirmed: false)
            let turned = try await work.turn(ended.map(\.ending), claiming: isDue ? wish : nil, in: present.shelf.queue)
            service.ledger.noteGood()
            finish(ended, turned.isHeld, turned.claims, service)
            // Not before its end is on the disk: else a kill between the two would have all of it done again.
            for (handled, isHeld) in zip(ended, turned.isHeld) where isHeld && handled.hasProgress {
                try? await present.shelf.forgetProgress(of: handled.ending.claim.id)
            }
            // The answer may have come after it was looked at, and before it was written down that it is waited for.
            if ended.contains(where: \.waitsForPermission) { await service.permission.release(service.ledger) }
            // What was put back may be all there is, and nobody else would hear when its time has come.
            if turned.claims.isEmpty { rest() }
            return turned.claims
        } catch {
            service.ledger.note(error)
            // What is done must not be done again for want of a moment's room; but nothing is waited for in vain.
            if error.isFinal || error.kind == .closed || error.kind == .cancelled {
                finish(ended, ended.map { _ in false }, [], service)
                return nil
            }
            state.withLock { $0.ended = ended + $0.ended }
            if (try? await present.host.clock.sleep(Self.patience)) != nil { turns.wake() }
            return nil
        }
    }

    private func finish(
        _ ended: [HandlingEnd],
        _ isHeld: [Bool],
        _ claims: [ClaimedWork],
        _ service: NotificationsService
    ) {
        let (isDry, waiters) = state.withLock { state in
            let ids = Set(ended.map(\.ending.claim.id))
            let waiters = state.waiters.filter { ids.contains($0.id) }
            state.waiters.removeAll { ids.contains($0.id) }
            for handled in ended where state.active[handled.ending.claim.id]?.fence == handled.ending.claim.fence {
                state.active[handled.ending.claim.id] = nil
            }
            for claim in claims { state.active[claim.id] = claim }
            return (state.isDraining && state.active.isEmpty, waiters)
        }
        for waiter in waiters { waiter.ended.fire() }
        for (handled, isHeld) in zip(ended, isHeld) where isHeld {
            handled.tell(service.ledger)
        }
        if isDry { dry.fire() }
    }

    // MARK: Waiting

    private func rest() {
        let begins = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if begins { watching.wake() }
    }

    /// Wakes the turns when something is due after nothing was: also what another process has written down.
    private func watch(_ service: NotificationsService) async {
        for await _ in watching {
            let present = service.present
            do throws(StoreFailure) {
                try await present.shelf.work.due(in: present.shelf.queue)
            } catch {
                if error.kind == .cancelled || error.kind == .closed { return }
                service.ledger.note(error)
                if (try? await present.host.clock.sleep(Self.patience)) == nil { return }
            }
            state.withLock { $0.isWatching = false }
            turns.wake()
        }
    }

    private func keepClaims(_ service: NotificationsService) async {
        while (try? await service.present.host.clock.sleep(Self.keeping)) != nil {
            let claims = state.withLock { Array($0.active.values) }
            guard !claims.isEmpty else { continue }
            do throws(StoreFailure) {
                _ = try await service.present.shelf.work.extend(claims, by: Self.lease)
            } catch {
                service.ledger.note(error)
            }
        }
    }
}

/// A notification that was handled as far as it goes now, and what is said about it once that is written down.
struct HandlingEnd: Sendable {
    let ending: WorkEnding
    /// What became of it; nil where it is not over.
    var outcome: NotificationOutcome?
    /// Whether it was a tap, which is no notification of its own.
    var isTap = false
    /// Whether what its handlers have done is written down besides, for nobody once this is.
    var hasProgress = false

    init(ending: WorkEnding, outcome: NotificationOutcome? = nil, isTap: Bool = false) {
        (self.ending, self.outcome, self.isTap) = (ending, outcome, isTap)
    }

    /// It was claimed when nothing is to be handled.
    init(heldUp claim: ClaimedWork) {
        var delay = WorkDelay(.zero, because: "notifications are being cleared")
        delay.isAttempt = false
        self.init(ending: WorkEnding(claim, .later(delay)))
    }

    var waitsForPermission: Bool {
        if case .later(let delay) = ending.end { delay.awaits == PermissionKeeper.awaited } else { false }
    }

    func tell(_ ledger: NotificationLedger) {
        guard let outcome, !isTap else { return }
        ledger.handled(NotificationAdding.notification(ending.claim.id).id, outcome)
    }
}
