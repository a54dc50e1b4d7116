import Synchronization
import WireBase
import WireService
import WireStore
import WireTelemetry

/// Handles queued notifications: a limited number in parallel, claimed in order of arrival.
///
/// A single task writes: in one transaction it stores what has ended and claims as many more as there is room for. So
/// each notification costs only a share of a write, and claims are in order.
final class NotificationEngine: Sendable {
    private struct State {
        var active: [String: HeldClaim] = [:]
        var ended: [HandlingEnd] = []
        var isDraining = false
        var isWatching = false
        /// The kinds that are waited for, and what ends the wait when others are claimed.
        var watched: (kinds: Set<String>?, changed: OneShot)?
        /// The callers that wait for the end of a notification.
        var waiters: [(id: String, ended: OneShot)] = []
    }

    private let state = Mutex(State())
    private let dry = OneShot()
    private let turns = Wakeup()
    private let watching = Wakeup()
    let line: PresentationQueue
    private let former: PreviousRunClaims
    /// The same for questions to apps: apps are asked in order of arrival.
    let asking = PresentationQueue()
    private let abandoned = AbandonedKinds()

    /// The duration of a claim, which is extended while work goes on.
    static let lease = Duration.seconds(8)
    private static let keeping = Duration.seconds(2)
    /// The pause before a failed write is repeated.
    private static let patience = Duration.seconds(1)

    init() {
        line = PresentationQueue()
        former = PreviousRunClaims(line)
    }

    /// The number of notifications in progress.
    var active: Int { state.withLock { $0.active.count } }

    /// Starts a turn, since there may be something to handle.
    func wake() { turns.wake() }

    /// Starts a turn for the notifications that a newly connected app can handle.
    func noteHandlers() {
        state.withLock { $0.watched?.changed }?.fire()
        turns.wake()
    }

    /// Starts nothing more; returns when all work in progress has ended.
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

    /// Fires when the notification is next done or put back.
    func turned(_ id: String) -> OneShot {
        let ended = OneShot()
        state.withLock { $0.waiters.append((id, ended)) }
        return ended
    }

    func forget(_ ended: OneShot) { state.withLock { state in state.waiters.removeAll { $0.ended === ended } } }

    // MARK: Running

    func run(_ service: NotificationsService) async {
        // The answer may have been given after a former run ended, or the file may contain one now.
        await service.permission.release(service.telemetry)
        turns.wake()
        await withDiscardingTaskGroup { group in
            guard await takeOver(service) else { return }
            group.addTask { await self.former.lookAgain(self.turns, service.present.host.clock) }
            group.addTask { await self.watch(service) }
            group.addTask { await self.lookWhileUnwell(service) }
            group.addTask { await self.keepClaims(service) }
            group.addTask { await self.settleDoubts(service) }
            group.addTask { await self.lookForAbandoned(service) }
            for await _ in turns {
                if Task.isCancelled { return }
                while let turned = await turn(service), !turned.isEmpty {
                    for held in turned {
                        // Tickets are drawn in the order of claims.
                        let position = held.claim.position
                        let tickets = (showing: line.enter(position), asking: asking.enter(position))
                        group.addTask { await self.handle(held, tickets, service) }
                    }
                    former.waitNoMore(for: turned.map(\.claim.id))
                }
            }
        }
    }

    /// Finds what a former run has left, once the store can be read; false where it never can.
    private func takeOver(_ service: NotificationsService) async -> Bool {
        while true {
            let present = service.present
            do throws(StoreFailure) {
                let isShared = present.host.stores.isShared(.notifications)
                try await former.takeOver(from: present.repository, kinds: kinds(service), isShared: isShared)
                return true
            } catch {
                service.telemetry.record(error)
                if error.isFinal || error.kind == .closed { return false }
                do { try await present.host.clock.sleep(Self.patience) } catch { return false }
            }
        }
    }

    private func handle(_ held: HeldClaim, _ tickets: NotificationRun.Tickets, _ service: NotificationsService) async {
        let run = NotificationRun(service, held)
        let handled =
            await service.barrier.run { await held.run { await run.perform(tickets) } }
            ?? HandlingEnd(heldUp: held.claim)
        line.leave(tickets.showing)
        asking.leave(tickets.asking)
        state.withLock { $0.ended.append(handled) }
        turns.wake()
    }

    /// Stores what has ended, and claims new and freed notifications; nil where there is nothing to do.
    private func turn(_ service: NotificationsService) async -> [HeldClaim]? {
        let (present, kinds) = (service.present, kinds(service))
        let freed = await former.freed(on: present.repository, kinds: kinds)
        let (ended, free, named) = state.withLock { state -> ([HandlingEnd], Int, [String]) in
            defer { state.ended = [] }
            guard !state.isDraining, service.barrier.isOpen else { return (state.ended, 0, []) }
            let free = present.settings.parallel - state.active.count + state.ended.count
            return (state.ended, max(0, free), freed)
        }
        let work = present.repository.work
        do throws(StoreFailure) {
            // A read takes no time from writers; where something has ended, there is a write anyway.
            var isDue = !named.isEmpty || free > 0 && !ended.isEmpty
            if !isDue, free > 0 {
                isDue = try await work.nextDue(in: present.repository.queue, kinds: kinds) == .zero
                service.telemetry.noteReached()
            }
            guard isDue || !ended.isEmpty else {
                if free > 0 { rest() }
                return nil
            }
            // Progress is written after the claim, so it cannot outlast it.
            let claimRequest = ClaimRequest(for: Self.lease, upTo: free, and: named, kinds: kinds, isDurable: false)
            let began = present.host.clock.uptime()
            let turned = try await work.complete(
                ended.map(\.ending),
                claiming: isDue ? claimRequest : nil,
                in: present.repository.queue
            )
            service.telemetry.noteGood()
            let claims = turned.claims.map { HeldClaim($0, since: began, for: Self.lease) }
            finish(ended, turned.isOwned, claims, service)
            // Only once its end is on the disk: otherwise a kill in between would repeat all of it.
            for (handled, isHeld) in zip(ended, turned.isOwned) where isHeld && handled.hasProgress {
                try? await present.repository.forgetProgress(of: handled.ending.claim.id)
            }
            // The permission may have been given after it was read, and before the waiting notification was stored.
            if ended.contains(where: \.waitsForPermission) { await service.permission.release(service.telemetry) }
            // The notifications put back may be all there are, so their due time has to be awaited here.
            if claims.isEmpty { rest() }
            return claims
        } catch {
            service.telemetry.record(error)
            // Completed work must not be repeated for lack of room; but a write that can never succeed is not retried.
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
        _ claims: [HeldClaim],
        _ service: NotificationsService
    ) {
        let (isDry, waiters) = state.withLock { state in
            let ids = Set(ended.map(\.ending.claim.id))
            let waiters = state.waiters.filter { ids.contains($0.id) }
            state.waiters.removeAll { ids.contains($0.id) }
            for claim in ended.map(\.ending.claim) where state.active[claim.id]?.claim.fence == claim.fence {
                state.active[claim.id] = nil
            }
            for held in claims { state.active[held.claim.id] = held }
            return (state.isDraining && state.active.isEmpty, waiters)
        }
        for waiter in waiters { waiter.ended.fire() }
        for (handled, isHeld) in zip(ended, isHeld) where isHeld {
            handled.tell(service.telemetry)
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

    /// Starts a turn when something becomes due, also what another process has stored.
    private func watch(_ service: NotificationsService) async {
        for await _ in watching {
            let (present, changed) = (service.present, OneShot())
            let kinds = kinds(service)
            state.withLock { $0.watched = (kinds, changed) }
            do throws(StoreFailure) {
                try await waitUntilDue(on: present.repository, kinds, or: changed)
            } catch {
                if error.kind == .cancelled || error.kind == .closed { return }
                service.telemetry.record(error)
                if (try? await present.host.clock.sleep(Self.patience)) == nil { return }
            }
            state.withLock { $0.isWatching = false }
            turns.wake()
        }
    }

    private func waitUntilDue(
        on repository: NotificationRepository,
        _ kinds: Set<String>?,
        or changed: OneShot
    ) async throws(StoreFailure) {
        guard let kinds else { return try await repository.work.waitUntilDue(in: repository.queue) }
        let ended = await withTaskGroup(of: Result<Void, StoreFailure>.self) { group in
            group.addTask {
                do throws(StoreFailure) {
                    try await repository.work.waitUntilDue(in: repository.queue, kinds: kinds)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await changed.wait()
                return .success(())
            }
            defer { group.cancelAll() }
            return await group.next() ?? .success(())
        }
        try ended.get()
    }

    /// The kinds of notifications that this runner claims; nil for all.
    private func kinds(_ service: NotificationsService) -> Set<String>? {
        guard service.present.host.stores.isShared(.notifications) else { return nil }
        return service.handlerList.kinds?.union(abandoned.kinds)
    }

    /// Claims also what no other runner does.
    private func lookForAbandoned(_ service: NotificationsService) async {
        guard service.present.host.stores.isShared(.notifications) else { return }
        while (try? await service.present.host.clock.sleep(AbandonedKinds.interval)) != nil {
            let present = service.present
            guard let own = service.handlerList.kinds else { continue }
            do throws(StoreFailure) {
                try await abandoned.look(at: present.repository, besides: own, present.host.clock)
            } catch {
                service.telemetry.record(error)
            }
            // Handlers of the program come without notice.
            let watched = state.withLock { $0.watched?.kinds }
            if watched != kinds(service) { noteHandlers() }
        }
    }

    /// Reads the queue while the store is away, and writes while writes fail, so that its recovery is noticed before the
    /// next notification.
    private func lookWhileUnwell(_ service: NotificationsService) async {
        let telemetry = service.telemetry
        for await _ in telemetry.ailments {
            while telemetry.isAway || telemetry.needsWrite {
                let pause = telemetry.isAway ? Self.patience : NotificationTelemetry.busyForMoment
                if (try? await service.present.host.clock.sleep(pause)) == nil { return }
                if telemetry.isAway { turns.wake() } else if telemetry.needsWrite { await probe(service) }
            }
        }
    }

    private func probe(_ service: NotificationsService) async {
        do throws(StoreFailure) {
            try await service.present.repository.probe()
            service.telemetry.noteGood()
        } catch {
            service.telemetry.record(error)
        }
    }

    /// Finds out which notifications were stored as shown by calls whose answers were lost, and shows these.
    private func settleDoubts(_ service: NotificationsService) async {
        for await _ in service.inbox.doubted {
            while service.inbox.hasDoubts {
                if (try? await service.present.host.clock.sleep(Self.patience)) == nil { return }
                // What is being cleared is not shown.
                await service.barrier.run {
                    let log = service.present.host.log
                    do throws(StoreFailure) {
                        try await service.inbox.settleDoubts { failure in
                            log.warning(
                                "a stored notification that cannot be read is not shown",
                                ["reason": .text(failure.reason)]
                            )
                        }
                    } catch {
                        service.telemetry.record(error)
                    }
                }
            }
        }
    }

    private func keepClaims(_ service: NotificationsService) async {
        while (try? await service.present.host.clock.sleep(Self.keeping)) != nil {
            let claims = state.withLock { Array($0.active.values) }
            let present = service.present
            let queue = (work: present.repository.work, name: present.repository.queue)
            do throws(StoreFailure) {
                if !claims.isEmpty { try await queue.work.extend(claims, by: Self.lease, present.host.clock) }
                try await service.barrier.follow(queue, withClaims: !claims.isEmpty)
            } catch {
                service.telemetry.record(error)
            }
        }
    }
}

/// The result of a turn of a notification, and the events to emit once it is stored.
struct HandlingEnd: Sendable {
    let ending: WorkEnding
    /// The final result; nil where it is not done.
    var outcome: NotificationOutcome?
    /// Whether it was a tap, which is no notification of its own.
    var isTap = false
    /// Whether progress was stored that is obsolete once the end is.
    var hasProgress = false

    init(ending: WorkEnding, outcome: NotificationOutcome? = nil, isTap: Bool = false) {
        (self.ending, self.outcome, self.isTap) = (ending, outcome, isTap)
    }

    /// Puts back a claim while nothing is handled.
    init(heldUp claim: ClaimedWork) {
        var delay = WorkDelay(.zero, because: "notifications are being cleared")
        delay.isAttempt = false
        self.init(ending: WorkEnding(claim, .later(delay)))
    }

    var waitsForPermission: Bool {
        if case .later(let delay) = ending.end { delay.awaits == PermissionRepository.awaited } else { false }
    }

    func tell(_ telemetry: NotificationTelemetry) {
        guard let outcome, !isTap else { return }
        telemetry.handled(NotificationAdding.notification(ending.claim.id).id, outcome)
    }
}
