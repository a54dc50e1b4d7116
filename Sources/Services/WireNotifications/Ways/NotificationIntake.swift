import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireStore

/// A notification that has come, before it is written down.
struct Arrival: Sendable {
    let way: String
    let content: NotificationEnvelope.Content
    /// What whoever carried it calls it, where that has no other name.
    var carrier: String?
    var expires: Int64?
    var media: String?

    init(_ content: NotificationEnvelope.Content, way: String) { (self.content, self.way) = (content, way) }
}

/// Takes notifications: each is on the disk when it is taken, and the same one again is not.
final class NotificationIntake: Sendable {
    struct Taken: Sendable {
        let id: String
        let added: AddedNotification

        var isNew: Bool { added != .known }
    }

    private let last = Mutex<Int64>(0)

    /// Returns when it is on the disk.
    func take(_ arrival: Arrival, for service: NotificationsService) async throws(NotificationFailure) -> Taken {
        let present = service.present
        do throws(NotificationFailure) {
            try check(arrival, present)
            let taken = try await write(arrival, service, present)
            if !taken.isNew { service.ledger.duplicate() }
            return taken
        } catch {
            service.ledger.refused()
            throw error
        }
    }

    private func write(
        _ arrival: Arrival,
        _ service: NotificationsService,
        _ present: NotificationsService.Present
    ) async throws(NotificationFailure) -> Taken {
        guard !service.isEnded else { throw NotificationFailure(.ending, "the service ends") }
        var envelope = NotificationEnvelope(
            id: "",
            received: stamp(present.host),
            way: arrival.way,
            content: arrival.content
        )
        let push = present.push(of: envelope)
        let carrier = arrival.carrier.map { "\(arrival.way):\($0)" }
        if push.id == nil, carrier == nil {
            envelope.id = NotificationID.fresh(at: envelope.received)
        } else {
            envelope.id = NotificationID(of: push, carrier: carrier, present.digest).text
        }
        (envelope.expires, envelope.media) = (arrival.expires, arrival.media)
        envelope.handlers = service.roll.names
        var room = WorkRoom()
        room.entries = present.settings.maxWaiting
        let added: AddedNotification
        do throws(StoreFailure) {
            let id = envelope.id
            added = try await present.adding.add(&envelope, as: id, within: room)
            service.ledger.noteGood()
            guard added != .known else { return Taken(id: envelope.id, added: added) }
        } catch {
            throw refusal(error, service, present)
        }
        service.ledger.received(envelope, push)
        service.engine.wake()
        return Taken(id: envelope.id, added: added)
    }

    private func refusal(
        _ failure: StoreFailure,
        _ service: NotificationsService,
        _ present: NotificationsService.Present
    ) -> NotificationFailure {
        guard failure.limit != nil else {
            service.ledger.note(failure)
            return NotificationFailure(failure)
        }
        let origin = present.host.places.origin(of: present.settings.$maxWaiting, "notifications.maxWaiting")
        return NotificationFailure(
            .full,
            "as many notifications wait as may, \(present.settings.maxWaiting)",
            help: "they are handled in time; 'notifications.maxWaiting' says how many may wait",
            origin: failure.limit == .entries ? origin : nil
        )
    }

    /// Grows with each one, so that those of the same moment keep their order.
    func stamp(_ host: NotificationsHost) -> Int64 {
        let now = host.clock.wall()
        return last.withLock { last in
            // A clock that was set back does not hold all that follow to a time long over.
            last = now > last || last - now > 60_000 ? now : last + 1
            return last
        }
    }

    // MARK: Limits

    /// How deep a payload may be.
    static let depth = 32

    private func check(_ arrival: Arrival, _ present: NotificationsService.Present) throws(NotificationFailure) {
        let payload =
            switch arrival.content {
            case .push(let payload): payload
            case .local(let wish): wish
            }
        guard payload.members != nil else {
            throw NotificationFailure(.invalid, "found \(payload.kindInWords), expected an object")
        }
        guard payload.depth(upTo: Self.depth) <= Self.depth else {
            throw NotificationFailure(.invalid, "the notification is deeper than \(Self.depth) levels")
        }
        let size = payload.bytes().count
        guard size <= present.settings.maxPayload.bytes else {
            throw NotificationFailure(
                .tooLarge,
                "the notification has \(size) bytes, \(present.settings.maxPayload) are taken",
                help: "'notifications.maxPayload' says how many",
                origin: present.host.places.origin(of: present.settings.$maxPayload, "notifications.maxPayload")
            )
        }
    }
}

extension NewWork {
    /// Each in a lane of its own: they do not wait for each other.
    init(_ envelope: NotificationEnvelope, as id: String? = nil) {
        let id = id ?? envelope.id
        self.init(id: id, lane: id, payload: envelope.bytes, isSealed: true)
        kind = envelope.tap == nil ? "notification" : "tap"
    }
}

extension JSONValue {
    /// How many levels it has; one more than the limit is as good as any number above it.
    func depth(upTo limit: Int) -> Int {
        guard limit >= 0 else { return 1 }
        switch self {
        case .array(let items): return 1 + (items.map { $0.depth(upTo: limit - 1) }.max() ?? 0)
        case .object(let members): return 1 + (members.map { $0.value.depth(upTo: limit - 1) }.max() ?? 0)
        default: return 0
        }
    }

    fileprivate var kindInWords: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer, .number, .decimal: "a number"
        case .string: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
