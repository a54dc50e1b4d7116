import Synchronization
import WireAddonContract
import WireBase
import WireHTTP
import WireConfig
import WireNotificationContract
import WirePushContract
import WireService
import WireStore
import WireTelemetry

/// Handles one claimed notification as far as is possible now.
struct NotificationRun: Sendable {
    private let service: NotificationsService
    private let present: NotificationsService.Present
    private let held: HeldClaim
    private var host: NotificationsHost { present.host }
    private var repository: NotificationRepository { present.repository }

    /// Its tickets for being shown and for asking apps.
    typealias Tickets = (showing: Int, asking: Int)

    init(_ service: NotificationsService, _ held: HeldClaim) {
        (self.service, self.held) = (service, held)
        present = service.present
    }

    /// After this many attempts without an end it is given up: it may be what crashes the program.
    private static let patience = 10

    private enum Step: Sendable {
        case handled(HandlerRecord)
        /// The end of the service interrupted a handler.
        case brokenOff(String)
        case delivered(Bool)
        case presented(Presenter.End)
        /// The service ended before it was shown.
        case left
        case notWritten(StoreFailure)
    }

    func perform(_ tickets: Tickets) async -> HandlingEnd {
        let claim = held.claim
        let envelope: NotificationEnvelope
        do throws(JSONMismatch) {
            envelope = try NotificationEnvelope(claim.payload)
        } catch  where error.isOfNewerVersion {
            return later(claim, .seconds(3_600), because: "a later version of this program stored it")
        } catch {
            var outcome = NotificationOutcome(Self.damaged(claim), nil, HandlingProgress())
            (outcome.result, outcome.reason) = (.failed, "the stored notification is damaged")
            return done(claim, outcome)
        }
        if envelope.id.isEmpty { return await named(claim, envelope) }
        do throws(StoreFailure) {
            // A first claim has no progress yet.
            let progress = await claim.attempts > 0 ? try repository.progress(of: claim.id) : nil
            return await handle(claim, envelope, progress ?? HandlingProgress(), tickets)
        } catch {
            service.telemetry.record(error)
            return later(claim, .seconds(1), because: error.reason)
        }
    }

    private static func damaged(_ claim: ClaimedWork) -> NotificationEnvelope {
        NotificationEnvelope(id: claim.id, received: claim.added, way: "unknown", content: .local(.object([])))
    }

    // MARK: Its name

    /// Renames a notification that arrived without services to identify it, and continues under the final name.
    private func named(_ claim: ClaimedWork, _ received: NotificationEnvelope) async -> HandlingEnd {
        var envelope = received
        let push = present.push(of: envelope)
        envelope.id = NotificationID(of: push, carrier: envelope.carrier ?? claim.id, present.digest).text
        envelope.update = nil
        do throws(StoreFailure) {
            let id = envelope.id
            let added = try await present.adding.add(&envelope, as: id, within: QueueQuota())
            if added == .known { service.telemetry.duplicate() } else { service.telemetry.received(envelope, push) }
        } catch {
            service.telemetry.record(error)
            return later(claim, .seconds(1), because: error.reason)
        }
        // Requests under its first name are redirected to the final one.
        let note = JSONValue.members([
            "id": .string(envelope.id), "content": .string(push.contentDigest(present.digest)),
        ]).bytes()
        let ending = WorkEnding(claim, .done(WorkOutcome(note, kept: remembered(envelope.repeats))))
        return HandlingEnd(ending: ending)
    }

    // MARK: Handling

    private func handle(
        _ claim: ClaimedWork,
        _ envelope: NotificationEnvelope,
        _ former: HandlingProgress,
        _ tickets: Tickets
    ) async -> HandlingEnd {
        let push = present.push(of: envelope)
        var progress = former
        let now = host.clock.wall()
        if let expires = envelope.expires, expires <= now, envelope.tap == nil {
            var outcome = outcome(of: envelope, push, progress)
            outcome.reason = "the notification has expired"
            if !push.isSilent { outcome.suppression = outcome.reason }
            return done(claim, outcome)
        }
        let isPresentable = envelope.tap == nil && !push.isSilent
        if !isPresentable { service.engine.line.leave(tickets.showing) }
        let verdict = await verdict(on: envelope, push, progress, attempts: claim.attempts)
        if let veto = verdict?.veto {
            var outcome = outcome(of: envelope, push, progress)
            (outcome.reason, outcome.suppression) = (veto, isPresentable ? veto : nil)
            return done(claim, outcome)
        }
        var fields = NotificationFields(envelope, push)
        let plan = plan(for: envelope, push, fields)
        let todo = plan.filter { planned in
            guard let record = progress[planned.name] else { return true }
            return record.next.map { $0 <= now } ?? false
        }
        // A notification that only waits to be shown has crashed nothing, however often it was claimed.
        guard todo.isEmpty || claim.attempts - progress.turns < Self.patience else {
            var outcome = outcome(of: envelope, push, progress)
            outcome.result = .failed
            outcome.reason = "failed after \(claim.attempts) interrupted attempts"
            return done(claim, outcome)
        }
        // Turns without a result were interrupted by the end of the runner, and their handlers may have started.
        let lost = max(0, claim.attempts - progress.turns)
        if lost > 0 { for planned in todo { progress.interrupted[planned.name, default: 0] += lost } }
        let apps = todo.count { if case .app = $0.work { true } else { false } }
        // Another notification's slow picture must not delay questions to apps.
        let hasPicture = present.settings.media != nil && push.image != nil && isPresentable && envelope.media == nil
        let turn = HandlerTurn(service.engine.asking, tickets.asking, of: hasPicture ? 0 : apps)
        if hasPicture, !progress.isPresented, let media = await fetchMedia(push, envelope.id) { fields.media = media }
        let shown = verdict?.present
        await carryOut(todo, plan, isPresentable, fields, envelope, claim, &progress, tickets.showing, turn, as: shown)
        return await conclude(claim, envelope, push, progress, plan, isPresentable)
    }

    // MARK: Add-ons

    /// The verdict of add-ons; they are not asked once anything was done.
    private func verdict(
        on envelope: NotificationEnvelope,
        _ push: ReceivedPush,
        _ progress: HandlingProgress,
        attempts: Int
    ) async -> (veto: String?, present: [PresentationOption]?)? {
        guard envelope.tap == nil, !progress.isPresented, progress.records.isEmpty,
            let addons = host.find(.addonHooks), addons.isHeard(.notificationReceived)
        else { return nil }
        let handed = HandedNotification(
            id: envelope.id,
            received: envelope.received,
            attempts: attempts,
            push: push,
            button: nil
        )
        let (verdict, name) = await addons.verdict(on: handed)
        let present = verdict.present.map { words in
            PresentationOption.allCases.filter { words.contains($0.rawValue) }
        }
        let by = name.map { "the add-on \($0.quoted)" } ?? "an add-on"
        return (verdict.veto.map { "\(by) vetoed it: \($0)" }, present)
    }

    // MARK: What is to be done

    private func plan(for envelope: NotificationEnvelope, _ push: ReceivedPush, _ fields: NotificationFields)
        -> [PlannedHandler]
    {
        let handlerList = service.handlerList
        if let tap = envelope.tap {
            return handlerList.plan(forTapOn: push, button: tap.button)
                + handlerList.plan(for: .tap, fields, among: envelope.handlers)
        }
        return handlerList.plan(for: push.isSilent ? .remote : .presentable, fields, among: envelope.handlers)
    }

    private func fetchMedia(_ push: ReceivedPush, _ id: String) async -> String? {
        guard let rules = present.settings.media, let image = push.image else { return nil }
        do throws(Fault) {
            return try await MediaFetch(rules, present)?.fetch(image, for: id)
        } catch {
            host.log.notice("a notification is shown without its picture", ["reason": .text(error.reason)])
            return nil
        }
    }

    private func carryOut(
        _ todo: [PlannedHandler],
        _ plan: [PlannedHandler],
        _ isPresentable: Bool,
        _ fields: NotificationFields,
        _ envelope: NotificationEnvelope,
        _ claim: ClaimedWork,
        _ progress: inout HandlingProgress,
        _ ticket: Int,
        _ turn: HandlerTurn,
        as wanted: [PresentationOption]?
    ) async {
        let votes = isPresentable && !progress.isPresented ? plan.filter(\.hasVote) : []
        let vote = PresentationVote(of: votes.map(\.name))
        for planned in votes where !todo.contains(where: { $0.name == planned.name }) {
            let record = progress[planned.name]
            vote.cast(planned.name, .init(options: record?.options ?? [], buttons: record?.buttons ?? []))
        }
        let steps = StepCollector<Step>()
        var missing = 0
        await withDiscardingTaskGroup { group in
            for planned in todo {
                missing += 1
                let run = HandlerRun(
                    planned: planned,
                    fields: fields,
                    present: present,
                    apps: service.apps,
                    former: progress[planned.name],
                    interrupted: progress.interrupted[planned.name] ?? 0,
                    vote: vote,
                    turn: turn
                )
                group.addTask { steps.add(await run.perform().map(Step.handled) ?? .brokenOff(planned.name)) }
            }
            if needsTelling(envelope, fields.push, progress) {
                missing += 1
                group.addTask { steps.add(.delivered(await tell(envelope, fields.push))) }
            }
            if isPresentable, !progress.isPresented {
                missing += 1
                var shown = envelope
                shown.media = fields.media
                let presented = shown
                group.addTask { steps.add(await show(presented, fields, vote, ticket, as: wanted)) }
            }
            while missing > 0 {
                let taken = await steps.next()
                missing -= taken.count
                let isWorthKeeping = take(taken, todo, envelope.id, &progress)
                // Completed handlers must not run again, however long the others take.
                if isWorthKeeping, missing > 0 {
                    progress.turns = claim.attempts
                    await keep(progress, claim)
                }
            }
        }
    }

    /// Whether a handler has succeeded, so that its result must be stored.
    private func take(
        _ steps: [Step],
        _ todo: [PlannedHandler],
        _ id: String,
        _ progress: inout HandlingProgress
    ) -> Bool {
        var isWorthKeeping = false
        for step in steps {
            switch step {
            case .handled(let record):
                progress[record.name] = record
                service.telemetry.tried(record, of: id)
                let isHarmless = todo.first { $0.name == record.name }?.isHarmless ?? false
                if !isHarmless { isWorthKeeping = true }
            case .delivered(let isDelivered): progress.isDelivered = isDelivered
            case .presented(.shown): progress.isPresented = true
            case .presented(.suppressed(let reason)):
                (progress.isPresented, progress.suppression) = (true, reason)
                service.telemetry.suppressed(id, because: reason)
            case .brokenOff(let name): progress.interrupted[name, default: 0] += 1
            case .presented(.waits), .left: break
            case .notWritten(let failure): service.telemetry.record(failure)
            }
        }
        return isWorthKeeping
    }

    private func show(
        _ envelope: NotificationEnvelope,
        _ fields: NotificationFields,
        _ vote: PresentationVote,
        _ ticket: Int,
        as options: [PresentationOption]?
    ) async -> Step {
        await vote.isComplete.wait()
        await service.engine.line.wait(ticket)
        defer { service.engine.line.leave(ticket) }
        guard !Task.isCancelled else { return .left }
        let presenter = Presenter(
            settings: present.settings,
            host: host,
            inbox: service.inbox,
            media: present.media,
            apps: service.apps,
            permission: service.permission.permission,
            desktop: service.desktop,
            telemetry: service.telemetry
        )
        // The next picture may expire earlier now.
        defer { if envelope.media != nil { service.mediaChanged.wake() } }
        do throws(StoreFailure) {
            var ballot = vote.outcome
            if let options { ballot.options = options }
            return .presented(try await presenter.present(envelope, fields, ballot, in: place(of: fields.push)))
        } catch {
            return .notWritten(error)
        }
    }

    /// The key of notifications that replace each other.
    private func place(of push: ReceivedPush) -> String? {
        guard let key = push.collapseKey else { return nil }
        return present.digest("\(push.registrar ?? "")\n\(key)")
    }

    // MARK: Telling the server

    private func needsTelling(_ envelope: NotificationEnvelope, _ push: ReceivedPush, _ progress: HandlingProgress)
        -> Bool
    {
        guard push.registrar != nil, host.uses.pushServers != nil else { return false }
        return envelope.tap != nil || !progress.isDelivered
    }

    /// Reports the delivery at the time of arrival, or the opening at the time of the tap.
    private func tell(_ envelope: NotificationEnvelope, _ push: ReceivedPush) async -> Bool {
        guard let servers = host.uses.pushServers else { return true }
        do throws(Fault) {
            let event: PushEvent = envelope.tap == nil ? .delivery : .open
            try await servers.report(event, of: push, at: envelope.tap?.time ?? envelope.received)
            return true
        } catch {
            host.log.warning(
                "the server of a notification has not received its report yet",
                ["id": .text(envelope.id), "reason": .text(error.reason)]
            )
            return false
        }
    }

    // MARK: Ending

    private func outcome(of envelope: NotificationEnvelope, _ push: ReceivedPush, _ progress: HandlingProgress)
        -> NotificationOutcome
    {
        var outcome = NotificationOutcome(envelope, push, progress)
        // Taps and updates have ids of their own.
        if envelope.tap == nil, envelope.update == nil { outcome.content = push.contentDigest(present.digest) }
        return outcome
    }

    private func keep(_ progress: HandlingProgress, _ claim: ClaimedWork) async {
        // Another runner stores its own.
        guard !held.isLost else { return }
        do throws(StoreFailure) {
            try await repository.keep(progress, of: claim.id, for: Self.progressKept)
        } catch {
            service.telemetry.record(error)
        }
    }

    /// Longer than any notification waits; the end removes it earlier.
    private static let progressKept = Duration.seconds(100 * 86_400)

    private func conclude(
        _ claim: ClaimedWork,
        _ envelope: NotificationEnvelope,
        _ push: ReceivedPush,
        _ former: HandlingProgress,
        _ plan: [PlannedHandler],
        _ isPresentable: Bool
    ) async -> HandlingEnd {
        var progress = former
        let isBrokenOff = plan.contains { progress[$0.name] == nil }
        let next = progress.records.compactMap(\.next).min()
        let isToldLater = needsTelling(envelope, push, progress) && envelope.tap == nil
        let isShownLater = isPresentable && !progress.isPresented
        guard isBrokenOff || next != nil || isShownLater || isToldLater else {
            var end = done(claim, outcome(of: envelope, push, progress), isTap: envelope.tap != nil)
            end.hasProgress = claim.attempts > 0
            return end
        }
        progress.turns = claim.attempts + 1
        await keep(progress, claim)
        if isBrokenOff { return later(claim, .zero, because: "the attempt was interrupted", isAttempt: true) }
        let now = host.clock.wall()
        var delay = WorkDelay(.seconds(3_600), because: "the notification permission is not decided")
        if isShownLater {
            if service.permission.permission.answer == .ask {
                delay.awaits = PermissionRepository.awaited
            } else {
                delay = WorkDelay(.seconds(1), because: "the notification is shown next")
            }
        }
        if isToldLater { delay = shorter(delay, .seconds(10), "the server has not received the report yet") }
        if let next {
            let reason = progress.records.first { $0.next == next }?.reason ?? "a handler has failed"
            delay = shorter(delay, .milliseconds(max(1, next - now)), reason)
        }
        return HandlingEnd(ending: WorkEnding(claim, .later(delay)))
    }

    private func shorter(_ delay: WorkDelay, _ time: Duration, _ reason: String) -> WorkDelay {
        guard time < delay.time else { return delay }
        var shorter = WorkDelay(time, because: reason)
        shorter.awaits = delay.awaits
        return shorter
    }

    private func later(_ claim: ClaimedWork, _ time: Duration, because reason: String, isAttempt: Bool = false)
        -> HandlingEnd
    {
        var delay = WorkDelay(time, because: reason)
        delay.isAttempt = isAttempt
        return HandlingEnd(ending: WorkEnding(claim, .later(delay)))
    }

    /// How long a repetition is recognized.
    private func remembered(_ repeats: Duration?) -> Duration { max(present.settings.deduplicate, repeats ?? .zero) }

    private func done(_ claim: ClaimedWork, _ outcome: NotificationOutcome, isTap: Bool = false) -> HandlingEnd {
        // A notification can be tapped for as long as it is in the list.
        let kept = max(remembered(outcome.repeats), outcome.isShown ? present.settings.inbox.keep : .zero)
        let ending = WorkEnding(claim, .done(WorkOutcome(outcome.note, kept: kept)))
        return HandlingEnd(ending: ending, outcome: outcome, isTap: isTap)
    }
}

/// Collects the results of a notification's steps, together where they arrive together.
final class StepCollector<Step: Sendable>: Sendable {
    private let state = Mutex<(steps: [Step], waiter: CheckedContinuation<Void, Never>?)>(([], nil))

    func add(_ step: Step) {
        let waiter = state.withLock { state in
            state.steps.append(step)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for at least one step, even when cancelled: each step always adds one.
    ///
    /// Only one task may call it.
    func next() async -> [Step] {
        // Steps that end at the same moment are stored together.
        await Task.yield()
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.steps.isEmpty { state.waiter = continuation }
                return !state.steps.isEmpty
            }
            if isThere { continuation.resume() }
        }
        return state.withLock { state in
            defer { state.steps = [] }
            return state.steps
        }
    }
}
