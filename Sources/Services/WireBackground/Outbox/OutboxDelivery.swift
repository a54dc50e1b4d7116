import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Delivers one request to its server.
struct OutboxDelivery: Sendable {
    private let part: OutboxPart
    private let present: OutboxPart.Present

    init(_ part: OutboxPart) {
        self.part = part
        present = part.present
    }

    /// The result of an attempt, with the report to send once the result is stored.
    struct DeliveryResult: Sendable {
        enum Report: Sendable {
            case sent(status: Int), failed(OutboxOutcome), dropped(String), waits(WorkDelay)
        }

        let ending: WorkEnding
        let envelope: OutboxEnvelope?
        let report: Report

        /// Whether the request waits for an event besides its time.
        var waitsForCondition: Bool {
            guard case .waits(let delay) = report, let awaited = delay.awaits else { return false }
            return awaited != OutboxRetryPolicy.Awaited.server
        }

        func report(_ telemetry: OutboxTelemetry) {
            let claim = ending.claim
            let (id, lane, service) = (claim.id, claim.lane, claim.kind)
            switch report {
            case .sent(let status):
                guard let envelope else { return }
                telemetry.sent(id, envelope, status: status, attempts: claim.attempts + 1)
            case .failed(let outcome): telemetry.failed(id, envelope, lane: lane, service: service, outcome)
            case .dropped(let reason): telemetry.dropped(id, envelope, lane: lane, service: service, because: reason)
            case .waits(let delay):
                let tried = claim.attempts + (delay.isAttempt ? 1 : 0)
                telemetry.waits(id, envelope, lane: lane, service: service, delay, tried: tried)
            }
        }

        /// Another process owns or has ended the request, and reports its result.
        func logLostClaim(_ part: OutboxPart) {
            part.present.host.log.notice(
                "another process has taken over a request in progress",
                ["id": .text(ending.claim.id), "lane": .text(ending.claim.lane)]
            )
        }
    }

    func deliver(_ claim: ClaimedWork) async -> DeliveryResult {
        let envelope: OutboxEnvelope
        do throws(JSONMismatch) {
            envelope = try OutboxEnvelope(claim)
        } catch  where error.isOfNewerVersion {
            // A later version can still send it.
            return later(
                claim,
                nil,
                WorkDelay(.seconds(3_600), because: "a later version of this program wrote the request")
            )
        } catch {
            return await giveUp(claim, nil, "the stored request is damaged", nil)
        }
        let attempt = present.rules.attempt(claim, envelope.request)
        if let reason = present.rules.end(before: attempt) { return await giveUp(claim, envelope, reason, nil) }
        if let reason = present.host.absence(of: envelope.user) {
            return wait(claim, envelope, reason, present.rules.drainEvery, OutboxRetryPolicy.Awaited.user)
        }
        return await send(claim, envelope, attempt)
    }

    /// The request was claimed while nothing may be sent.
    func deferred(_ claim: ClaimedWork) -> DeliveryResult {
        var delay = WorkDelay(.zero, because: "the outbox is being cleared")
        delay.isAttempt = false
        return later(claim, nil, delay)
    }

    // MARK: Sending

    private func send(_ claim: ClaimedWork, _ envelope: OutboxEnvelope, _ attempt: OutboxRetryPolicy.Attempt) async
        -> DeliveryResult
    {
        let delegate = part.delegate(of: claim.kind)
        let item = item(claim, envelope)
        var request = envelope.request
        if let delegate {
            switch await delegate.ready(item) {
            case .send(let readied): request = readied
            case .wait(let reason, let atMost):
                return wait(claim, envelope, reason, atMost, OutboxRetryPolicy.Awaited.delegate)
            case .obsolete(let reason): return drop(claim, envelope, reason)
            }
        } else if request.needsDelegate {
            let reason = "the service '\(claim.kind)' is not running"
            return wait(claim, envelope, reason, present.rules.drainEvery, OutboxRetryPolicy.Awaited.delegate)
        }
        guard let requests = present.host.uses.requests else {
            part.telemetry.record(noPipeline: true)
            return wait(claim, envelope, "the network service is not running", present.rules.drainEvery, nil)
        }
        var call: ServerCall
        do throws(OutboxFailure) {
            call = try request.call(id: claim.id)
        } catch {
            return await giveUp(claim, envelope, error.reason, nil)
        }
        // Another user may sign in until the token is read.
        call.user = envelope.user
        do throws(CallFailure) {
            let answer = try await requests.send(call)
            return await answered(claim, envelope, item, attempt, answer, delegate)
        } catch {
            return await become(present.rules.verdict(on: error, attempt), claim, envelope, nil)
        }
    }

    private func item(_ claim: ClaimedWork, _ envelope: OutboxEnvelope) -> OutboxItem {
        OutboxItem(id: claim.id, request: envelope.request, attempts: claim.attempts, posted: claim.added)
    }

    private func answered(
        _ claim: ClaimedWork,
        _ envelope: OutboxEnvelope,
        _ item: OutboxItem,
        _ attempt: OutboxRetryPolicy.Attempt,
        _ answer: ServerAnswer,
        _ delegate: (any OutboxDelegate)?
    ) async -> DeliveryResult {
        guard !answer.isStored else {
            return wait(
                claim,
                envelope,
                "no request may be sent now: the response came from the cache",
                present.rules.drainEvery,
                OutboxRetryPolicy.Awaited.network
            )
        }
        let limit = max(present.settings.queue.answerSize.bytes, delegate == nil ? 0 : Self.delegateBody.bytes)
        let (body, isCut) = await AnswerBody(answer.body, upTo: limit, present.host.clock).read()
        let kept = OutboxAnswer(status: answer.status, fields: answer.fields, body: body)
        let now = present.host.clock.wall()
        let verdict = present.rules.verdict(on: answer.status, answer.fields, attempt, now: now)
        switch verdict {
        case .sent: break
        case .failed where delegate?.accepts(answer.status) == true: break
        default: return await become(verdict, claim, envelope, kept, isCut: isCut)
        }
        if let delegate {
            do {
                try await delegate.answered(item, kept)
            } catch let retry as OutboxRetry {
                var delay = WorkDelay(retry.delay, because: retry.reason)
                delay.isAttempt = false
                return later(claim, envelope, delay)
            } catch {
                let reason =
                    "the service '\(claim.kind)' could not process the response: \((error as? Fault)?.reason ?? "\(error)")"
                return await become(present.rules.retry(attempt, reason), claim, envelope, kept, isCut: isCut)
            }
        }
        var outcome = outcome(.sent, claim, envelope)
        put(kept, isCut, of: envelope, into: &outcome)
        return ended(claim, envelope, outcome, .sent(status: answer.status.code))
    }

    /// The limit of a body for clerks, whatever part of it is stored.
    private static let delegateBody = ByteCount.mebibytes(1)

    // MARK: Completion

    private func become(
        _ verdict: OutboxRetryPolicy.Verdict,
        _ claim: ClaimedWork,
        _ envelope: OutboxEnvelope,
        _ answer: OutboxAnswer?,
        isCut: Bool = false
    ) async -> DeliveryResult {
        switch verdict {
        case .later(let delay):
            await part.delegate(of: claim.kind)?.postponed(item(claim, envelope), because: delay.reason)
            return later(claim, envelope, delay)
        case .failed(let reason): return await giveUp(claim, envelope, reason, answer, isCut: isCut)
        case .sent:
            let status = answer?.status.code ?? 0
            return ended(claim, envelope, outcome(.sent, claim, envelope), .sent(status: status))
        }
    }

    private func wait(
        _ claim: ClaimedWork,
        _ envelope: OutboxEnvelope?,
        _ reason: String,
        _ time: Duration,
        _ awaited: String?
    ) -> DeliveryResult {
        var delay = WorkDelay(time, because: reason)
        delay.awaits = awaited
        delay.isAttempt = false
        return later(claim, envelope, delay)
    }

    private func later(_ claim: ClaimedWork, _ envelope: OutboxEnvelope?, _ delay: WorkDelay) -> DeliveryResult {
        DeliveryResult(ending: WorkEnding(claim, .later(delay)), envelope: envelope, report: .waits(delay))
    }

    private func giveUp(
        _ claim: ClaimedWork,
        _ envelope: OutboxEnvelope?,
        _ reason: String,
        _ answer: OutboxAnswer?,
        isCut: Bool = false
    ) async -> DeliveryResult {
        var outcome = outcome(.failed, claim, envelope)
        outcome.reason = reason
        if let envelope, let answer { put(answer, isCut, of: envelope, into: &outcome) }
        if let envelope, let delegate = part.delegate(of: claim.kind) {
            await delegate.givenUp(item(claim, envelope), because: reason, answer: answer)
        }
        return ended(claim, envelope, outcome, .failed(outcome))
    }

    private func drop(_ claim: ClaimedWork, _ envelope: OutboxEnvelope, _ reason: String) -> DeliveryResult {
        var outcome = outcome(.dropped, claim, envelope)
        outcome.reason = reason
        return ended(claim, envelope, outcome, .dropped(reason))
    }

    private func outcome(_ state: OutboxOutcome.State, _ claim: ClaimedWork, _ envelope: OutboxEnvelope?)
        -> OutboxOutcome
    {
        let isTried = state == .sent || state == .failed
        return OutboxOutcome(
            state,
            envelope,
            lane: claim.lane,
            service: claim.kind,
            attempts: claim.attempts + (isTried ? 1 : 0),
            posted: claim.added
        )
    }

    private func put(
        _ answer: OutboxAnswer,
        _ isCut: Bool,
        of envelope: OutboxEnvelope,
        into outcome: inout OutboxOutcome
    ) {
        let limit = present.settings.queue.answerSize.bytes
        outcome.status = answer.status.code
        guard envelope.request.storesResponse else { return }
        outcome.type = answer.fields["Content-Type"].map { $0.shown(upTo: 200) }
        outcome.body = Array(answer.body.prefix(limit))
        outcome.isCut = isCut || answer.body.count > limit
    }

    private func ended(
        _ claim: ClaimedWork,
        _ envelope: OutboxEnvelope?,
        _ outcome: OutboxOutcome,
        _ report: DeliveryResult.Report
    ) -> DeliveryResult {
        let left = WorkOutcome(outcome.bytes, kept: present.settings.queue.remember)
        return DeliveryResult(ending: WorkEnding(claim, .done(left)), envelope: envelope, report: report)
    }
}

/// The beginning of a response body.
struct AnswerBody: Sendable {
    private let body: any BodyReader
    private let limit: Int
    private let clock: TimeSource

    init(_ body: any BodyReader, upTo limit: Int, _ clock: TimeSource) {
        (self.body, self.limit, self.clock) = (body, limit, clock)
    }

    /// Reads up to the limit within a timeout; also returns whether the body is longer.
    func read() async -> (bytes: [UInt8], isCut: Bool) {
        await withTaskGroup(of: (bytes: [UInt8], isCut: Bool)?.self) { group in
            group.addTask { await collect() }
            group.addTask {
                // A slow body would block the lane, and is not needed.
                try? await clock.sleep(Self.patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? ([], true)
        }
    }

    private static let patience = Duration.seconds(30)

    private func collect() async -> (bytes: [UInt8], isCut: Bool) {
        var bytes: [UInt8] = []
        do {
            while let more = try await body.read() {
                bytes += more.prefix(limit - bytes.count)
                if bytes.count == limit, more.count > 0 { return (bytes, try await body.read() != nil) }
            }
            return (bytes, false)
        } catch {
            // The request has arrived, even if the rest of its response is lost.
            return (bytes, true)
        }
    }
}
