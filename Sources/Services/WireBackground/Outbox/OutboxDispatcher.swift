import Synchronization
import WireBase
import WireNetworkContract
import WireService
import WireStore

/// Sends the requests of a queue with a limited number of workers, each on a lane of its own.
///
/// A worker ends one request and claims the next in one transaction, which it may share with others, so that a busy queue
/// costs at most one write for each request. A worker without a request ends, and the dispatcher waits until a request is
/// due.
final class OutboxDispatcher: Sendable {
    private struct State {
        var active: [String: HeldClaim] = [:]
        /// The number of workers, with or without a claim.
        var workers = 0
        var isDraining = false
        var haste: [WorkExpediting] = []
        /// The number of signals that an awaited event may have happened.
        var calls = 0
        /// Whether the dispatcher waits for a due request.
        var isWatching = false
    }

    /// The number of its queue among those of the outbox.
    private let number: Int
    private let state = Mutex(State())
    private let turns = OutboxTurns(lease: OutboxDispatcher.lease)
    private let dry = OneShot()
    private let dispatching = Wakeup()
    private let watching = Wakeup()
    private let hastening = Wakeup()
    /// Fired once the state of the network and the user is known and their changes are followed.
    private let (followsNetwork, followsUser) = (OneShot(), OneShot())

    /// The lease of a claim, and the interval of its extensions.
    static let lease = Duration.seconds(20)
    private static let keeping = Duration.seconds(5)
    /// The pause before a refused write to the store is retried.
    private static let patience = Duration.seconds(1)

    init(_ number: Int) { self.number = number }

    private func queue(_ part: OutboxPart) -> OutboxQueue { part.present.queues[number] }

    /// The number of requests in progress.
    var active: Int { state.withLock { $0.active.count } }

    // MARK: Calls from other parts

    /// Wakes the dispatcher: a request may be due.
    func wake() { dispatching.wake() }

    /// Makes waiting requests due soon.
    func expedite(_ which: WorkExpediting) {
        state.withLock { $0.calls += 1 }
        note(which)
    }

    private func note(_ which: WorkExpediting) {
        state.withLock { if $0.haste.count < 100, !$0.haste.contains(which) { $0.haste.append(which) } }
        hastening.wake()
    }

    /// Begins nothing more; returns when the requests in progress have ended.
    func drain() async {
        let isDry = state.withLock { state in
            state.isDraining = true
            return state.workers == 0
        }
        dispatching.wake()
        if isDry { dry.fire() }
        await dry.wait()
    }

    func end() {
        state.withLock { $0.isDraining = true }
        for wakeup in [dispatching, watching, hastening] { wakeup.finish() }
    }

    // MARK: Running

    func run(_ part: OutboxPart) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.hurry(part) }
            group.addTask { await self.watch(part) }
            group.addTask { await self.keepClaims(part) }
            group.addTask { await part.dropAged(self.queue(part)) }
            group.addTask { await self.followNetwork(part) }
            group.addTask { await self.followUser(part) }
            group.addTask { await self.followTokens(part) }
            await dispatch(part, in: &group)
        }
    }

    private func dispatch(_ part: OutboxPart, in group: inout DiscardingTaskGroup) async {
        // From here on every change of the network and the user is seen, so no waiting request misses one.
        for following in [followsNetwork, followsUser] { await following.wait() }
        // The cause of a wait before this run may be gone. Requests that begin to wait in this run have their own time.
        let former = WorkExpediting.all(butAwaiting: OutboxRetryPolicy.Awaited.server)
        if await !expedite([former], part) { note(former) }
        dispatching.wake()
        for await _ in dispatching {
            if Task.isCancelled { return }
            while let wanted = reserve(part.present, part.barrier) {
                let claims = await claim(wanted, part)
                if claims.isEmpty { break }
                for held in claims { group.addTask { await self.work(held, part) } }
            }
        }
    }

    /// Reserves slots for workers; nil where none is free.
    private func reserve(_ present: OutboxPart.Present, _ barrier: WorkBarrier) -> Int? {
        guard isOnline(present), barrier.isOpen else { return nil }
        return state.withLock { state in
            let free = present.settings.queue.parallel - state.workers
            guard free > 0, !state.isDraining else { return nil }
            state.workers += free
            return free
        }
    }

    private func claim(_ count: Int, _ part: OutboxPart) async -> [HeldClaim] {
        let (clock, queue) = (part.present.host.clock, queue(part))
        do throws(StoreFailure) {
            // This read takes no turn from writers.
            let isDue = try await queue.work.nextDue(in: queue.name) == .zero
            part.telemetry.noteReached(queue)
            guard isDue else {
                part.telemetry.noteIdle(queue)
                leave(count)
                await rest(part)
                return []
            }
            let claimRequest = ClaimRequest(for: Self.lease, upTo: count)
            let began = clock.uptime()
            let claimed = try await queue.work.complete([], claiming: claimRequest, in: queue.name).claims
            let claims = claimed.map { HeldClaim($0, since: began, for: Self.lease) }
            state.withLock { state in for held in claims { state.active[held.claim.id] = held } }
            leave(count - claims.count)
            if claims.isEmpty { await rest(part) } else { part.telemetry.noteServed(by: queue) }
            return claims
        } catch {
            leave(count)
            part.telemetry.record(error, of: queue)
            // Check again after a posted request, and after a pause in any case.
            if (try? await clock.sleep(Self.patience)) != nil { dispatching.wake() }
            return []
        }
    }

    // MARK: Workers

    private func work(_ first: HeldClaim, _ part: OutboxPart) async {
        var next: HeldClaim? = first
        while let held = next {
            let (delivery, claim) = (OutboxDelivery(part), held.claim)
            let calls = state.withLock(\.calls)
            let carried =
                await part.barrier.run { await held.run { await delivery.deliver(claim) } } ?? delivery.deferred(claim)
            next = await turn(carried, part)
            // The awaited event may have happened between the attempt and the write of its result.
            if carried.waitsForCondition, state.withLock(\.calls) != calls { note(.item(claim.id)) }
            state.withLock { [next] state in
                // After a lost claim, another worker may have the request.
                if state.active[claim.id] === held { state.active[claim.id] = nil }
                if let next { state.active[next.claim.id] = next }
            }
        }
        leave(1)
        dispatching.wake()
    }

    private func leave(_ count: Int) {
        let isDry = state.withLock { state in
            state.workers -= count
            return state.isDraining && state.workers == 0
        }
        if isDry { dry.fire() }
    }

    /// Stores the result of a request, and claims the next one.
    private func turn(_ carried: OutboxDelivery.DeliveryResult, _ part: OutboxPart) async -> HeldClaim? {
        while true {
            let (queue, clock, isCancelled) = (queue(part), part.present.host.clock, Task.isCancelled)
            let takesMore = { @Sendable in !isCancelled && self.takesMore(part) }
            do throws(StoreFailure) {
                let turned = try await turns.take(carried.ending, takesMore: takesMore, in: queue.work, clock)
                if turned.isOwned { carried.report(part.telemetry) } else { carried.logLostClaim(part) }
                return turned.next
            } catch {
                part.telemetry.record(error, of: queue)
                // Retry the write, or a delivered request would be sent again; a final error is not retried.
                if error.isFinal || error.kind == .closed { return nil }
                do { try await part.present.host.clock.sleep(Self.patience) } catch { return nil }
            }
        }
    }

    private func takesMore(_ part: OutboxPart) -> Bool {
        let present = part.present
        return isOnline(present) && part.barrier.isOpen
            && state.withLock { !$0.isDraining && $0.workers <= present.settings.queue.parallel }
    }

    /// Without a network no request is claimed: each would only be put back.
    private func isOnline(_ present: OutboxPart.Present) -> Bool {
        present.host.uses.connectivity?.isOnline ?? true
    }

    // MARK: Waiting

    private func rest(_ part: OutboxPart) async {
        await part.telemetry.refresh(queue(part))
        let begins = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if begins { watching.wake() }
    }

    /// Wakes the dispatcher at the next due time.
    private func watch(_ part: OutboxPart) async {
        for await _ in watching {
            let queue = queue(part)
            do throws(StoreFailure) {
                try await queue.work.waitUntilDue(in: queue.name)
            } catch {
                if error.kind == .cancelled || error.kind == .closed { return }
                part.telemetry.record(error, of: queue)
                if (try? await part.present.host.clock.sleep(Self.patience)) == nil { return }
            }
            state.withLock { $0.isWatching = false }
            dispatching.wake()
        }
    }

    private func hurry(_ part: OutboxPart) async {
        for await _ in hastening {
            let expediting = state.withLock { state in
                defer { state.haste = [] }
                return state.haste
            }
            let isDone = await expedite(expediting, part)
            dispatching.wake()
            if isDone { continue }
            // The event is over: without a further try the requests would wait for their own time.
            if (try? await part.present.host.clock.sleep(Self.patience)) == nil { return }
            for which in expediting { note(which) }
        }
    }

    /// Makes waiting requests due; false where the store could not, and may later.
    private func expedite(_ expediting: [WorkExpediting], _ part: OutboxPart) async -> Bool {
        let queue = queue(part)
        do throws(StoreFailure) {
            for which in expediting { _ = try await queue.expedite(which) }
            return true
        } catch {
            part.telemetry.record(error, of: queue)
            return error.isFinal || error.kind == .closed
        }
    }

    private func keepClaims(_ part: OutboxPart) async {
        while (try? await part.present.host.clock.sleep(Self.keeping)) != nil {
            let claims = state.withLock { Array($0.active.values) }
            let queue = queue(part)
            do throws(StoreFailure) {
                if !claims.isEmpty { try await queue.work.extend(claims, by: Self.lease, part.present.host.clock) }
                try await part.barrier.follow((queue.work, queue.name), withClaims: !claims.isEmpty)
            } catch {
                part.telemetry.record(error, of: queue)
            }
        }
    }

    private func followNetwork(_ part: OutboxPart) async {
        defer { followsNetwork.fire() }
        guard let connectivity = part.present.host.uses.connectivity else { return }
        for await isOnline in connectivity.changes() {
            if isOnline, followsNetwork.hasFired { expedite(.awaiting(OutboxRetryPolicy.Awaited.network)) }
            followsNetwork.fire()
        }
    }

    /// Not awaited at the start: a late token signal only delays requests that wait for a token.
    private func followTokens(_ part: OutboxPart) async {
        guard let tokens = part.present.host.uses.tokens else { return }
        for await _ in tokens.recoveries() { expedite(.awaiting(OutboxRetryPolicy.Awaited.token)) }
    }

    private func followUser(_ part: OutboxPart) async {
        defer { followsUser.fire() }
        guard let presence = part.present.host.uses.presence else { return }
        for await user in presence.changes() {
            if user != nil, followsUser.hasFired { expedite(.awaiting(OutboxRetryPolicy.Awaited.user)) }
            followsUser.fire()
        }
    }
}
