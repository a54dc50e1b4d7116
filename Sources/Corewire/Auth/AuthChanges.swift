import WireAuth
import WireRuntime
import WireTelemetry

extension Corewire {
    /// Where the session stands, whenever that changes.
    public struct AuthChanges: AsyncSequence, Sendable {
        /// What is told.
        public typealias Element = AuthState
        /// It cannot fail.
        public typealias Failure = Never

        let corewire: Corewire

        /// Begins with how it is now.
        public func makeAsyncIterator() -> Iterator { Iterator(corewire: corewire) }

        /// One watcher's place in what changes.
        public struct Iterator: AsyncIteratorProtocol {
            /// What is told.
            public typealias Element = AuthState
            /// It cannot fail.
            public typealias Failure = Never

            private let corewire: Corewire
            private var told: AuthState?

            fileprivate init(corewire: Corewire) {
                self.corewire = corewire
            }

            /// How it is next; nil after the end.
            public mutating func next() async -> AuthState? {
                while !Task.isCancelled, !corewire.runner.isStopping {
                    // Before anything is looked at: what happens from here on is not missed.
                    var events = corewire.runner.events.watch().makeAsyncIterator()
                    guard let service = corewire.authService else {
                        // None runs: another generation, or the service made anew after a failure, may bring one.
                        if await events.next() == nil { return nil }
                        continue
                    }
                    let watch = service.watchStanding()
                    let heard = watch.count
                    let state = AuthState(service.standing.session)
                    if let told, state.isSame(as: told) {
                        if await watch.news(after: heard) { continue }
                        // Another service takes its place, which is told when it has; or the task is cancelled.
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

/// A place is one watcher's: another task begins its own.
@available(*, unavailable)
extension Corewire.AuthChanges.Iterator: Sendable {}

extension Corewire.AuthState {
    /// Whether nobody needs to be told of it again.
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
