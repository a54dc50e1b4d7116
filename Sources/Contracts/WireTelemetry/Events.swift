package import WireConfig

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

    package init(id: UInt64, time: Int64, name: String, generation: Int, data: JSONValue) {
        self.id = id
        self.time = time
        self.name = name
        self.generation = generation
        self.data = data
    }
}

/// Where services tell what happened.
package protocol EventOutlet: Sendable {
    func emit(_ name: String, generation: Int, _ data: JSONValue)
}
