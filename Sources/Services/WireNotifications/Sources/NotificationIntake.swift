import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireStore

/// A received notification that is not stored yet.
struct IncomingNotification: Sendable {
    let way: String
    let content: NotificationEnvelope.Content
    /// The transport's id for it, used where it has no other.
    var carrier: String?
    /// The registrar whose subscription it came by; nil for other transports.
    var registrar: String?
    var expires: Int64?
    var media: String?
    /// How long the transport may repeat it.
    var repeats: Duration?
    /// Its turn among those that arrived together.
    var turn: ArrivalTurn?

    init(_ content: NotificationEnvelope.Content, way: String) { (self.content, self.way) = (content, way) }
}

/// Accepts notifications: each is stored before it counts as accepted, and repetitions are skipped.
final class NotificationIntake: Sendable {
    struct Accepted: Sendable {
        let id: String
        let added: AddedNotification

        var isNew: Bool { added != .known }
    }

    private let last = Mutex<Int64>(0)

    /// Stores a notification; returns when it is on the disk.
    func accept(_ arrival: IncomingNotification, for service: NotificationsService) async throws(NotificationFailure)
        -> Accepted
    {
        let present = service.present
        do throws(NotificationFailure) {
            try check(arrival, present)
            let taken = try await write(arrival, service, present)
            if !taken.isNew { service.telemetry.duplicate() }
            return taken
        } catch {
            service.telemetry.refused()
            throw error
        }
    }

    private func write(
        _ arrival: IncomingNotification,
        _ service: NotificationsService,
        _ present: NotificationsService.Present
    ) async throws(NotificationFailure) -> Accepted {
        guard !service.isEnded else { throw NotificationFailure(.ending, "the service is stopping") }
        var envelope = NotificationEnvelope(
            id: "",
            received: stamp(present.host),
            way: arrival.way,
            content: arrival.content
        )
        envelope.registrar = arrival.registrar
        let push = present.push(of: envelope)
        let carrier = arrival.carrier.map { "\(arrival.way):\($0)" }
        if push.id == nil, carrier == nil {
            envelope.id = NotificationID.fresh(at: envelope.received)
        } else {
            envelope.id = NotificationID(of: push, carrier: carrier, present.digest).text
        }
        envelope.expires = arrival.expires ?? push.expires
        (envelope.media, envelope.repeats) = (arrival.media, arrival.repeats)
        envelope.handlers = service.handlerList.names
        var room = QueueQuota()
        room.entries = present.settings.maxWaiting
        let added: AddedNotification
        do throws(StoreFailure) {
            let id = envelope.id
            added = try await present.adding.add(&envelope, as: id, within: room, in: arrival.turn)
            service.telemetry.noteGood()
            guard added != .known else { return Accepted(id: envelope.id, added: added) }
        } catch {
            throw refusal(error, service, present)
        }
        service.telemetry.received(envelope, push)
        service.engine.wake()
        return Accepted(id: envelope.id, added: added)
    }

    private func refusal(
        _ failure: StoreFailure,
        _ service: NotificationsService,
        _ present: NotificationsService.Present
    ) -> NotificationFailure {
        guard failure.limit != nil else {
            service.telemetry.record(failure)
            return NotificationFailure(failure)
        }
        let origin = present.host.places.origin(of: present.settings.$maxWaiting, "notifications.maxWaiting")
        return NotificationFailure(
            .full,
            "the queue of notifications is full: \(present.settings.maxWaiting)",
            help: "wait until some are handled, or raise 'notifications.maxWaiting'",
            origin: failure.limit == .entries ? origin : nil
        )
    }

    /// A strictly increasing time, so that notifications of the same moment keep their order.
    func stamp(_ host: NotificationsHost) -> Int64 {
        let now = host.clock.wall()
        return last.withLock { last in
            // After the clock was set back, later ones do not keep the old time for long.
            last = now > last || last - now > 60_000 ? now : last + 1
            return last
        }
    }

    // MARK: Limits

    /// The maximum depth of a payload.
    static let depth = 32

    private func check(_ arrival: IncomingNotification, _ present: NotificationsService.Present)
        throws(NotificationFailure)
    {
        let payload =
            switch arrival.content {
            case .push(let payload): payload
            case .local(let json): json
            }
        guard payload.members != nil else {
            throw NotificationFailure(.invalid, "found \(payload.kindInWords), expected an object")
        }
        guard payload.depth(upTo: Self.depth) <= Self.depth else {
            throw NotificationFailure(.invalid, "the notification has more than \(Self.depth) levels")
        }
        let size = payload.bytes().count
        guard size <= present.settings.maxPayload.bytes else {
            throw NotificationFailure(
                .tooLarge,
                "the notification has \(size) bytes: at most \(present.settings.maxPayload) are allowed",
                help: "raise 'notifications.maxPayload' to allow it",
                origin: present.host.places.origin(of: present.settings.$maxPayload, "notifications.maxPayload")
            )
        }
    }
}

extension NewWork {
    /// Each in a lane of its own, so that they do not wait for each other.
    ///
    /// Whether it is silent is asked only where the kind depends on it.
    init(
        _ envelope: NotificationEnvelope,
        as id: String? = nil,
        isSilent: @autoclosure () -> Bool = false
    ) {
        let id = id ?? envelope.id
        self.init(id: id, lane: id, payload: envelope.bytes, isSealed: true)
        kind = NotificationKind.of(envelope, isSilent: isSilent)
        // For lists, which read no payloads.
        metadata = Array("\(envelope.received)".utf8)
    }

    /// The time of arrival in the metadata; nil where an earlier version stored none.
    static func received(_ metadata: [UInt8]?) -> Int64? {
        metadata.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }
}

extension JSONValue {
    /// The number of levels, counted up to one more than the limit.
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
