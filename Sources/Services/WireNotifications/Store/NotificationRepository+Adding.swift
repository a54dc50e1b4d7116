import WireConfig
import WireNotificationContract
import WirePushContract
import WireService
import WireStore

/// The relation of an arrival to earlier ones.
enum AddedNotification: Sendable, Equatable {
    case new
    /// The same id with other content: an update.
    case update
    /// The same id with the same content: a repetition.
    case known
}

/// Queues notifications by id, each content of an id once.
///
/// The first is queued under its id, an update under the id and the digest of its content.
struct NotificationAdding: Sendable {
    let repository: NotificationRepository
    let digest: @Sendable (String) -> String
    /// Reads the content of a notification.
    let read: @Sendable (NotificationEnvelope) -> ReceivedPush

    /// Queues a notification; returns when it is on the disk, or at once for a known one.
    ///
    /// One that arrived together with others takes its `turn`.
    func add(
        _ envelope: inout NotificationEnvelope,
        as base: String,
        within quota: QueueQuota,
        in turn: ArrivalTurn? = nil
    ) async throws(StoreFailure) -> AddedNotification {
        let work = newWork(envelope, as: base)
        let added: AddedWork
        if let turn {
            try await turn.begin(base) { () async throws(StoreFailure) in try await isKnown(base) }
            added = try await turn.write { [repository] () async throws(StoreFailure) in
                try await repository.work.add(work, to: repository.queue, within: quota)
            }
            await turn.waitForOthers()
        } else {
            added = try await repository.work.add(work, to: repository.queue, within: quota)
        }
        if added.isNew { return .new }
        let content = read(envelope).contentDigest(digest)
        guard let former = try await self.content(of: base), former != content else { return .known }
        envelope.update = content
        let id = Self.workID(base, update: content)
        if try await isKnown(id) { return .known }
        // The pointer first: a process that ends in between leaves it at the earlier notification.
        if !envelope.id.isEmpty { try await repository.point(.latest, of: envelope.id, to: id) }
        let isNew = try await repository.work.add(newWork(envelope, as: id), to: repository.queue, within: quota).isNew
        return isNew ? .update : .known
    }

    private func newWork(_ envelope: NotificationEnvelope, as id: String) -> NewWork {
        NewWork(envelope, as: id, isSilent: read(envelope).isSilent)
    }

    private func isKnown(_ id: String) async throws(StoreFailure) -> Bool {
        if try await repository.work.find(id, in: repository.queue) != nil { return true }
        return try await repository.work.outcome(of: id, in: repository.queue) != nil
    }

    /// The content of the first notification with this id; nil where unknown.
    private func content(of id: String) async throws(StoreFailure) -> String? {
        if let waiting = try await repository.work.find(id, in: repository.queue) {
            return (try? NotificationEnvelope(waiting.payload)).map { read($0).contentDigest(digest) }
        }
        guard let ended = try await repository.work.outcome(of: id, in: repository.queue) else { return nil }
        return (try? JSONValue(parsing: ended.payload, named: "outcome", limits: .notification))?["content"]?.string
    }

    static func workID(_ base: String, update: String) -> String { "update:\(update):\(base)" }

    /// The notification's id in an id of the queue.
    static func notification(_ workID: String) -> (id: String, isUpdate: Bool) {
        guard workID.hasPrefix("update:") else { return (workID, false) }
        let rest = workID.dropFirst("update:".count)
        guard let colon = rest.firstIndex(of: ":") else { return (workID, false) }
        return (String(rest[rest.index(after: colon)...]), true)
    }
}

extension NotificationsService.Present {
    /// Reads a notification, with the file's texts for its translation keys.
    func push(of envelope: NotificationEnvelope) -> ReceivedPush {
        var push = envelope.push(host.uses.pushServers)
        push.localize { settings.strings[$0] }
        // Firebase sends the app's name for a missing collapse key.
        if push.collapseKey == host.app?.id.text { push.collapseKey = nil }
        return push
    }

    var adding: NotificationAdding {
        NotificationAdding(repository: repository, digest: digest) { [host] in $0.push(host.uses.pushServers) }
    }
}
