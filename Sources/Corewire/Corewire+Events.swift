public import FoundationEssentials
import WireConfig
import WireTelemetry

extension Corewire {
    /// An event of the runner.
    public struct Event: Sendable {
        /// The id; increases with each event, and is nil for a gap.
        public let id: UInt64?
        /// The name: `service.ready`, `generation.applied`; `gap` for missing events, which were not read in time.
        public let name: String
        /// The time; nil for a gap.
        public let time: Date?
        /// The generation of the event; 0 where there is none.
        public let generation: Int
        /// The payload as JSON; never contains a secret.
        public let json: String

        /// The name of the event that stands for missing events.
        public static let gap = "gap"
    }

    /// The stream of events while the services run.
    public struct Events: AsyncSequence, Sendable {
        private let stream: EventStream

        init(_ stream: EventStream) {
            self.stream = stream
        }

        /// Begins at the event where the sequence was created.
        public func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

        /// The position of one subscriber in the stream.
        public struct Iterator: AsyncIteratorProtocol {
            private var iterator: EventStream.Iterator

            fileprivate init(_ iterator: EventStream.Iterator) {
                self.iterator = iterator
            }

            /// The next event; nil after the end, and for a cancelled task.
            public mutating func next() async -> Event? {
                await iterator.next().map(Event.init)
            }
        }
    }
}

/// An iterator belongs to one subscriber: another task creates its own.
@available(*, unavailable)
extension Corewire.Events.Iterator: Sendable {}

extension Corewire.Event {
    fileprivate init(_ watched: WatchedEvent) {
        switch watched {
        case .event(let event):
            id = event.id
            name = event.name
            time = Date(milliseconds: event.time)
            generation = event.generation
            json = event.data.text()
        case .gap:
            id = nil
            name = Self.gap
            time = nil
            generation = 0
            json = "{}"
        }
    }
}
