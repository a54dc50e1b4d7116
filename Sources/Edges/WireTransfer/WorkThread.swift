import Glibc

/// A thread of its own, for work that waits in C.
struct WorkThread: ~Copyable {
    private let id: pthread_t

    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Nil when the system gives no more threads.
    init?(_ body: @escaping @Sendable () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(body))
        var id = pthread_t()
        let code = unsafe pthread_create(
            &id,
            nil,
            { context in
                guard let context = unsafe context else { return nil }
                // Signals are for the program's own threads.
                var all = sigset_t()
                unsafe sigfillset(&all)
                unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
                let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
                work.body()
                return nil
            },
            work.toOpaque()
        )
        guard code == 0 else {
            unsafe work.release()
            return nil
        }
        self.id = id
    }

    /// Waits until the work is done.
    consuming func join() {
        _ = pthread_join(id, nil)
        discard self
    }

    /// The work ends on its own.
    deinit {
        _ = pthread_detach(id)
    }
}
