import WireBase
import WireConfig
import WireHTTP
package import WireNotificationContract
import WireService
package import WireStore

/// Takes a push for the runner of an app while none may be up: on the disk, and nothing more.
///
/// Whose it is cannot be told without the runner's services, so it is kept as it came, under what carried it. The runner
/// finds its name, and so knows it where it has come by another way as well.
package struct NotificationReception: Sendable {
    private let settings: NotificationsSection
    let shelf: NotificationShelf
    let digest: @Sendable (String) -> String

    package init(
        _ settings: NotificationsSection,
        work: any WorkQueue,
        values: any KeyValueStore,
        app: String,
        environment: String,
        digest: @escaping @Sendable (String) -> String
    ) {
        (self.settings, self.digest) = (settings, digest)
        shelf = NotificationShelf(work: work, values: values, app: app, environment: environment, digest: digest)
    }

    /// How a push is known that neither its sender nor what carried it has named.
    package enum Naming: Sendable {
        /// Each is a push of its own, by a name that no other has.
        case fresh
        /// The same bytes are the same push.
        case content
    }

    /// What was taken.
    package struct Taken: Sendable {
        package let id: String
        /// False where it was taken before, with the same content.
        package let isNew: Bool
        /// Whether it was taken before, with other content.
        package let isUpdate: Bool
        /// What it says, as far as it can be told from it alone.
        package let push: ReceivedPush
    }

    /// Returns when it is on the disk.
    ///
    /// It is known by what its sender calls it, else by what carried it calls it, else as `naming` says.
    package func take(_ bytes: [UInt8], carrier: String?, naming: Naming, at now: Int64)
        async throws(NotificationFailure) -> Taken
    {
        guard bytes.count <= settings.maxPayload.bytes else {
            throw NotificationFailure(
                .tooLarge,
                "the push has more than the \(settings.maxPayload) that are taken",
                help: "'notifications.maxPayload' says how many"
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
                "a push is an object of JSON, at most \(NotificationIntake.depth) levels deep"
            )
        }
        let plain = PlainPush(payload)
        var envelope = NotificationEnvelope(id: "", received: now, way: "receive", content: .push(payload))
        envelope.carrier = self.carrier(of: payload, plain, bytes, given: carrier, naming, at: now)
        let sender = plain.push.id.map { "\(plain.sender?.rawValue ?? ""):\($0)" }
        // Never the name it is going to have: under that it is added by the runner, which finds it.
        let id = NotificationID("raw:\(sender ?? envelope.carrier ?? "")", digest).text
        var room = WorkRoom()
        room.entries = settings.maxWaiting
        let adding = NotificationAdding(shelf: shelf, digest: digest) { $0.push(nil) }
        do throws(StoreFailure) {
            let added = try await adding.add(&envelope, as: id, within: room)
            let workID = envelope.update.map { NotificationAdding.workID(id, update: $0) } ?? id
            return Taken(id: workID, isNew: added != .known, isUpdate: added == .update, push: plain.push)
        } catch {
            guard error.limit == nil else {
                throw NotificationFailure(.full, "as many notifications wait as may, \(settings.maxWaiting)")
            }
            throw NotificationFailure(error)
        }
    }
    /// What is its name where its sender gives it none.
    private func carrier(
        of payload: JSONValue,
        _ plain: PlainPush,
        _ bytes: [UInt8],
        given: String?,
        _ naming: Naming,
        at now: Int64
    ) -> String {
        if let given { return "receive:\(given)" }
        // The form of corewire itself; what is within 'data' or 'aps' may be the id of anything.
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
