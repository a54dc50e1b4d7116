import Glibc

/// A thread for PAM, whose modules may block for any time.
enum PAMThread {
    /// Runs a closure on a new thread; returns false where none can be started.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // Signals are for the program's own threads; a helper that ends early must not end the program by SIGPIPE.
        var (all, former) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, &former)
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
        let work = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread,
            nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            },
            work.toOpaque()
        )
        if failure != 0 { unsafe work.release() }
        return failure == 0 && pthread_detach(thread) == 0
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
