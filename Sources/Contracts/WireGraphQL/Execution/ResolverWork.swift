import Synchronization

/// Counts what resolvers look at for one operation, so that no request uses the processor without limit.
package final class ResolverWork: Sendable {
    /// Why an operation ends.
    package enum Ended: Error {
        case tooMuch(limit: Int)
        case cancelled
    }

    private let limit: Int
    private let steps = Atomic<Int>(0)

    /// How often it is seen that the request was cancelled.
    private static let stride = 1024

    package init(limit: Int) { self.limit = limit }

    /// Notes work before it is done: an object that is looked at, a value that is compared.
    ///
    /// A resolver lets the error through; it ends the operation, not only the field.
    package func spend(_ count: Int = 1) throws(Ended) {
        let (before, after) = steps.wrappingAdd(count, ordering: .relaxed)
        guard after <= limit else { throw .tooMuch(limit: limit) }
        if before / Self.stride != after / Self.stride, Task.isCancelled { throw .cancelled }
    }
}
