import WireBase
package import WireConfig
package import WireService
import WireStore

/// What can be asked of notifications; the local API and code in the same process ask alike.
extension NotificationsService {
    /// What became of a notification that was handed in.
    package struct Acceptance: Sendable {
        package let id: String
        /// False where it was taken before, with the same content.
        package let isNew: Bool
        /// Whether it was taken before, with other content.
        package let isUpdate: Bool

        init(_ taken: NotificationIntake.Taken) {
            (id, isNew, isUpdate) = (taken.id, taken.isNew, taken.added == .update)
        }
    }

    /// Takes one in corewire's own form; returns when it is on the disk.
    package func send(_ wish: JSONValue, expires: Int64? = nil) async throws(NotificationRefusal) -> Acceptance {
        if let id = wish["id"]?.string, !Self.isFit(id) {
            throw NotificationRefusal(
                .invalid,
                "found the id \(id.quoted), expected 1 to 200 bytes without control characters"
            )
        }
        var arrival = Arrival(.local(wish), way: "api")
        arrival.expires = expires
        return Acceptance(try await intake.take(arrival, for: self))
    }

    /// Takes one as a server has sent it.
    package func receive(_ payload: JSONValue, carrier: String?) async throws(NotificationRefusal) -> Acceptance {
        var arrival = Arrival(.push(payload), way: "api")
        arrival.carrier = carrier
        return Acceptance(try await intake.take(arrival, for: self))
    }

    static func isFit(_ id: String) -> Bool {
        (1...200).contains(id.utf8.count) && !id.unicodeScalars.contains(where: \.isUnfitForDisplay)
    }

    // MARK: Taps

    /// A tap that was taken.
    package struct Tapped: Sendable {
        /// False where the same tap was taken before.
        package let isNew: Bool
        /// Why the link it leads to is not opened; nil where it is, or there is none.
        package let refused: Fault?
    }

    /// Does what a tap leads to, once it is on the disk; the same tap again does nothing more.
    ///
    /// A link that the rules refuse is told. The tap counts as an opening all the same: a person has opened the notification.
    @discardableResult
    package func tap(_ id: String, button: String?, as tapID: String?) async throws(NotificationRefusal) -> Tapped {
        let present = present
        let now = present.host.clock.wall()
        let entry = try shownEntry(id)
        if let button, !entry.buttons.contains(where: { $0.name == button }) {
            let names = entry.buttons.map(\.name)
            let nearest = Nearest.name(to: button, among: names).map { ", did you mean \($0.quoted)?" } ?? ""
            throw NotificationRefusal(
                .noSuchButton,
                "\(id.quoted) has no button \(button.quoted), expected \(names.isEmpty ? "none" : names.listed())\(nearest)"
            )
        }
        if let tapID, !Self.isFit(tapID) {
            throw NotificationRefusal(.invalid, "the id of a tap has 1 to 200 bytes without control characters")
        }
        var envelope = entry.envelope
        envelope.tap = .init(button: button, time: now)
        envelope.handlers = roll.names
        let isNew: Bool
        do throws(StoreFailure) {
            let work = NewWork(envelope, as: "tap:\(tapID ?? NotificationID.fresh(at: now)):\(id)")
            isNew = try await present.shelf.work.add(work, to: present.shelf.queue)
            _ = try await inbox.mark(id, isOpened: true, at: now)
        } catch {
            throw notWritten(error)
        }
        desktop?.close(id)
        let refused = refusal(of: envelope, button: button)
        if isNew {
            ledger.tapped(id, button: button, refused: refused?.reason)
            present.host.find(.addonHooks)?.tell(
                .notificationResponse,
                .response(notification: id, button: button)
            )
        }
        engine.wake()
        return Tapped(isNew: isNew, refused: refused)
    }

    /// Why what a tap leads to is not opened; nil where it is, or leads to no link.
    private func refusal(of envelope: NotificationEnvelope, button: String?) -> Fault? {
        let present = present
        let push = present.push(of: envelope)
        for planned in roll.plan(forTapOn: push, button: button) {
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

    /// Takes one out of the list, and tells its server that it was put away.
    package func dismiss(_ id: String) async throws(NotificationRefusal) -> Bool {
        let present = present
        do throws(StoreFailure) {
            guard let entry = try await inbox.remove(id) else { return false }
            desktop?.close(id)
            if let path = entry.envelope.media { try await present.media?.release(path, of: id) }
            let servers = present.host.find(.pushServers)
            let push = present.push(of: entry.envelope)
            ledger.emit("dismissed", [("id", .string(id))])
            if push.registrar != nil {
                do throws(Fault) {
                    try await servers?.tell(.dismiss, of: push, at: present.host.clock.wall())
                } catch {
                    ledger.note(StoreFailure(.other, error.reason, help: error.help))
                }
            }
            return true
        } catch {
            throw notWritten(error)
        }
    }

    /// Marks one as read; false where it is not in the list.
    package func markRead(_ id: String) async throws(NotificationRefusal) -> Bool {
        do throws(StoreFailure) {
            let isThere = try await inbox.mark(id, isOpened: false, at: present.host.clock.wall())
            if isThere { desktop?.close(id) }
            return isThere
        } catch {
            throw notWritten(error)
        }
    }

    /// Marks all as read; returns how many were not.
    package func markAllRead() async throws(NotificationRefusal) -> Int {
        do throws(StoreFailure) {
            let count = try await inbox.markAll(at: present.host.clock.wall())
            desktop?.closeAll()
            return count
        } catch {
            throw notWritten(error)
        }
    }

    // MARK: Looking

    /// A page of the list, the latest first.
    package func list(after: String?, limit: Int, onlyUnread: Bool) throws(NotificationRefusal) -> (
        items: [JSONValue], next: String?, unread: Int
    ) {
        let present = present
        do throws(StoreFailure) {
            let page = try inbox.page(after: after, limit: limit, onlyUnread: onlyUnread)
            let items = page.entries.map { entry, isRead in
                NotificationView(entry: entry, push: present.push(of: entry.envelope), isRead: isRead).json
            }
            return (items, page.next, try inbox.unread(at: present.host.clock.wall()))
        } catch {
            throw notWritten(error)
        }
    }

    /// Those that are not handled to the end, the oldest first.
    package func waiting(after: Int64?, limit: Int) throws(NotificationRefusal) -> (items: [JSONValue], next: Int64?) {
        let shelf = present.shelf
        do throws(StoreFailure) {
            let items = try shelf.work.list(shelf.queue, after: after, limit: limit + 1)
            let page = items.prefix(limit).map { item in
                let (id, isUpdate) = NotificationAdding.notification(item.id)
                return JSONValue.members([
                    "id": .string(id), "update": isUpdate ? .boolean(true) : nil,
                    "state": .string(item.isClaimed ? "handling" : "waiting"),
                    "attempts": .integer(item.attempts), "received": .integer(Int(item.added)),
                    "milliseconds": .integer(Int(item.wait.milliseconds)),
                    "reason": item.lastReason.map(JSONValue.string), "for": item.awaits.map(JSONValue.string),
                ])
            }
            return (Array(page), items.count > limit ? items[limit - 1].position : nil)
        } catch {
            throw notWritten(error)
        }
    }

    /// All that is known of one; nil where nothing is.
    package func look(_ given: String) throws(NotificationRefusal) -> JSONValue? {
        do throws(StoreFailure) {
            let id = try name(of: given)
            guard var members = try known(of: id) else { return nil }
            if let found = try inbox.entry(id) {
                let push = present.push(of: found.entry.envelope)
                let view = NotificationView(entry: found.entry, push: push, isRead: found.isRead)
                members.append(("notification", view.json))
            }
            return .object(members)
        } catch {
            throw notWritten(error)
        }
    }

    /// The same once it is done, or the time is over.
    package func look(_ id: String, waiting limit: Duration) async throws(NotificationRefusal) -> JSONValue? {
        let clock = present.host.clock
        let end = clock.monotonic() + limit
        while true {
            // Waiting begins before looking, so that no end falls between the two.
            let ended = engine.turned(try workIDNow(of: id))
            defer { engine.forget(ended) }
            let json = try look(id)
            let left = end - clock.monotonic()
            guard let json, json["state"]?.string != "done", left > .zero, !Task.isCancelled else { return json }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await ended.wait() }
                group.addTask { try? await clock.sleep(left) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private func workIDNow(of id: String) throws(NotificationRefusal) -> String {
        do throws(StoreFailure) { return try workID(of: try name(of: id)) } catch { throw notWritten(error) }
    }

    // MARK: Permission

    package var answer: NotificationPermission.Answer { permission.permission.answer ?? .ask }

    package func change(to answer: NotificationPermission.Answer) async throws(NotificationRefusal) {
        do throws(StoreFailure) {
            try await permission.change(to: answer)
        } catch {
            throw notWritten(error)
        }
        ledger.emit("permission", [("answer", .string(answer.rawValue))])
        engine.wake()
    }

    // MARK: Parts

    /// What came while nothing could tell whose it is may have got another name since.
    private func name(of id: String) throws(StoreFailure) -> String {
        guard let note = try present.shelf.work.outcome(of: id, in: present.shelf.queue)?.note,
            NotificationOutcome(note) == nil,
            let name = (try? JSONValue(parsing: note, named: "outcome"))?["id"]?.string
        else { return id }
        return name
    }

    /// Where the latest that came by an id waits, or what became of it.
    private func workID(of id: String) throws(StoreFailure) -> String {
        let shelf = present.shelf
        guard let latest = try shelf.pointer(.latest, of: id) else { return id }
        if try shelf.work.find(latest, in: shelf.queue) != nil { return latest }
        return try shelf.work.outcome(of: latest, in: shelf.queue) != nil ? latest : id
    }

    private func known(of id: String) throws(StoreFailure) -> [(key: String, value: JSONValue)]? {
        let shelf = present.shelf
        let workID = try workID(of: id)
        var members: [(key: String, value: JSONValue)] = [("id", .string(id))]
        if workID != id { members.append(("update", .boolean(true))) }
        if let waiting = try shelf.work.find(workID, in: shelf.queue) {
            let progress = try shelf.progress(of: workID) ?? HandlingProgress()
            members.append(("state", .string(waiting.item.isClaimed ? "handling" : "waiting")))
            members += (progress.json.members ?? []).filter { $0.key == "handlers" }
            members.append(("received", .integer(Int(waiting.item.added))))
            if let reason = waiting.item.lastReason { members.append(("reason", .string(reason))) }
            if let awaits = waiting.item.awaits { members.append(("for", .string(awaits))) }
            return members
        }
        guard let ended = try shelf.work.outcome(of: workID, in: shelf.queue) else { return nil }
        members.append(("state", .string("done")))
        members += NotificationOutcome(ended.note)?.json.members ?? []
        members.append(("ended", .integer(Int(ended.ended))))
        return members
    }

    private func shownEntry(_ id: String) throws(NotificationRefusal) -> InboxEntry {
        do throws(StoreFailure) {
            if let found = try inbox.entry(id) { return found.entry }
        } catch {
            throw notWritten(error)
        }
        throw NotificationRefusal(.unknown, "no notification \(id.quoted) was shown, or it was put away")
    }

    private func notWritten(_ failure: StoreFailure) -> NotificationRefusal {
        ledger.note(failure)
        return NotificationRefusal(.notWritten, failure.reason, help: failure.help)
    }
}
