import Synchronization

/// Holds what is needed no more, in a process that is about to end.
///
/// Giving a large file back piece by piece takes as long as a good part of reading it, and helps nobody: the system takes
/// it back as a whole.
package enum UntilExit {
    private static let kept = Mutex<[any Sendable]>([])

    package static func keep(_ value: some Sendable) {
        kept.withLock { $0.append(value) }
    }
}
