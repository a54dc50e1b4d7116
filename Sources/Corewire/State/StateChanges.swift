import WirePersistence
import WireRuntime
import WireStore

extension Corewire {
    /// A change in a namespace.
    public enum StateChange: Sendable, Hashable {
        /// A value was stored.
        case put(key: String, version: StateVersion)
        /// An entry was removed.
        case removed(key: String, version: StateVersion)
        /// An entry has expired.
        case expired(key: String, version: StateVersion)
        /// Changes are missing, or another environment is current: read the entries again.
        case gap
    }

    /// The changes in a namespace, made by any program.
    ///
    /// Continues across reloads and switches, and ends after ``Corewire/stop()`` and for a cancelled task. Each
    /// iteration begins where the sequence was created.
    public struct StateChanges: AsyncSequence, Sendable {
        /// A change.
        public typealias Element = StateChange
        /// Why the stream cannot continue.
        public typealias Failure = CorewireError

        private let namespace: StateNamespace
        private let first: StateWatch

        init(_ namespace: StateNamespace, _ first: StateWatch) {
            self.namespace = namespace
            self.first = first
        }

        /// The version after which it continues.
        public var start: StateVersion { StateVersion(first.start) }

        /// Begins where the sequence was created.
        public func makeAsyncIterator() -> Iterator { Iterator(namespace, first) }

        /// The position of one subscriber in the stream.
        public struct Iterator: AsyncIteratorProtocol {
            /// A change.
            public typealias Element = StateChange
            /// Why the stream cannot continue.
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

            /// Continues with the service of the current generation; returns whether its entries are different ones.
            private mutating func followGeneration() async throws(CorewireError) -> Bool {
                let next: StateWatch
                do throws(CorewireError) {
                    next = try await namespace.watch(after: seen)
                    if next.scope == scope {
                        iterator = next.makeAsyncIterator()
                        return false
                    }
                    // Continues with the current version, since the subscriber reads the entries again.
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

/// An iterator belongs to one subscriber: another task creates its own.
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
