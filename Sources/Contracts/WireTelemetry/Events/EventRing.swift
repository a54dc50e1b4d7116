/// The latest events up to a capacity, by number.
struct EventRing {
    private let capacity: Int
    private var events: [Event] = []
    /// The number before that of the first event.
    private let origin: UInt64
    /// The number of the next event.
    private(set) var next: UInt64

    init(capacity: Int, first: UInt64) {
        precondition(capacity > 0 && first > 0, "a ring needs a capacity of 1 or more, and numbers begin at 1")
        self.capacity = capacity
        origin = first - 1
        next = first
    }

    /// The number of the oldest stored event; that of the next event where none is stored.
    var oldest: UInt64 { next - UInt64(events.count) }

    mutating func append(_ make: (UInt64) -> Event) {
        let event = make(next)
        if events.count < capacity { events.append(event) } else { events[position(of: next)] = event }
        next += 1
    }

    private func position(of id: UInt64) -> Int { Int((id - origin - 1) % UInt64(capacity)) }

    /// The events after an event: a gap where the next one is dropped, then matching events up to a limit.
    ///
    /// The result is empty only where there is no later event; `reached` is the last event examined.
    func following(_ id: UInt64, named prefix: String, upTo limit: Int) -> (events: [WatchedEvent], reached: UInt64) {
        var found: [WatchedEvent] = []
        var reached = id
        if id >= next || id + 1 < oldest {
            found.append(.gap(EventGap(after: id, before: oldest)))
            reached = oldest - 1
        }
        while found.count < limit, reached + 1 < next {
            reached += 1
            let event = events[position(of: reached)]
            if event.name.hasPrefix(prefix) { found.append(.event(event)) }
        }
        return (found, reached)
    }
}
