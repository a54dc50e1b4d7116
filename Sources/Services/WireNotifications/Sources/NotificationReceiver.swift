import WireBase
import WireConfig
import WireHTTP
package import WireNotificationContract
import WireService
package import WireStore

/// Stores a push for an app whose runner may not be running.
///
/// The push cannot be identified without the runner's services, so it is stored under the transport's id. The runner
/// finds its own id, and so recognizes a repetition from another source.
package struct NotificationReceiver: Sendable {
    private let settings: NotificationsSection
    let repository: NotificationRepository
    let digest: @Sendable (String) -> String

    package init(
        _ settings: NotificationsSection,
        work: any WorkQueue,
        values: any KeyValueStore,
        device: any KeyValueStore,
        app: String,
        environment: String,
        digest: @escaping @Sendable (String) -> String
    ) {
        (self.settings, self.digest) = (settings, digest)
        repository = NotificationRepository(
            work: work,
            values: values,
            device: device,
            app: app,
            environment: environment,
            digest: digest
        )
    }

    /// The identity of a push without an id.
    package enum Naming: Sendable {
        /// Each push is separate, with a new id.
        case fresh
        /// The same bytes are the same push.
        case content
    }

    /// The stored push.
    package struct Accepted: Sendable {
        package let id: String
        /// False for a repetition with the same content.
        package let isNew: Bool
        /// Whether it updates an earlier one with other content.
        package let isUpdate: Bool
        /// The content, as far as it can be read without the runner.
        package let push: ReceivedPush
    }

    /// Stores a push; returns when it is on the disk.
    ///
    /// Its identity is the sender's id, else the transport's id, else according to `naming`.
    package func receive(_ bytes: [UInt8], carrier: String?, naming: Naming, at now: Int64)
        async throws(NotificationFailure) -> Accepted
    {
        guard bytes.count <= settings.maxPayload.bytes else {
            throw NotificationFailure(
                .tooLarge,
                "the push has more than \(settings.maxPayload)",
                help: "raise 'notifications.maxPayload' to allow it"
            )
        }
        let payload: JSONValue
        do throws(Unreadable) {
            payload = try JSONValue(parsing: bytes, named: "push", limits: .notification)
        } catch {
            throw NotificationFailure(.invalid, error.problem.message)
        }
        guard payload.members != nil, payload.depth(upTo: NotificationIntake.depth) <= NotificationIntake.depth else {
            throw NotificationFailure(
                .invalid,
                "invalid push: expected a JSON object of at most \(NotificationIntake.depth) levels"
            )
        }
        let plain = PlainPush(payload)
        var envelope = NotificationEnvelope(id: "", received: now, way: "receive", content: .push(payload))
        envelope.expires = plain.push.expires
        envelope.carrier = self.carrier(of: payload, plain, bytes, given: carrier, naming, at: now)
        let sender = plain.push.id.map { "\(plain.sender?.rawValue ?? ""):\($0)" }
        // Never the final id: the runner adds the notification under that and then finds it.
        let id = NotificationID("raw:\(sender ?? envelope.carrier ?? "")", digest).text
        var room = QueueQuota()
        room.entries = settings.maxWaiting
        let adding = NotificationAdding(repository: repository, digest: digest) { $0.push(nil) }
        do throws(StoreFailure) {
            let added = try await adding.add(&envelope, as: id, within: room)
            let workID = envelope.update.map { NotificationAdding.workID(id, update: $0) } ?? id
            return Accepted(id: workID, isNew: added != .known, isUpdate: added == .update, push: plain.push)
        } catch {
            guard error.limit == nil else {
                throw NotificationFailure(.full, "the queue of notifications is full: \(settings.maxWaiting)")
            }
            throw NotificationFailure(error)
        }
    }
    /// The id where the sender gives none.
    private func carrier(
        of payload: JSONValue,
        _ plain: PlainPush,
        _ bytes: [UInt8],
        given: String?,
        _ naming: Naming,
        at now: Int64
    ) -> String {
        if let given { return "receive:\(given)" }
        // Corewire's own form; an id within 'data' or 'aps' may belong to something else.
        let isOwn = plain.sender == nil && payload["aps"] == nil && payload["notification"] == nil
        if isOwn, payload["data"]?.string == nil, let id = payload["id"], !id.plainText.isEmpty, id.isScalar {
            return "receive:\(id.plainText)"
        }
        switch naming {
        case .fresh: return NotificationID.fresh(at: now)
        case .content: return "receive:\(digest(String(decoding: bytes, as: UTF8.self)))"
        }
    }
}

extension JSONValue {
    fileprivate var isScalar: Bool { string != nil || integer != nil }
}
