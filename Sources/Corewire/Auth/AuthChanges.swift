import WireAuth
import WireRuntime
import WireTelemetry

extension Corewire {
    /// The stream of session states.
    public struct AuthChanges: AsyncSequence, Sendable {
        /// A session state.
        public typealias Element = AuthState
        /// The stream cannot fail.
        public typealias Failure = Never

        let corewire: Corewire

        /// Begins with the current state.
        public func makeAsyncIterator() -> Iterator { Iterator(corewire: corewire) }

        /// The position of one subscriber in the stream.
        public struct Iterator: AsyncIteratorProtocol {
            /// A session state.
            public typealias Element = AuthState
            /// The stream cannot fail.
            public typealias Failure = Never

            private let corewire: Corewire
            private var told: AuthState?

            fileprivate init(corewire: Corewire) {
                self.corewire = corewire
            }

            /// The next state; nil after the end.
            public mutating func next() async -> AuthState? {
                while !Task.isCancelled, !corewire.runner.isStopping {
                    // Subscribes before reading the state, so that no change is missed.
                    var events = corewire.runner.events.watch().makeAsyncIterator()
                    guard let service = corewire.authService else {
                        // The service may appear with another generation, or after a restart.
                        if await events.next() == nil { return nil }
                        continue
                    }
                    let watch = service.watchStatus()
                    let heard = watch.count
                    let state = AuthState(service.authSnapshot.session)
                    if let told, state.isSame(as: told) {
                        if await watch.changed(after: heard) { continue }
                        // Another service replaces it and will report its state, or the task is cancelled.
                        if corewire.authService === service, await events.next() == nil { return nil }
                        continue
                    }
                    told = state
                    return state
                }
                return nil
            }
        }
    }
}

/// An iterator belongs to one subscriber: another task creates its own.
@available(*, unavailable)
extension Corewire.AuthChanges.Iterator: Sendable {}

extension Corewire.AuthState {
    /// Whether two states are equal for a subscriber.
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.signedOut(let left), .signedOut(let right)): left == right
        case (.signingIn(let left), .signingIn(let right)): left == right
        case (.signedIn(let left), .signedIn(let right)): left == right
        case (.blocked(let left), .blocked(let right)): left == right
        case (.appSignedIn, .appSignedIn), (.locked, .locked): true
        default: false
        }
    }
}
