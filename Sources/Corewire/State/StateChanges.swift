import WirePersistence
import WireRuntime
import WireStore

extension Corewire {
    /// Something that changed in a namespace.
    public enum StateChange: Sendable, Hashable {
        /// A value was stored.
        case put(key: String, version: StateVersion)
        /// An entry was removed.
        case removed(key: String, version: StateVersion)
        /// An entry has reached the end of its lifetime.
        case expired(key: String, version: StateVersion)
        /// Changes are missing, or the entries are those of another environment now: what matters is to be read anew.
        case gap
    }

    /// What changes in a namespace, by this program or any other, as it changes.
    ///
    /// It goes on over reloads and switches of the environment, and ends after ``Corewire/stop()`` and for a cancelled
    /// task. Each iteration begins where the sequence was asked for.
    public struct StateChanges: AsyncSequence, Sendable {
        /// What is told.
        public typealias Element = StateChange
        /// Why it cannot go on.
        public typealias Failure = CorewireError

        private let namespace: StateNamespace
        private let first: StateWatch

        init(_ namespace: StateNamespace, _ first: StateWatch) {
            self.namespace = namespace
            self.first = first
        }

        /// The version it goes on after.
        public var start: StateVersion { StateVersion(first.start) }

        /// Begins where the sequence was asked for.
        public func makeAsyncIterator() -> Iterator { Iterator(namespace, first) }

        /// One watcher's place in what changes.
        public struct Iterator: AsyncIteratorProtocol {
            /// What is told.
            public typealias Element = StateChange
            /// Why it cannot go on.
            public typealias Failure = CorewireError

            private let namespace: StateNamespace
            private var scope: String
            private var seen: Int64
            private var iterator: StateWatch.Iterator

            fileprivate init(_ namespace: StateNamespace, _ watch: StateWatch) {
                self.namespace = namespace
                scope = watch.scope
                seen = watch.start
                iterator = watch.makeAsyncIterator()
            }

            /// The next change; nil after the end.
            public mutating func next() async throws(CorewireError) -> StateChange? {
                while !Task.isCancelled {
                    switch try await nextOfService() {
                    case .change(let change):
                        seen = change.version
                        return StateChange(change)
                    case .gap(_, let before):
                        seen = Swift.max(0, before - 1)
                        return .gap
                    case .reached(let version): seen = version
                    case nil:
                        guard !Task.isCancelled, !namespace.corewire.runner.isStopping else { return nil }
                        if try await followGeneration() { return .gap }
                    }
                }
                return nil
            }

            private mutating func nextOfService() async throws(CorewireError) -> StateWatch.Item? {
                do throws(StoreFailure) {
                    return try await iterator.next()
                } catch {
                    if namespace.corewire.runner.isStopping { return nil }
                    throw CorewireError(error)
                }
            }

            /// Goes on with the service of the generation that runs now; returns whether its entries are others.
            private mutating func followGeneration() async throws(CorewireError) -> Bool {
                let next: StateWatch
                do throws(CorewireError) {
                    next = try await namespace.watch(after: seen)
                    if next.scope == scope {
                        iterator = next.makeAsyncIterator()
                        return false
                    }
                    // From where the others stand now: what led there does not matter to who reads them anew.
                    let other = try await namespace.watch(after: nil)
                    (scope, seen, iterator) = (other.scope, other.start, other.makeAsyncIterator())
                    return true
                } catch {
                    guard error.code != .stopped else { return false }
                    throw error
                }
            }
        }
    }
}

/// A place is one watcher's: another task begins its own.
@available(*, unavailable)
extension Corewire.StateChanges.Iterator: Sendable {}

extension Corewire.StateChange {
    init(_ change: StoreChanges.Change) {
        let version = Corewire.StateVersion(change.version)
        switch change.kind {
        case .put: self = .put(key: change.key, version: version)
        case .removed: self = .removed(key: change.key, version: version)
        case .expired: self = .expired(key: change.key, version: version)
        }
    }
}
