import Synchronization
import WireBase
import WireConfig
import WireDownloadContract
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// A claimed download in progress.
struct DownloadJob: Sendable {
    let id: String
    let claim: ClaimedWork
    let stop: OneShot
    let watch: StallWatch
}

/// Measures how long the next bytes have been awaited.
final class StallWatch: Sendable {
    private let begin = Mutex<Duration?>(nil)
    private let now: @Sendable () -> Duration

    init(_ clock: TimeSource) { now = clock.monotonic }

    func reading(_ read: () async throws -> [UInt8]?) async throws -> [UInt8]? {
        begin.withLock { $0 = now() }
        defer { begin.withLock { $0 = nil } }
        return try await read()
    }

    var waited: Duration { begin.withLock { $0 }.map { now() - $0 } ?? .zero }
}

/// The end of an attempt.
enum FetchEnd: Error, Sendable {
    /// The file is complete, and that is stored.
    case done
    case failed(Fault)
    /// An obstacle that may go away.
    case hold(DownloadScheduler.Hold.Cause, reason: String, after: Duration?)
    /// The download was stopped.
    case stopped
}

extension DownloadsPart {
    /// Runs downloads until cancelled.
    func work() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followStore() }
            group.addTask { await self.followNetwork() }
            group.addTask { await self.followUser() }
            group.addTask { await self.forget() }
            group.addTask { await self.followFolder() }
            while !Task.isCancelled {
                let count = changes.count
                var planned = present.host.clock.monotonic()
                while let job = await nextJob(&planned) { group.addTask { await self.carry(job) } }
                await somethingToDo(after: count, planned)
            }
        }
    }

    /// Returns after a change, or when a hold ends that has not ended at the last check.
    private func somethingToDo(after count: Int, _ planned: Duration) async {
        let clock = present.host.clock
        let next = scheduler.withLock { $0.nextHoldEnd(after: planned) }
        let limit = next.map { max(.zero, $0 - clock.monotonic()) }
        await changes.wait(after: count, atMost: limit, clock)
    }

    // MARK: Claiming

    /// Claims the next download; nil where there is none, or the limits are reached.
    private func nextJob(_ planned: inout Duration) async -> DownloadJob? {
        while mayBegin, isOnline, requests != nil, !Task.isCancelled {
            let now = present.host.clock.monotonic()
            planned = now
            guard let entry = scheduler.withLock({ $0.next(at: now) }) else { return nil }
            do throws(StoreFailure) {
                guard let claim = try await repository.claim(entry.record, host: entry.host) else {
                    try await lookForWork(of: entry)
                    continue
                }
                if let job = try await job(claim) { return job }
            } catch {
                let reason = "the store cannot be used: \(error.reason)"
                hold(entry.record.id, .init(cause: .retry, reason: reason, until: now + Self.patience))
            }
        }
        return nil
    }

    /// The claimed entry may belong to another download of the same queue.
    private func job(_ claim: ClaimedWork) async throws(StoreFailure) -> DownloadJob? {
        let id = String(decoding: claim.payload, as: UTF8.self)
        // Another process may have fetched or removed the download a moment ago.
        try await refresh(id)
        let now = present.host.clock.monotonic()
        let entry = scheduler.withLock { $0[id] }
        guard let entry, entry.record.ticket == claim.id, entry.record.state == .wanted else {
            // The download was removed, or has another ticket.
            _ = try await repository.store.queue.complete(claim)
            return nil
        }
        if let hold = entry.hold, hold.until > now {
            // The obstacle may end before the hold, or not exist for another process.
            let pause = hold.cause == .retry ? hold.until - now : min(hold.until - now, .seconds(1))
            _ = try await repository.store.queue.requeue(claim, after: pause, because: hold.reason)
            return nil
        }
        guard let stop = scheduler.withLock({ $0.begin(id, at: now) }) else {
            _ = try await repository.store.queue.requeue(
                claim,
                after: Self.patience,
                because: "the download is in progress"
            )
            return nil
        }
        return DownloadJob(id: id, claim: claim, stop: stop, watch: StallWatch(present.host.clock))
    }

    /// No entry of the queue could be claimed: finds out why, for all of its downloads.
    private func lookForWork(of entry: DownloadScheduler.Entry) async throws(StoreFailure) {
        let queue = repository.queue(entry.record, host: entry.host)
        let waiting = try await repository.waiting(with: entry.record, host: entry.host)
        let clock = present.host.clock
        for id in scheduler.withLock(\.ids) {
            guard let other = scheduler.withLock({ $0[id] }), other.record.state == .wanted, other.running == nil,
                repository.queue(other.record, host: other.host) == queue
            else { continue }
            let reason: String
            var pause = Self.patience
            guard let work = waiting[other.record.ticket] else {
                if try await repository.add(other.record, host: other.host) { continue }
                // The ticket is done, but the record does not say so: the download gets another ticket.
                _ = try await renew(other)
                continue
            }
            if !work.isClaimed {
                reason = work.lastReason ?? "the next attempt is not due yet"
                // A wall clock that was set back must not delay a download for longer than a retry.
                let (most, due) = (present.retry.max, Duration.milliseconds(work.due - clock.wall()))
                // An entry that could not be claimed may be newer; it is tried again, once.
                let isNew = due <= .zero && other.hold == nil
                pause = isNew ? .zero : max(.milliseconds(100), min(due, most))
            } else if try await takeOver(other) {
                continue
            } else {
                reason = "another process is downloading the file"
            }
            hold(id, .init(cause: .elsewhere, reason: reason, until: clock.monotonic() + pause))
        }
    }

    /// Sets a download on hold, and notifies its subscribers.
    private func hold(_ id: String, _ hold: DownloadScheduler.Hold) {
        let isChange = scheduler.withLock { $0.hold(id, hold) }
        if isChange { watches.notify(find(id)) }
    }

    /// Takes a download over from a process that has ended: a live process locks the file, whatever its claim says.
    ///
    /// The file stays locked here until the download has another ticket, so that a process with the former claim finds
    /// that the claim is void.
    private func takeOver(_ entry: DownloadScheduler.Entry) async throws(StoreFailure) -> Bool {
        guard let files, let folder = present.folder else { return false }
        let draft: any DraftFile
        do throws(FileFailure) {
            try await prepareFolder()
            draft = try await files.open(draftName(of: entry.record.id), in: folder)
        } catch {
            return false
        }
        let renewed: Result<Bool, StoreFailure>
        do throws(StoreFailure) { renewed = .success(try await renew(entry)) } catch { renewed = .failure(error) }
        if draft.size == 0 { await draft.discard() } else { await draft.close() }
        return try renewed.get()
    }

    /// Gives a download another ticket, which voids former claims.
    func renew(_ entry: DownloadScheduler.Entry) async throws(StoreFailure) -> Bool {
        let ticket = newTicket(entry.record.id)
        let changed = try await change(entry.record.id) { record in
            guard record.state == .wanted, record.ticket == entry.record.ticket else { return false }
            record.ticket = ticket
            return true
        }
        guard let changed else { return false }
        try await repository.add(changed, host: entry.host)
        try await repository.drop(entry.record, host: entry.host)
        return true
    }

    // MARK: Attempts

    private func carry(_ job: DownloadJob) async {
        var end = FetchEnd.stopped
        await withTaskGroup(of: FetchEnd?.self) { group in
            group.addTask { await DownloadFetch(self, job).run() }
            group.addTask {
                await job.stop.wait()
                return nil
            }
            group.addTask {
                await self.keepClaim(job)
                return nil
            }
            group.addTask { await self.endStall(job) }
            // The fetch reports its end even after a stop: a completed download stays completed.
            var hasAsked = false
            for await result in group {
                if let result, result.isDone || !end.isKnown { end = result }
                if !hasAsked { group.cancelAll() }
                hasAsked = true
            }
        }
        await settle(job, end)
        changes.signal()
    }

    /// Extends the claim while the download is in progress.
    ///
    /// A claim that expired while this process stood still stops nothing: its new holder finds the file locked here,
    /// and gives the claim back.
    private func keepClaim(_ job: DownloadJob) async {
        let (clock, queue) = (present.host.clock, repository.store.queue)
        while (try? await clock.sleep(DownloadRepository.extending)) != nil {
            _ = try? await queue.extend(job.claim, by: DownloadRepository.lease)
        }
    }

    /// Returns when no bytes have arrived within the timeout.
    private func endStall(_ job: DownloadJob) async -> FetchEnd? {
        let clock = present.host.clock
        while !Task.isCancelled {
            do { try await clock.sleep(Self.silence / 4) } catch { return nil }
            guard job.watch.waited >= Self.silence else { continue }
            return .hold(.retry, reason: "the server sent nothing for \(Self.silence.literal.plainText)", after: nil)
        }
        return nil
    }

    static let silence = Duration.seconds(60)

    private func settle(_ job: DownloadJob, _ end: FetchEnd) async {
        let (host, queue) = (present.host, repository.store.queue)
        var hold: DownloadScheduler.Hold?
        switch end {
        case .done:
            _ = try? await queue.complete(job.claim)
            measures.ended("done")
            scheduler.withLock { $0.end(job.id, job.stop, hold: nil) }
            emit(.done, job.id)
            return
        case .failed(let fault):
            if await fail(job, fault) {
                _ = try? await queue.complete(job.claim)
                measures.ended("failed")
                scheduler.withLock { $0.end(job.id, job.stop, hold: nil) }
                emit(.failed, job.id)
                return
            }
            hold = .init(cause: .retry, reason: fault.reason, until: host.clock.monotonic() + Self.patience)
        case .hold(let cause, let reason, let after):
            let pause = after ?? pause(for: cause, of: job.id)
            hold = .init(cause: cause, reason: reason, until: host.clock.monotonic() + pause)
            measures.held(cause)
            host.log.info(
                "a download waits",
                ["id": .text(job.id), "reason": .text(reason), "for": .duration(pause)]
            )
        case .stopped:
            // The attempt ended without a stop: a resource is gone, and may be back in a while.
            if !job.stop.hasFired, !Task.isCancelled {
                let until = host.clock.monotonic() + Self.patience
                hold = .init(cause: .elsewhere, reason: "the attempt was interrupted", until: until)
            }
        }
        let entry = scheduler.withLock { $0[job.id] }
        if entry?.record.ticket == job.claim.id, entry?.record.state == .wanted {
            // Failed attempts wait in all processes; an obstacle here may not exist in another process.
            let pause = hold.flatMap { $0.cause == .retry ? $0.until - host.clock.monotonic() : nil } ?? .zero
            _ = try? await queue.requeue(job.claim, after: pause, because: hold?.reason ?? "the attempt was stopped")
        } else {
            _ = try? await queue.complete(job.claim)
            if entry == nil { await removeDraft(of: job.id) }
        }
        scheduler.withLock { $0.end(job.id, job.stop, hold: hold) }
        if hold != nil { emit(.waiting, job.id) }
    }

    /// Stores the final failure; false where that is impossible.
    private func fail(_ job: DownloadJob, _ fault: Fault) async -> Bool {
        let now = present.host.clock.wall()
        // The draft goes before the failure is reported.
        await removeDraft(of: job.id)
        do throws(StoreFailure) {
            _ = try await change(job.id) { record in
                guard record.state == .wanted, record.ticket == job.claim.id else { return false }
                (record.state, record.reason, record.help, record.ended) = (.failed, fault.reason, fault.help, now)
                record.forgetProgress()
                return true
            }
        } catch {
            return false
        }
        present.host.log.warning(
            "a download failed",
            [
                "id": .text(job.id), "reason": .text(fault.reason),
                "config": fault.origin.map { .text("\($0.path) (\($0.place))") },
            ]
        )
        return true
    }

    // MARK: Pauses

    /// The pause before an obstacle that may end is checked again.
    static let patience = Duration.seconds(5)

    private func pause(for cause: DownloadScheduler.Hold.Cause, of id: String) -> Duration {
        switch cause {
        case .elsewhere: Self.patience
        case .network: .seconds(60)
        case .space, .signIn: .seconds(30)
        case .retry: retryPause(after: scheduler.withLock { $0[id]?.failures } ?? 0)
        }
    }

    /// The backoff, doubled from the first pause to the longest, with jitter.
    private func retryPause(after failures: Int) -> Duration {
        let retry = present.retry
        let whole = min(retry.max, retry.min * (1 << min(failures, 30)))
        return max(.milliseconds(100), whole * Double.random(in: 0.75...1))
    }

    func newTicket(_ id: String) -> String {
        let random = (try? present.host.find(.secrecy)?.random(8)).map { Hexadecimal.text(of: $0) }
        return "\(id) \(random ?? "\(present.host.clock.wall())")"
    }
}
