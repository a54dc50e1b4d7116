import Synchronization
import WireConfig
package import WireService

/// What the program around the runner does with notifications itself, by the names it gives; outlives generations.
package final class BroughtHandlers: Sendable {
    private struct State {
        var handlers: [(ticket: Int, handler: BroughtHandler)] = []
        var last = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// All of them, in the order in which they were brought.
    package var all: [BroughtHandler] { state.withLock { $0.handlers.map(\.handler) } }

    package subscript(name: String) -> BroughtHandler? {
        state.withLock { state in state.handlers.first { $0.handler.name == name }?.handler }
    }

    /// Takes the place of what was brought by the same name; the answer takes it away again.
    package func bring(_ handler: BroughtHandler) -> Int {
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

    /// Takes away what was brought, where nothing else has taken its place.
    package func take(_ ticket: Int) {
        state.withLock { state in state.handlers.removeAll { $0.ticket == ticket } }
    }
}

/// A handler that is code of the program around the runner.
package struct BroughtHandler: Sendable {
    /// What it hears of.
    package enum Work: Sendable {
        /// Notifications for the program alone; whether there was something new, or a failure where it throws.
        case remote(@Sendable (HandedNotification) async throws -> Bool)
        /// Notifications for people, before they are shown; how they are, by the words of the file.
        case presentable(@Sendable (HandedNotification) async throws -> [String])
        /// Taps on notifications and on their buttons.
        case tap(@Sendable (HandedNotification) async throws -> Void)
    }

    package let name: String
    package let work: Work
    package let timeout: Duration

    package init(_ name: String, timeout: Duration, _ work: Work) {
        (self.name, self.timeout, self.work) = (name, timeout, work)
    }
}

/// A notification as handlers get it.
package struct HandedNotification: Sendable {
    package let id: String
    /// When it was received, in milliseconds since 1970.
    package let received: Int64
    /// How often this handler was tried before.
    package let attempts: Int
    package let push: ReceivedPush
    /// The button that was pressed; nil for a tap on the notification itself, and before any.
    package let button: String?

    package init(id: String, received: Int64, attempts: Int, push: ReceivedPush, button: String?) {
        (self.id, self.received, self.attempts, self.push, self.button) = (id, received, attempts, push, button)
    }
}

extension Ability where Value == BroughtHandlers {
    package static var broughtHandlers: Ability<BroughtHandlers> { Ability(Provision(.runner, "brought handlers")) }
}
