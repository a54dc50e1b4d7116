import Synchronization

/// Collects what a service has registered with others; the runner removes all of it when the service has stopped.
///
/// A service that stores a registration asks for the ``UsingHost/registrations`` of the registering service, so that
/// none stays behind.
package final class Registrations: Sendable {
    /// Nil after the end.
    private let ends = Mutex<[@Sendable () -> Void]?>([])

    package init() {}

    /// Adds a closure to call at the end; calls it at once where the end has passed.
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
