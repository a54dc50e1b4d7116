import Dispatch
import Foundation
import Synchronization
import WireBase

/// A clock all processes of a group see alike, which any of them sets forward: what has passed is in a file they share.
@safe struct SharedClock: Sendable {
    /// How much has passed, in milliseconds, in the memory of the file; it stays as long as the process.
    private nonisolated(unsafe) let passed: UnsafePointer<Atomic<Int64>>

    init(in folder: String) throws {
        let file = unsafe open("\(folder)/clock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, ftruncate(file, 8) == 0,
            let memory = unsafe mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), unsafe memory != MAP_FAILED
        else { throw CocoaError(.fileReadUnknown) }
        close(file)
        unsafe passed = UnsafePointer(memory.assumingMemoryBound(to: Atomic<Int64>.self))
    }

    func pass(_ duration: Duration) {
        _ = unsafe passed.pointee.add(duration.inMicroseconds / 1_000, ordering: .relaxed)
    }

    private var offset: Int64 { unsafe passed.pointee.load(ordering: .relaxed) }

    var clockwork: TimeSource {
        TimeSource(
            wall: { Int64(Date().timeIntervalSince1970 * 1_000) + offset },
            monotonic: { .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds)) + .milliseconds(offset) },
            sleep: { try await Task.sleep(for: $0) }
        )
    }
}
