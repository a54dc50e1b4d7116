import WireBase
import WireConfig
package import WireService
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

    /// What was taken.
    package struct Taken: Sendable {
        package let id: String
        package let isNew: Bool
        /// What it says, as far as it can be told from it alone.
        package let push: ReceivedPush
    }

    /// Returns when it is on the disk.
    ///
    /// Without a name of whoever carried it the same bytes are the same push.
    package func take(_ bytes: [UInt8], carrier: String?, at now: Int64) async throws(NotificationRefusal) -> Taken {
        guard bytes.count <= settings.maxPayload.bytes else {
            throw NotificationRefusal(
                .tooLarge,
                "the push has more than the \(settings.maxPayload) that are taken",
                help: "'notifications.maxPayload' says how many"
            )
        }
        let payload: JSONValue
        do throws(Unreadable) {
            payload = try JSONValue(parsing: bytes, named: "push", limits: .notification)
        } catch {
            throw NotificationRefusal(.invalid, error.problem.message)
        }
        guard payload.members != nil, payload.depth(upTo: NotificationIntake.depth) <= NotificationIntake.depth else {
            throw NotificationRefusal(
                .invalid,
                "a push is an object of JSON, at most \(NotificationIntake.depth) levels deep"
            )
        }
        let push = PlainPush(payload).push
        var envelope = NotificationEnvelope(id: "", received: now, way: "receive", content: .push(payload))
        envelope.carrier = "receive:\(carrier ?? digest(String(decoding: bytes, as: UTF8.self)))"
        // Never the name it is going to have: under that it is added by whoever finds it.
        let id = NotificationID("raw:\(envelope.carrier ?? "")", digest).text
        var room = WorkRoom()
        room.entries = settings.maxWaiting
        do throws(StoreFailure) {
            let added = try await shelf.work.add(NewWork(envelope, as: id), to: shelf.queue, within: room)
            return Taken(id: id, isNew: added.isNew, push: push)
        } catch {
            guard error.limit == nil else {
                throw NotificationRefusal(.full, "as many notifications wait as may, \(settings.maxWaiting)")
            }
            throw NotificationRefusal(.notWritten, error.reason, help: error.help)
        }
    }
}
