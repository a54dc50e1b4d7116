import Glibc

/// A thread for work that blocks in the kernel and so must not use Swift's shared pool.
package struct SystemThread: ~Copyable {
    private let id: pthread_t

    private final class Work {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts the work; nil where no thread can be started.
    package init?(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(name, body))
        var id = pthread_t()
        guard unsafe pthread_create(&id, nil, { unsafe SystemThread.main($0) }, work.toOpaque()) == 0 else {
            unsafe work.release()
            return nil
        }
        self.id = id
    }

    /// Starts detached work; returns false where no thread can be started.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = SystemThread(name, body) else { return false }
        _ = consume thread
        return true
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        takeName(work.name)
        // Signals are for the program's own threads.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
        work.body()
        return nil
    }

    /// Sets the name shown by debuggers and `top`.
    private static func takeName(_ name: String) {
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = unsafe write(file, name, name.utf8.count)
        close(file)
    }

    /// Waits for the end of the work.
    package consuming func join() {
        _ = pthread_join(id, nil)
        discard self
    }

    /// The work ends on its own.
    deinit {
        _ = pthread_detach(id)
    }
}
