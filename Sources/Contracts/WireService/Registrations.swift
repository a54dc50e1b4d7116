import Synchronization

/// What a service has registered with others, taken away by the runner when the service has stopped.
///
/// What keeps something of a service for longer than a call asks for the ``UsingHost/registrations`` of that service, so that
/// a service cannot forget to take it away.
package final class Registrations: Sendable {
    /// Nil once they have ended.
    private let ends = Mutex<[@Sendable () -> Void]?>([])

    package init() {}

    /// Calls this at the end; at once where that has been.
    package func add(_ end: @escaping @Sendable () -> Void) {
        let isOver = ends.withLock { ends in
            ends?.append(end)
            return ends == nil
        }
        if isOver { end() }
    }

    package func end() {
        let all = ends.withLock { ends in
            defer { ends = nil }
            return ends ?? []
        }
        for end in all { end() }
    }
}
