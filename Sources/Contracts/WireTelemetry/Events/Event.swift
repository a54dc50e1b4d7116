import WireBase
package import WireConfig
package import WireHTTP

/// Something that happened, for whoever watches: apps, the console, the command line.
package struct Event: Sendable {
    /// Grows by one with each event of this run of the program.
    package let id: UInt64
    /// When, in milliseconds since 1970.
    package let time: Int64
    /// What kind: `service.ready`, `generation.applied`, `outbox.sent`.
    package let name: String
    /// The generation it belongs to; 0 where it belongs to none.
    package let generation: Int
    package let data: JSONValue
    /// The event as a stream of server-sent events has it, written once however many watch.
    private let frame: [UInt8]
    /// The same without what is not for everybody.
    private let confined: (mode: String, rest: [UInt8])?

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
        func frame(_ data: JSONValue) -> [UInt8] {
            let body = JSONValue.members([
                "time": .string("\(Timestamp(milliseconds: time))"),
                "generation": generation == 0 ? nil : .integer(generation),
                "data": data,
            ])
            // A line break in a name would begin a line of its own.
            return ServerSentEvent(id: "\(id)", event: name.shown(upTo: 128), data: body.text()).bytes
        }
        self.frame = frame(data)
        self.confined = confined.map { confined in
            let rest = (data.members ?? []).filter { !confined.names.contains($0.key) }
            return (confined.mode, frame(.object(rest)))
        }
    }

    /// The event as it is written for a caller.
    package func frame(for rights: TokenRights) -> [UInt8] {
        guard let confined, !rights.allowSession(of: confined.mode) else { return frame }
        return confined.rest
    }
}

/// Members of an event's data for those callers alone who may have to do with a session.
package struct ConfinedMembers: Sendable {
    let names: Set<String>
    let mode: String

    /// Whose session it is, by the name of its mode.
    package init(_ names: Set<String>, toSessionOf mode: String) {
        (self.names, self.mode) = (names, mode)
    }
}

/// Events that a watcher will not see: they are gone, or were never this program's to keep.
package struct EventGap: Sendable, Equatable {
    /// The last event the watcher knows of.
    package let after: UInt64
    /// The event it goes on with; not above `after` where the numbering began anew.
    package let before: UInt64

    /// The gap as a stream of server-sent events has it; its id is the last that is missing, so that a watcher which
    /// resumes there goes on where this one would.
    package var frame: [UInt8] {
        let body = JSONValue.members([
            "after": .integer(Int(clamping: after)), "before": .integer(Int(clamping: before)),
        ])
        return ServerSentEvent(id: "\(before - 1)", event: "gap", data: body.text()).bytes
    }
}

/// What a watcher is told.
package enum WatchedEvent: Sendable {
    case event(Event)
    /// Some are missing here.
    case gap(EventGap)

    package func frame(for rights: TokenRights) -> [UInt8] {
        switch self {
        case .event(let event): event.frame(for: rights)
        case .gap(let gap): gap.frame
        }
    }
}

/// Where services tell what happened.
package protocol EventOutlet: Sendable {
    func emit(_ name: String, generation: Int, _ data: JSONValue, confined: ConfinedMembers?)
    /// Whether an event of this name is for anybody; those that only watchers are told of need not be made where nobody is.
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
        emit(event.rawValue, generation: generation, payload.told ?? .null, confined: confined)
    }
}
