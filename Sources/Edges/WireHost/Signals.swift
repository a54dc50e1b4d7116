import Dispatch
import Glibc
import Synchronization
package import WireBase

/// A signal with a meaning for the program.
package enum HostSignal: Sendable, CaseIterable {
    /// Finish running work and stop (SIGTERM).
    case terminate
    /// The same, from the keyboard (SIGINT).
    case interrupt
    /// Reload the file (SIGHUP).
    case hangUp
    /// Log more (SIGUSR1).
    case user1

    package var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        case .user1: SIGUSR1
        }
    }
}

/// The signals of this process as a sequence for one reader, until this object is released.
///
/// A handler may do next to nothing, so it writes the signal's number to a pipe, which a thread reads. SIGPIPE is
/// ignored from now on, so that writing to a closed pipe is an error. Programs started later get the default
/// handlers, except for the ignored SIGPIPE, which their launcher must reset.
package final class Signals: AsyncSequence, Sendable {
    private let stream: AsyncStream<HostSignal>
    private let former: [FormerHandler]
    /// Fires at the first request to end, also where the sequence is not read yet.
    package let ending: OneShot

    /// Catches all signals; there can be one catcher at a time.
    ///
    /// - Parameter insisted: Called on its own thread at the second request to end, whatever the program is doing
    ///   then.
    /// - Throws: If the signals are caught already.
    package init(insisted: @escaping @Sendable () -> Void = {}) throws(HostError) {
        guard !isCaught.exchange(true, ordering: .acquiringAndReleasing) else {
            throw HostError(.signals, "signals", "already caught")
        }
        guard let pipe = Self.pipe else {
            isCaught.store(false, ordering: .releasing)
            throw HostError(.signals, "signals", "no pipe could be opened")
        }
        writer.store(pipe.writer, ordering: .releasing)
        _ = signal(SIGPIPE, SIG_IGN)
        let (stream, told) = AsyncStream.makeStream(of: HostSignal.self, bufferingPolicy: .bufferingNewest(64))
        self.stream = stream
        let ending = OneShot()
        self.ending = ending
        DispatchQueue(label: "corewire.signals").async {
            Self.read(pipe.reader, telling: told, ending, insisted)
        }
        former = HostSignal.allCases.map { FormerHandler(replacing: $0.number) }
    }

    deinit {
        for handler in former { handler.restore() }
        // No signal has the number 0; it ends the thread.
        note(0)
    }

    package func makeAsyncIterator() -> AsyncStream<HostSignal>.Iterator { stream.makeAsyncIterator() }

    /// Opened once and never closed, since a handler may be about to write.
    private static let pipe: (reader: Int32, writer: Int32)? = {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A handler must not block.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }()

    private static func read(
        _ reader: Int32,
        telling told: AsyncStream<HostSignal>.Continuation,
        _ ending: OneShot,
        _ insisted: () -> Void
    ) {
        var number: UInt8 = 0
        var isTold = false
        while true {
            let count = unsafe Glibc.read(reader, &number, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, number != 0 else { break }
            guard let signal = HostSignal.allCases.first(where: { $0.number == Int32(number) }) else { continue }
            told.yield(signal)
            guard signal == .terminate || signal == .interrupt else { continue }
            if isTold { insisted() }
            isTold = true
            ending.fire()
        }
        // In this order, so that signals can be caught again after the end of the sequence.
        isCaught.store(false, ordering: .releasing)
        told.finish()
    }
}

/// The earlier handler of a signal.
///
/// `@unchecked`: the handler is a function of the program or a constant, neither of which belongs to a thread.
private struct FormerHandler: @unchecked Sendable {
    private let number: Int32
    private let action: sigaction

    /// Catches a signal, unblocking it if the parent process had blocked it.
    init(replacing number: Int32) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { note($0) }
        action.sa_flags = Int32(SA_RESTART)
        // Blocks other signals in the handler, or of several signals the last would be recorded first.
        _ = unsafe sigfillset(&action.sa_mask)
        var former = sigaction()
        _ = unsafe sigaction(number, &action, &former)
        var mask = sigset_t()
        _ = unsafe sigemptyset(&mask)
        _ = unsafe sigaddset(&mask, number)
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        self.number = number
        self.action = former
    }

    func restore() {
        var action = action
        _ = unsafe sigaction(number, &action, nil)
    }
}

/// Whether the signals are caught.
private let isCaught = Atomic<Bool>(false)
/// The descriptor to which handlers write.
private let writer = Atomic<Int32>(-1)

/// The whole handler: one write, which preserves errno.
private func note(_ signal: Int32) {
    let number = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    _ = unsafe Glibc.write(writer.load(ordering: .acquiring), &byte, 1)
    errno = number
}
