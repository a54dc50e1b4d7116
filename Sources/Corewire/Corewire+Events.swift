public import FoundationEssentials
import WireConfig
import WireTelemetry

extension Corewire {
    /// Something that happened.
    public struct Event: Sendable {
        /// Grows with each event; nil where events are missing.
        public let id: UInt64?
        /// What kind: `service.ready`, `generation.applied`; `gap` where events are missing, because nobody took them in time.
        public let name: String
        /// When; nil where events are missing.
        public let time: Date?
        /// The generation it belongs to; 0 where it belongs to none.
        public let generation: Int
        /// What there is to say about it, as JSON; never a secret.
        public let json: String

        /// The name of the event that stands for those that are missing.
        public static let gap = "gap"
    }

    /// What happens, as long as it runs.
    public struct Events: AsyncSequence, Sendable {
        private let stream: EventStream

        init(_ stream: EventStream) {
            self.stream = stream
        }

        /// Begins where the sequence was asked for.
        public func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

        /// One watcher's place in what happens.
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

/// A place is one watcher's: another task begins its own.
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
