import Synchronization
import WireBase
import WireConfig
import WireDownloadContract
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// A download that was claimed, and is worked on.
struct DownloadJob: Sendable {
    let id: String
    let claim: ClaimedWork
    let stop: OneShot
    let watch: StallWatch
}

/// Knows for how long somebody has waited for the next bytes.
final class StallWatch: Sendable {
    private let begin = Mutex<Duration?>(nil)
    private let now: @Sendable () -> Duration

    init(_ clock: Clockwork) { now = clock.monotonic }

    func reading(_ read: () async throws -> [UInt8]?) async throws -> [UInt8]? {
        begin.withLock { $0 = now() }
        defer { begin.withLock { $0 = nil } }
        return try await read()
    }

    var waited: Duration { begin.withLock { $0 }.map { now() - $0 } ?? .zero }
}

/// How working on a download ended.
enum FetchEnd: Error, Sendable {
    /// It is here, and that is written down.
    case done
    case failed(Fault)
    /// Something is missing that may come.
    case hold(DownloadLedger.Hold.Cause, reason: String, after: Duration?)
    /// Somebody wants it to end.
    case stopped
}

extension DownloadsPart {
    /// Works until cancelled.
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

    /// Returns when something has changed after that count, or when a hold ends that had not when it was looked at last.
    private func somethingToDo(after count: Int, _ planned: Duration) async {
        let clock = present.host.clock
        let next = ledger.withLock { $0.nextHoldEnd(after: planned) }
        let limit = next.map { max(.zero, $0 - clock.monotonic()) }
        await changes.wait(after: count, atMost: limit, clock)
    }

    // MARK: Claiming

    /// Claims what is to be begun now; nil where there is nothing, or no room for more.
    private func nextJob(_ planned: inout Duration) async -> DownloadJob? {
        while mayBegin, isOnline, requests != nil, !Task.isCancelled {
            let now = present.host.clock.monotonic()
            planned = now
            guard let entry = ledger.withLock({ $0.next(at: now) }) else { return nil }
            do throws(StoreFailure) {
                guard let claim = try await shelf.claim(entry.record, host: entry.host, by: owner) else {
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

    /// What was claimed may be another download than was looked for: one that waits with it.
    private func job(_ claim: ClaimedWork) async throws(StoreFailure) -> DownloadJob? {
        let id = String(decoding: claim.payload, as: UTF8.self)
        // Another process may have fetched it, or been told to let go of it, a moment ago.
        try refresh(id)
        let now = present.host.clock.monotonic()
        let entry = ledger.withLock { $0[id] }
        guard let entry, entry.record.ticket == claim.id, entry.record.state == .wanted else {
            // Nobody wants it any more, or it waits under another ticket.
            _ = try await shelf.stores.queue.complete(claim)
            return nil
        }
        if let hold = entry.hold, hold.until > now {
            // What is missing may come before the hold ends, or be there for another process.
            let pause = hold.cause == .retry ? hold.until - now : min(hold.until - now, .seconds(1))
            _ = try await shelf.stores.queue.giveBack(claim, after: pause, because: hold.reason)
            return nil
        }
        guard let stop = ledger.withLock({ $0.begin(id, at: now) }) else {
            _ = try await shelf.stores.queue.giveBack(claim, after: Self.patience, because: "it is under way")
            return nil
        }
        return DownloadJob(id: id, claim: claim, stop: stop, watch: StallWatch(present.host.clock))
    }

    /// Nothing could be claimed of those that wait with a download: finds out why, of all of them.
    private func lookForWork(of entry: DownloadLedger.Entry) async throws(StoreFailure) {
        let queue = shelf.queue(entry.record, host: entry.host)
        let waiting = try shelf.waiting(with: entry.record, host: entry.host)
        let clock = present.host.clock
        for id in ledger.withLock(\.ids) {
            guard let other = ledger.withLock({ $0[id] }), other.record.state == .wanted, other.running == nil,
                shelf.queue(other.record, host: other.host) == queue
            else { continue }
            let reason: String
            var pause = Self.patience
            guard let work = waiting[other.record.ticket] else {
                if try await shelf.add(other.record, host: other.host) { continue }
                // It was done under this ticket, and the end of that is not written down: it gets another one.
                _ = try await renew(other)
                continue
            }
            if !work.isClaimed {
                reason = work.lastReason ?? "its turn has not come"
                // A clock that was set back keeps nothing waiting for longer than a retry may.
                let (most, due) = (present.retry.max, Duration.milliseconds(work.due - clock.wall()))
                // One that could not be claimed may have been added since; and is tried again, once.
                let isNew = due <= .zero && other.hold == nil
                pause = isNew ? .zero : max(.milliseconds(100), min(due, most))
            } else if try await takeOver(other) {
                continue
            } else {
                reason = "another process is fetching it"
            }
            hold(id, .init(cause: .elsewhere, reason: reason, until: clock.monotonic() + pause))
        }
    }

    /// Lets a download wait, and tells who watches it what for.
    private func hold(_ id: String, _ hold: DownloadLedger.Hold) {
        let isNews = ledger.withLock { $0.hold(id, hold) }
        if isNews, let download = look(id) { watches.tell(download) }
    }

    /// Takes a download from a process that is gone: as long as it lives it has the file open, whatever its claim says.
    ///
    /// The file stays open here until the download has another ticket: who has claimed it, and opens the file after that,
    /// finds that its claim is none.
    private func takeOver(_ entry: DownloadLedger.Entry) async throws(StoreFailure) -> Bool {
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

    /// Gives a download another ticket, so that whatever holds the former one holds nothing.
    func renew(_ entry: DownloadLedger.Entry) async throws(StoreFailure) -> Bool {
        let ticket = newTicket(entry.record.id)
        let changed = try await change(entry.record.id) { record in
            guard record.state == .wanted, record.ticket == entry.record.ticket else { return false }
            record.ticket = ticket
            return true
        }
        guard let changed else { return false }
        try await shelf.add(changed, host: entry.host)
        try await shelf.drop(entry.record, host: entry.host)
        return true
    }

    // MARK: Carrying

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
            // The fetch ends in any case, and says how: what it has finished is finished, whoever wanted it to stop.
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

    /// Keeps the claim for as long as it is worked on.
    ///
    /// One that is lost, because this process stood still, ends nothing: whoever has it now finds that the file is open
    /// here, and gives it back.
    private func keepClaim(_ job: DownloadJob) async {
        let (clock, queue) = (present.host.clock, shelf.stores.queue)
        while (try? await clock.sleep(DownloadShelf.extending)) != nil {
            _ = try? await queue.extend(job.claim, by: DownloadShelf.lease)
        }
    }

    /// Returns when nothing has come for as long as a server may be silent.
    private func endStall(_ job: DownloadJob) async -> FetchEnd? {
        let clock = present.host.clock
        while !Task.isCancelled {
            do { try await clock.sleep(Self.silence / 4) } catch { return nil }
            guard job.watch.waited >= Self.silence else { continue }
            return .hold(.retry, reason: "nothing came for \(Self.silence.literal.plainText)", after: nil)
        }
        return nil
    }

    static let silence = Duration.seconds(60)

    private func settle(_ job: DownloadJob, _ end: FetchEnd) async {
        let (host, queue) = (present.host, shelf.stores.queue)
        var hold: DownloadLedger.Hold?
        switch end {
        case .done:
            _ = try? await queue.complete(job.claim)
            measures.ended("done")
            ledger.withLock { $0.end(job.id, job.stop, hold: nil) }
            tell(.done, job.id)
            return
        case .failed(let fault):
            if await fail(job, fault) {
                _ = try? await queue.complete(job.claim)
                measures.ended("failed")
                ledger.withLock { $0.end(job.id, job.stop, hold: nil) }
                tell(.failed, job.id)
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
            // Nobody here wanted it to end: what it works with has gone, and may be back in a while.
            if !job.stop.hasFired, !Task.isCancelled {
                let until = host.clock.monotonic() + Self.patience
                hold = .init(cause: .elsewhere, reason: "it was interrupted", until: until)
            }
        }
        let entry = ledger.withLock { $0[job.id] }
        if entry?.record.ticket == job.claim.id, entry?.record.state == .wanted {
            // Only what has failed waits for everybody; what is missing here may be there for somebody else.
            let pause = hold.flatMap { $0.cause == .retry ? $0.until - host.clock.monotonic() : nil } ?? .zero
            _ = try? await queue.giveBack(job.claim, after: pause, because: hold?.reason ?? "it was stopped")
        } else {
            _ = try? await queue.complete(job.claim)
            if entry == nil { await removeDraft(of: job.id) }
        }
        ledger.withLock { $0.end(job.id, job.stop, hold: hold) }
        if hold != nil { tell(.waiting, job.id) }
    }

    /// Writes down that it has failed for good; false where it could not be.
    private func fail(_ job: DownloadJob, _ fault: Fault) async -> Bool {
        let now = present.host.clock.wall()
        // Whoever is told that it has failed finds nothing left of it.
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

    // MARK: Waiting

    /// How long something waits that may be mended meanwhile.
    static let patience = Duration.seconds(5)

    private func pause(for cause: DownloadLedger.Hold.Cause, of id: String) -> Duration {
        switch cause {
        case .elsewhere: Self.patience
        case .network: .seconds(60)
        case .space, .signIn: .seconds(30)
        case .retry: retryPause(after: ledger.withLock { $0[id]?.failures } ?? 0)
        }
    }

    /// Doubles from the first wait to the longest, and varies, so that not all who failed together come together.
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
