import WireBase
package import WireConfig
import WireHTTP

/// Something that happened, for whoever watches: apps, the console, the command line.
package struct Event: Sendable {
    /// Grows by one with each event of this run of the program.
    package let id: UInt64
    /// When, in milliseconds since 1970.
    package let time: Int64
    /// What kind: `service.ready`, `generation.started`, `state.changed`.
    package let name: String
    /// The generation it belongs to; 0 where it belongs to none.
    package let generation: Int
    package let data: JSONValue
    /// The event as a stream of server-sent events has it, written once however many watch.
    package let frame: [UInt8]

    package init(id: UInt64, time: Int64, name: String, generation: Int, data: JSONValue) {
        self.id = id
        self.time = time
        self.name = name
        self.generation = generation
        self.data = data
        let body = JSONValue.members([
            "time": .string("\(Timestamp(milliseconds: time))"),
            "generation": generation == 0 ? nil : .integer(generation),
            "data": data,
        ])
        // A line break in a name would begin a line of its own.
        frame = ServerSentEvent(id: "\(id)", event: name.shown(upTo: 128), data: body.text()).bytes
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

    package var frame: [UInt8] {
        switch self {
        case .event(let event): event.frame
        case .gap(let gap): gap.frame
        }
    }
}

/// Where services tell what happened.
package protocol EventOutlet: Sendable {
    func emit(_ name: String, generation: Int, _ data: JSONValue)
    /// Whether an event of this name is for anybody; those that only watchers are told of need not be made where nobody is.
    func isWanted(_ name: String) -> Bool
}
