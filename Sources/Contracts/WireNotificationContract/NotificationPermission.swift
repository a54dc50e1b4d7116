import Synchronization
import WireBase
import WireConfig
import WireHTTP
package import WireService

/// The permission to show notifications to the user; one per process, stored by the notification service.
///
/// Nil while no service shows notifications; then nothing waits for the permission.
package final class NotificationPermission: Sendable {
    package enum Answer: String, JSONWord, PlainCodable {
        /// The user has not been asked yet.
        case ask
        case granted, denied
    }

    private let state = Mutex<Answer?>(nil)
    private let listeners = Subscribers<Answer?>()

    package init() {}

    package var answer: Answer? { state.withLock { $0 } }

    /// Sets the answer; called only by the service that stores it.
    package func update(_ answer: Answer?) {
        let isNew = state.withLock { state in
            defer { state = answer }
            return state != answer
        }
        if isNew { listeners.notify(self.answer) }
    }

    /// Yields the current answer and every change, until the task is cancelled.
    package func changes() -> AsyncStream<Answer?> { listeners.listen(beginningWith: answer) }
}

extension Ability where Value == NotificationPermission {
    package static var notificationPermission: Ability<NotificationPermission> {
        Ability(Provision(.runner, "notification permission"))
    }
}
