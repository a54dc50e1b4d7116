import Synchronization
import WireConfig
package import WireService

/// The registry of notification handlers in the embedding program, by name; outlives generations.
package final class EmbedderNotificationHandlers: Sendable {
    private struct State {
        var handlers: [(ticket: Int, handler: EmbedderNotificationHandler)] = []
        var last = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// All handlers, in order of registration.
    package var all: [EmbedderNotificationHandler] { state.withLock { $0.handlers.map(\.handler) } }

    package subscript(name: String) -> EmbedderNotificationHandler? {
        state.withLock { state in state.handlers.first { $0.handler.name == name }?.handler }
    }

    /// Registers a handler and replaces one with the same name; the returned ticket removes it.
    package func bring(_ handler: EmbedderNotificationHandler) -> Int {
        state.withLock { state in
            state.last += 1
            if let index = state.handlers.firstIndex(where: { $0.handler.name == handler.name }) {
                state.handlers[index] = (state.last, handler)
            } else {
                state.handlers.append((state.last, handler))
            }
            return state.last
        }
    }

    /// Removes a handler, unless it was replaced after the ticket was issued.
    package func remove(_ ticket: Int) {
        state.withLock { state in state.handlers.removeAll { $0.ticket == ticket } }
    }
}

/// A notification handler in the embedding program.
package struct EmbedderNotificationHandler: Sendable {
    /// The kind of work with its code.
    package enum Work: Sendable {
        /// Handles silent notifications; returns whether there was new data, and throws on failure.
        case remote(@Sendable (HandedNotification) async throws -> Bool)
        /// Handles visible notifications before they are shown; returns the presentation in the words of the file.
        case presentable(@Sendable (HandedNotification) async throws -> [String])
        /// Handles taps on notifications and their buttons.
        case tap(@Sendable (HandedNotification) async throws -> Void)
    }

    package let name: String
    package let work: Work
    package let timeout: Duration

    package init(_ name: String, timeout: Duration, _ work: Work) {
        (self.name, self.timeout, self.work) = (name, timeout, work)
    }
}

/// A notification as passed to handlers.
package struct HandedNotification: Sendable {
    package let id: String
    /// The time of receipt in milliseconds since 1970.
    package let received: Int64
    /// The number of earlier attempts of this handler.
    package let attempts: Int
    package let push: ReceivedPush
    /// The tapped button; nil for the notification itself, and before any tap.
    package let button: String?

    package init(id: String, received: Int64, attempts: Int, push: ReceivedPush, button: String?) {
        (self.id, self.received, self.attempts, self.push, self.button) = (id, received, attempts, push, button)
    }
}

extension Ability where Value == EmbedderNotificationHandlers {
    package static var embedderHandlers: Ability<EmbedderNotificationHandlers> {
        Ability(Provision(.runner, "brought handlers"))
    }
}
