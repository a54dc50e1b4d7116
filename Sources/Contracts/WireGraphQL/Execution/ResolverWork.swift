import Synchronization

/// Counts the objects and values that resolvers examine for an operation, to limit its CPU time.
package final class ResolverWork: Sendable {
    /// Why an operation is ended.
    package enum Ended: Error {
        case tooMuch(limit: Int)
        case cancelled
    }

    private let limit: Int
    private let steps = Atomic<Int>(0)

    /// How often cancellation is checked.
    private static let stride = 1024

    package init(limit: Int) { self.limit = limit }

    /// Counts work before it is done: an examined object, a compared value.
    ///
    /// A resolver must rethrow the error, which ends the whole operation.
    package func spend(_ count: Int = 1) throws(Ended) {
        let (before, after) = steps.wrappingAdd(count, ordering: .relaxed)
        guard after <= limit else { throw .tooMuch(limit: limit) }
        if before / Self.stride != after / Self.stride, Task.isCancelled { throw .cancelled }
    }
}
