import Synchronization

/// Keeps objects alive that are no longer needed, in a process about to end.
///
/// Releasing a large file in pieces takes nearly as long as reading it, while the system frees the memory as a whole.
package enum UntilExit {
    private static let kept = Mutex<[any Sendable]>([])

    package static func keep(_ value: some Sendable) {
        kept.withLock { $0.append(value) }
    }
}
