import WireAddonContract
import WireBase
import WireConfig
import WireFormattingContract
import WireHTTP
package import WireNotificationContract
import WirePushContract
import WireService
import WireStore

/// The calls of notifications, used by the local API and by code in the same process.
extension NotificationsService {
    /// Accepts a notification in corewire's own form or a server's; returns when it is on the disk.
    func send(_ new: NewNotification) async throws(NotificationFailure) -> AcceptedNotification {
        let taken = try await intake.accept(try arrival(of: new), for: self)
        var answer = AcceptedNotification(taken.id, isNew: taken.isNew)
        answer.isUpdate = taken.added == .update
        return answer
    }

    private func arrival(of new: NewNotification) throws(NotificationFailure) -> IncomingNotification {
        if let payload = new.payload {
            var arrival = IncomingNotification(.push(payload), way: "api")
            arrival.carrier = new.carrier
            return arrival
        }
        guard new.isSilent == true || new.title != nil || new.body != nil else {
            throw NotificationFailure(.empty, "no title or body: a notification needs one unless it is silent")
        }
        if let id = new.id, !Self.isFit(id) {
            throw NotificationFailure(
                .invalid,
                "invalid id \(id.quoted): expected 1 to 200 bytes without control characters"
            )
        }
        var kept = new
        kept.lifetime = nil
        var arrival = IncomingNotification(.local(kept.json), way: "api")
        arrival.expires = new.lifetime.map { present.host.clock.wall() + $0.milliseconds }
        return arrival
    }

    static func isFit(_ id: String) -> Bool {
        (1...200).contains(id.utf8.count) && !id.unicodeScalars.contains(where: \.isUnfitForDisplay)
    }

    // MARK: Taps

    /// Stores a tap and performs its actions; the same tap again does nothing more.
    ///
    /// A link that is not allowed is reported. The tap still counts as an opening.
    func tap(_ wanted: NotificationTap) async throws(NotificationFailure) -> AcceptedNotification {
        let (id, button, tapID) = (wanted.id, wanted.button, wanted.tapID)
        let present = present
        let now = present.host.clock.wall()
        let entry = try await shownEntry(id)
        if let button, !entry.buttons.contains(where: { $0.name == button }) {
            let names = entry.buttons.map(\.name)
            let nearest = Nearest.name(to: button, among: names).map { ", did you mean \($0.quoted)?" } ?? ""
            throw NotificationFailure(
                .noSuchButton,
                "unknown button \(button.quoted) of \(id.quoted), expected \(names.isEmpty ? "none" : names.listed())\(nearest)"
            )
        }
        if let tapID, !Self.isFit(tapID) {
            throw NotificationFailure(.invalid, "expected an id of 1 to 200 bytes without control characters")
        }
        var envelope = entry.envelope
        envelope.tap = .init(button: button, time: now)
        envelope.handlers = handlerList.names
        let isNew = try await stored { () async throws(StoreFailure) in
            let work = NewWork(envelope, as: "tap:\(tapID ?? NotificationID.fresh(at: now)):\(id)")
            return try await present.repository.work.add(work, to: present.repository.queue)
        }
        // It is accepted from here on: a caller that got a failure would tap again.
        do throws(StoreFailure) {
            _ = try await inbox.mark(id, isOpened: true, at: now)
        } catch {
            telemetry.record(error)
        }
        desktop?.close(id)
        let refused = refusal(of: envelope, button: button)
        if isNew {
            telemetry.tapped(id, button: button, refused: refused?.reason)
            present.host.find(.addonHooks)?.notify(
                .notificationResponse,
                .response(notification: id, button: button)
            )
        }
        engine.wake()
        var taken = AcceptedNotification(id, isNew: isNew)
        (taken.refused, taken.help) = (refused?.reason, refused?.help)
        return taken
    }

    /// Why the link of a tap is not opened; nil where it is, or where there is none.
    private func refusal(of envelope: NotificationEnvelope, button: String?) -> Fault? {
        let present = present
        let push = present.push(of: envelope)
        for planned in handlerList.plan(forTapOn: push, button: button) {
            let link: String?
            switch planned.work {
            case .link(let text): link = text
            case .button(let button, _):
                let filling = NotificationFields(envelope, push).filling(present.host.find(.declaredFormats))
                link = button.open.flatMap { try? filling.fill($0) }
            default: link = nil
            }
            guard let link else { continue }
            do throws(Fault) { _ = try NotificationLink(link, by: present.settings.links) } catch { return error }
        }
        return nil
    }

    /// Removes a notification from the list, and reports the dismissal to its server.
    package func dismiss(_ id: String) async throws(NotificationFailure) -> Bool {
        let present = present
        return try await stored { () async throws(StoreFailure) in
            guard let entry = try await inbox.remove(id) else { return false }
            desktop?.close(id)
            if let path = entry.envelope.media { try await present.media?.release(path, of: id) }
            let servers = present.host.uses.pushServers
            let push = present.push(of: entry.envelope)
            telemetry.emit(.dismissed, NotificationEvent(id))
            if push.registrar != nil {
                do throws(Fault) {
                    try await servers?.report(.dismiss, of: push, at: present.host.clock.wall())
                } catch {
                    telemetry.record(StoreFailure(.other, error.reason, help: error.help))
                }
            }
            return true
        }
    }

    /// Marks one as read; false where it is not in the list.
    func markRead(_ id: String) async throws(NotificationFailure) -> Bool {
        try await stored { () async throws(StoreFailure) in
            let isThere = try await inbox.mark(id, isOpened: false, at: present.host.clock.wall())
            if isThere { desktop?.close(id) }
            return isThere
        }
    }

    /// Marks all as read; returns how many were not.
    func markAllRead() async throws(NotificationFailure) -> Int {
        try await stored { () async throws(StoreFailure) in
            let count = try await inbox.markAll(at: present.host.clock.wall())
            desktop?.closeAll()
            return count
        }
    }

    // MARK: Looking

    /// A page of shown notifications, latest first, or of queued ones, oldest first.
    func list(_ request: NotificationListRequest) async throws(NotificationFailure) -> NotificationPage {
        let limit = request.limit ?? 50
        return try await stored { () async throws(StoreFailure) in
            guard request.state != .waiting else {
                return try await waiting(after: request.after.flatMap { Int64($0) }, limit: limit)
            }
            let page = try await inbox.page(after: request.after, limit: limit, onlyUnread: request.state == .unread)
            let present = present
            let items = page.entries.map { entry, isRead in
                let view = NotificationView(entry: entry, push: present.push(of: entry.envelope), isRead: isRead)
                return ListedNotification.shown(view.shown)
            }
            return NotificationPage(
                items,
                next: page.next,
                unread: try await inbox.unread(at: present.host.clock.wall())
            )
        }
    }

    private func waiting(after: Int64?, limit: Int) async throws(StoreFailure) -> NotificationPage {
        let repository = present.repository
        let items = try await repository.work.list(repository.queue, after: after, limit: limit + 1)
        let page = items.prefix(limit).map { item in
            let (id, isUpdate) = NotificationAdding.notification(item.id)
            var waiting = WaitingNotification(
                id,
                item.isClaimed ? .handling : .waiting,
                attempts: item.attempts,
                received: NewWork.received(item.metadata) ?? item.added,
                wait: item.wait.milliseconds
            )
            waiting.isUpdate = isUpdate
            (waiting.reason, waiting.waitsFor) = (item.lastReason, item.awaits)
            return ListedNotification.waiting(waiting)
        }
        return NotificationPage(page, next: items.count > limit ? "\(items[limit - 1].position)" : nil)
    }

    /// The details of a notification; nil where it is unknown.
    package func detail(_ given: String) async throws(NotificationFailure) -> NotificationDetail? {
        try await stored { () async throws(StoreFailure) in
            let id = try await name(of: given)
            guard var detail = try await known(of: id) else { return nil }
            if let found = try await inbox.entry(id) {
                let push = present.push(of: found.entry.envelope)
                detail.notification = NotificationView(entry: found.entry, push: push, isRead: found.isRead).shown
            }
            return detail
        }
    }

    /// The details once it is done, or the time is over.
    package func detail(_ id: String, waiting limit: Duration) async throws(NotificationFailure) -> NotificationDetail?
    {
        let clock = present.host.clock
        let end = clock.monotonic() + limit
        while true {
            // Waiting begins before reading, so that no end is missed.
            let ended = engine.turned(try await workIDNow(of: id))
            defer { engine.forget(ended) }
            let detail = try await detail(id)
            let left = end - clock.monotonic()
            guard let detail, detail.state != .done, left > .zero, !Task.isCancelled else { return detail }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await ended.wait() }
                // Another runner's end is not told here.
                group.addTask { try? await clock.sleep(min(left, Self.longestLook)) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// The longest time until a notification that is waited for is looked at again.
    private static let longestLook = Duration.seconds(1)

    private func workIDNow(of id: String) async throws(NotificationFailure) -> String {
        try await stored { () async throws(StoreFailure) in try await workID(of: try await name(of: id)) }
    }

    // MARK: Permission

    var permissionReport: NotificationPermissionReport {
        NotificationPermissionReport(
            permission.permission.answer ?? .ask,
            desktop: present.settings.sinks.contains(.desktop) ? desktop?.trouble : nil
        )
    }

    func change(to answer: NotificationPermission.Answer) async throws(NotificationFailure) {
        try await stored { () async throws(StoreFailure) in try await permission.change(to: answer) }
        var event = NotificationEvent()
        event.answer = answer
        telemetry.emit(.permission, event)
        engine.wake()
    }

    // MARK: Parts

    /// A notification that arrived without services to identify it may have been renamed since.
    private func name(of id: String) async throws(StoreFailure) -> String {
        guard let note = try await present.repository.work.outcome(of: id, in: present.repository.queue)?.payload,
            NotificationOutcome(note) == nil,
            let name = (try? JSONValue(parsing: note, named: "outcome"))?["id"]?.string
        else { return id }
        return name
    }

    /// The id of the latest arrival in the queue or among the results.
    private func workID(of id: String) async throws(StoreFailure) -> String {
        let repository = present.repository
        guard let latest = try await repository.pointer(.latest, of: id) else { return id }
        if try await repository.work.find(latest, in: repository.queue) != nil { return latest }
        return try await repository.work.outcome(of: latest, in: repository.queue) != nil ? latest : id
    }

    private func known(of id: String) async throws(StoreFailure) -> NotificationDetail? {
        let repository = present.repository
        let workID = try await workID(of: id)
        var detail: NotificationDetail
        if let waiting = try await repository.work.find(workID, in: repository.queue) {
            detail = NotificationDetail(id, waiting.item.isClaimed ? .handling : .waiting)
            detail.handlers = try await repository.progress(of: workID)?.records ?? []
            // The time of arrival, as after the end; the store's own is that of its write.
            detail.received = (try? NotificationEnvelope(waiting.payload))?.received ?? waiting.item.added
            (detail.reason, detail.waitsFor) = (waiting.item.lastReason, waiting.item.awaits)
        } else {
            guard let ended = try await repository.work.outcome(of: workID, in: repository.queue) else { return nil }
            detail = NotificationDetail(id, .done)
            NotificationOutcome(ended.payload)?.fill(&detail)
            detail.ended = ended.ended
        }
        detail.isUpdate = workID != id
        return detail
    }

    private func shownEntry(_ id: String) async throws(NotificationFailure) -> InboxEntry {
        if let found = try await stored({ () async throws(StoreFailure) in try await inbox.entry(id) }) {
            return found.entry
        }
        throw NotificationFailure(
            .noSuchNotification,
            "unknown notification \(id.quoted): not in the list, or dismissed"
        )
    }

    /// Runs a store access, whose failures degrade the service.
    private func stored<Answer>(
        _ work: () async throws(StoreFailure) -> Answer
    ) async throws(NotificationFailure) -> Answer {
        do throws(StoreFailure) { return try await work() } catch {
            telemetry.record(error)
            throw NotificationFailure(error)
        }
    }
}
