import CProcess
import Glibc
import Synchronization
import WireBase

/// The system resources that the runner needs; if one is missing, the start fails with a message.
package enum HostNeeds {
    /// The address space needed beyond the present use, for thread stacks and files.
    private static let room = ByteCount.mebibytes(384)
    /// The threads needed beyond the present ones.
    private static let threads = 32
    /// The descriptors needed in all: for libraries, stores, logs and a few callers.
    private static let descriptors = 128

    /// Checks the resources, and adapts to little address space; call before there are other threads.
    package static func check() throws(HostError) {
        let counted = "/proc/self/task"
        // libdispatch aborts a busy program whose threads it cannot count.
        guard !Files.names(in: counted).isEmpty else {
            throw HostError(.process, counted, "cannot be read; mount /proc, which is needed to count threads")
        }
        // libdispatch aborts a program for which it cannot open an event queue.
        let allowed = DescriptorLimit.present
        guard allowed >= descriptors else {
            let remedy = "raise 'ulimit -n' ('LimitNOFILE=')"
            let reason = "\(allowed) can be open at once, and \(descriptors) are needed; \(remedy)"
            throw HostError(.process, "file descriptors", reason)
        }
        if limit(RLIMIT_AS) != nil { _ = corewire_use_one_arena() }
        guard corewire_has_room(UInt(room.bytes)) != 0 else {
            let remedy = "raise 'ulimit -v' ('LimitAS='), and limit memory with 'MemoryMax='"
            throw HostError(.process, "address space", "\(room) more cannot be reserved; \(remedy)")
        }
        guard mayLackThreads() else { return }
        let started = startedThreads()
        guard started == threads else {
            let reason = "\(started) of \(threads) can be started; raise 'ulimit -u' ('LimitNPROC=', 'TasksMax=')"
            throw HostError(.process, "threads", reason)
        }
    }

    /// Returns a limit of this process; nil for none.
    private static func limit(_ resource: __rlimit_resource) -> Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur != .max else {
            return nil
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Whether a limit may be reached with a few threads more; only then they are tried, which takes time.
    private static func mayLackThreads() -> Bool {
        let plenty = 4_096
        if let limit = limit(__RLIMIT_NPROC), limit < plenty { return true }
        return (ThreadQuota.left() ?? 0) < plenty / 4
    }

    /// Returns how many threads can run at once: none ends before the last was started.
    private static func startedThreads() -> Int {
        let barrier = Barrier()
        return barrier.lock.withLock { _ -> Int in
            var count = 0
            while count < threads, SystemThread.start("probe", { barrier.lock.withLock { _ in } }) { count += 1 }
            return count
        }
    }

    private final class Barrier: Sendable {
        let lock = Mutex(())
    }
}
