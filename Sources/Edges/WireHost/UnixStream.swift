import Glibc
import Synchronization
import WireBase

/// A connection to a Unix socket, for one task at a time.
///
/// Each wait has its own thread, since the kernel waits. A wait ends at its deadline or with the task; cancelling a
/// waiting task closes the connection.
package final class UnixStream: Sendable {
    /// The reason for a missing connection.
    package enum Failure: Error, Equatable {
        case unreachable(String)
        /// The system provides no more descriptors, memory or threads.
        case exhausted(String)
        case timeout
        case closed
        case cancelled
    }

    /// The result of a read.
    package enum Arrival {
        case bytes([UInt8])
        /// No bytes yet.
        case none
        /// The end of the stream.
        case end
    }

    /// The largest number of bytes of one call.
    private static let part = 65_536

    private let descriptor: Descriptor
    private let isCut = Atomic(false)

    private init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Connects to an absolute path.
    package static func connect(to path: String, within limit: Duration) async throws(Failure) -> UnixStream {
        let address: UnixAddress
        do throws(HostError) {
            address = try UnixAddress(path)
        } catch {
            throw .unreachable(error.reason)
        }
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = socket(AF_UNIX, flags, 0)
        guard number >= 0 else { throw failure(errno) }
        let descriptor = Descriptor(owning: number)
        let end = Monotonic.after(limit)
        while unsafe address.lend({ name, length in unsafe Glibc.connect(descriptor.number, name, length) }) != 0 {
            guard errno == EAGAIN else { throw failure(errno) }
            // The listener's queue is full, and no event reports when there is room.
            guard Monotonic.now < end else { throw .timeout }
            do {
                try await TimeSource.host.sleep(.milliseconds(20))
            } catch {
                throw .cancelled
            }
        }
        return UnixStream(descriptor)
    }

    private static func failure(_ number: Int32) -> Failure {
        let words = SystemWords.text(of: number)
        return [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(number) ? .exhausted(words) : .unreachable(words)
    }

    /// Sends as many bytes as fit now; returns their number.
    package func send(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
        try checkCancellation()
        while true {
            let count = unsafe bytes.span.bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: throw .closed
            }
        }
    }

    /// Reads the bytes that have arrived.
    package func receive() throws(Failure) -> Arrival {
        try checkCancellation()
        while true {
            var (count, number) = (0, Int32(0))
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.part) { buffer, filled in
                count = unsafe recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
                number = errno
                filled = max(0, count)
            }
            if count > 0 { return .bytes(bytes) }
            if count == 0 { return .end }
            switch number {
            case EINTR: continue
            case EAGAIN: return .none
            default: throw .closed
            }
        }
    }

    private func checkCancellation() throws(Failure) {
        if isCut.load(ordering: .relaxed) || Task.isCancelled { throw .cancelled }
    }

    // MARK: Waiting

    /// Returns when there are bytes or the peer has disconnected, and for a sender also when there is room.
    package func wait(forRoom: Bool = false, until end: UInt64) async throws(Failure) {
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Failure?, Never>) in
                let events = Int16(POLLIN) | (forRoom ? Int16(POLLOUT) : 0)
                let hasThread = SystemThread.start("socket") { waiter.resume(returning: self.poll(events, until: end)) }
                if !hasThread { waiter.resume(returning: .exhausted("no more threads can be started")) }
            }
        } onCancel: {
            // Wakes the waiting thread in the same way as a disconnect of the peer.
            isCut.store(true, ordering: .relaxed)
            _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
        }
        try checkCancellation()
        if let failure { throw failure }
    }

    private func poll(_ events: Int16, until end: UInt64) -> Failure? {
        var place = pollfd(fd: descriptor.number, events: events, revents: 0)
        while true {
            let now = Monotonic.now
            let left = end > now ? (end - now) / 1_000_000 + 1 : 0
            let count = unsafe Glibc.poll(&place, 1, Int32(min(left, UInt64(Int32.max))))
            if count > 0 { return nil }
            if count < 0, errno != EINTR { return .closed }
            if Monotonic.now >= end { return .timeout }
        }
    }
}
