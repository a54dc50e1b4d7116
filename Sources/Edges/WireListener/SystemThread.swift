import CLinux
import Glibc

/// A thread of the listener's own, for what waits in the kernel and so must not wait on Swift's shared pool.
enum SystemThread {
    /// Runs a closure on a new thread; false where the system has none left.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let work = unsafe Unmanaged.passRetained(Work(name: name, body: body))
        var thread = pthread_t()
        let failure = unsafe pthread_create(&thread, nil, { unsafe SystemThread.main($0) }, work.toOpaque())
        if failure != 0 { unsafe work.release() }
        return failure == 0 && pthread_detach(thread) == 0
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context = unsafe context {
            let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
            unsafe pthread_setname_np(pthread_self(), work.name)
            work.body()
        }
        return nil
    }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

/// The time since the system started, in nanoseconds; never set back.
enum Monotonic {
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension Duration {
    /// The whole of it in nanoseconds: none for less than nothing, centuries for more than they can count.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1 << 32 else { return 1 << 62 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
