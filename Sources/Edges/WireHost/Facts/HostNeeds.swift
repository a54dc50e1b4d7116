import CProcess
import Glibc
import Synchronization
import WireBase

/// What the runner cannot do without: where it is missing, a start is refused instead of waiting or ending half-way.
package enum HostNeeds {
    /// Address space beside what is in use, for stacks of threads and for what is read.
    private static let room = ByteCount.mebibytes(384)
    /// Threads beside those that run.
    private static let threads = 32
    /// Descriptors in all: those of libraries, stores, logs and of a few callers.
    private static let descriptors = 128

    /// Looks whether all of it is there, and makes the most of little address space; called before there are other threads.
    package static func check() throws(HostError) {
        let counted = "/proc/self/task"
        // libdispatch ends a program that it finds busy and whose threads it cannot count.
        guard !Files.names(in: counted).isEmpty else {
            throw HostError(.process, counted, "cannot be read, and threads are counted in it; mount /proc")
        }
        // libdispatch ends a program that it cannot open an event queue for.
        if let limit = limit(RLIMIT_NOFILE), limit < descriptors {
            let remedy = "raise 'ulimit -n' ('LimitNOFILE=')"
            let reason = "\(limit) can be open at once, and \(descriptors) are needed; \(remedy)"
            throw HostError(.process, "file descriptors", reason)
        }
        if limit(RLIMIT_AS) != nil { _ = corewire_use_one_arena() }
        guard corewire_has_room(UInt(room.bytes)) != 0 else {
            let remedy = "raise 'ulimit -v' ('LimitAS='), and limit memory with 'MemoryMax='"
            throw HostError(.process, "address space", "\(room) more cannot be reserved; \(remedy)")
        }
        let started = startedThreads()
        guard started == threads else {
            let reason = "\(started) of \(threads) can be started; raise 'ulimit -u' ('LimitNPROC=', 'TasksMax=')"
            throw HostError(.process, "threads", reason)
        }
    }

    /// A limit of this process; nil where there is none.
    private static func limit(_ resource: __rlimit_resource) -> Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur != .max else {
            return nil
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many there can be at once: none ends before the last was tried.
    private static func startedThreads() -> Int {
        let gate = Gate()
        return gate.lock.withLock { _ -> Int in
            var count = 0
            while count < threads, SystemThread.start("probe", { gate.lock.withLock { _ in } }) { count += 1 }
            return count
        }
    }

    private final class Gate: Sendable {
        let lock = Mutex(())
    }
}
