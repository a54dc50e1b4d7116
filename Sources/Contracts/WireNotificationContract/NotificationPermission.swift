import Synchronization
import WireBase
import WireConfig
import WireHTTP
package import WireService

/// Whether notifications may be shown to the user; one for the whole program, kept by the service that shows them.
///
/// Nil while no service shows notifications: then nothing waits for a permission.
package final class NotificationPermission: Sendable {
    package enum Answer: String, JSONWord, PlainCodable {
        /// The user was not asked yet.
        case ask
        case granted, denied
    }

    private let state = Mutex<Answer?>(nil)
    private let listeners = Listeners<Answer?>()

    package init() {}

    package var answer: Answer? { state.withLock { $0 } }

    /// Called by the service that keeps it alone.
    package func become(_ answer: Answer?) {
        let isNew = state.withLock { state in
            defer { state = answer }
            return state != answer
        }
        if isNew { listeners.tell(self.answer) }
    }

    /// The answer from now on, beginning with now, until the task that listens is cancelled.
    package func changes() -> AsyncStream<Answer?> { listeners.listen(beginningWith: answer) }
}

extension Ability where Value == NotificationPermission {
    package static var notificationPermission: Ability<NotificationPermission> {
        Ability(Provision(.runner, "notification permission"))
    }
}
