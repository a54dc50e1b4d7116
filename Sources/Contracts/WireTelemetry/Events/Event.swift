import Synchronization
import WireBase
package import WireConfig
package import WireHTTP

/// An event of the runner, for subscribers: apps, the console, the command line.
package struct Event: Sendable {
    /// The id; increases by one with each event of this process.
    package let id: UInt64
    /// The time in milliseconds since 1970.
    package let time: Int64
    /// The name: `service.ready`, `generation.applied`, `outbox.sent`.
    package let name: String
    /// The generation of the event; 0 where there is none.
    package let generation: Int
    package let data: JSONValue
    private let confined: ConfinedMembers?
    private let frames = Frames()

    package init(
        id: UInt64,
        time: Int64,
        name: String,
        generation: Int,
        data: JSONValue,
        confined: ConfinedMembers? = nil
    ) {
        self.id = id
        self.time = time
        self.name = name
        self.generation = generation
        self.data = data
        self.confined = confined
    }

    /// The encoded event for a caller.
    package func frame(for rights: TokenRights) -> [UInt8] {
        guard let confined, !rights.allowSession(of: confined.mode) else { return frames.all { frame(data) } }
        return frames.unconfined {
            frame(.object((data.members ?? []).filter { !confined.names.contains($0.key) }))
        }
    }

    private func frame(_ data: JSONValue) -> [UInt8] {
        let body = JSONValue.members([
            "time": .string("\(Timestamp(milliseconds: time))"),
            "generation": generation == 0 ? nil : .integer(generation),
            "data": data,
        ])
        // A line break in a name would begin a new field.
        return ServerSentEvent(id: "\(id)", event: name.shown(upTo: 128), data: body.text()).bytes
    }

    /// The encoded server-sent events, made for the first subscriber and used by all others.
    private final class Frames: Sendable {
        private let made = Mutex<(all: [UInt8]?, unconfined: [UInt8]?)>((nil, nil))

        func all(_ make: () -> [UInt8]) -> [UInt8] {
            made.withLock { made in
                let frame = made.all ?? make()
                made.all = frame
                return frame
            }
        }

        /// Those without confined members.
        func unconfined(_ make: () -> [UInt8]) -> [UInt8] {
            made.withLock { made in
                let frame = made.unconfined ?? make()
                made.unconfined = frame
                return frame
            }
        }
    }
}

/// Members of the event data that only callers with access to a session may see.
package struct ConfinedMembers: Sendable {
    let names: Set<String>
    let mode: String

    /// Confines members to callers with access to the session of a mode.
    package init(_ names: Set<String>, toSessionOf mode: String) {
        (self.names, self.mode) = (names, mode)
    }
}

/// Events that a subscriber has missed and that are no longer stored.
package struct EventGap: Sendable, Equatable {
    /// The last event known to the subscriber.
    package let after: UInt64
    /// The next event; not above `after` where the numbering has restarted.
    package let before: UInt64

    /// The encoded gap; its id is that of the last missing event, so that a subscriber resuming there continues
    /// correctly.
    package var frame: [UInt8] {
        let body = JSONValue.members([
            "after": .integer(Int(clamping: after)), "before": .integer(Int(clamping: before)),
        ])
        return ServerSentEvent(id: "\(before - 1)", event: "gap", data: body.text()).bytes
    }
}

/// An element of an event stream.
package enum WatchedEvent: Sendable {
    case event(Event)
    /// Events are missing here.
    case gap(EventGap)

    package func frame(for rights: TokenRights) -> [UInt8] {
        switch self {
        case .event(let event): event.frame(for: rights)
        case .gap(let gap): gap.frame
        }
    }
}

/// Receives the events of services.
package protocol EventOutlet: Sendable {
    func emit(_ name: String, generation: Int, _ data: JSONValue, confined: ConfinedMembers?)
    /// Whether any subscriber may receive an event of this name; otherwise it need not be created.
    func isWanted(_ name: String) -> Bool
}

extension EventOutlet {
    package func emit(_ name: String, generation: Int, _ data: JSONValue) {
        emit(name, generation: generation, data, confined: nil)
    }

    package func emit<Event: APIEvent>(
        _ event: Event,
        _ payload: Event.Payload,
        generation: Int,
        confined: ConfinedMembers? = nil
    ) {
        emit(event.rawValue, generation: generation, payload.jsonValue ?? .null, confined: confined)
    }
}
