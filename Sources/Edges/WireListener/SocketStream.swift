import CLinux
import CMicroHTTPD
import Glibc
import Synchronization
import WireBase
import WireHTTP

/// A connection as a byte stream for its handler: an upgraded one, or one that was never HTTP; the accept loop reports
/// when it can be read or written.
///
/// The descriptor is closed when its hold ends. So all calls on it are made under the lock that also ends the hold; none
/// of them waits.
final class SocketStream: ByteStream {
    private let descriptor: Int32
    private let state: Mutex<State>

    fileprivate struct State {
        /// What releases the connection; nil once released.
        var hold: (any SocketHold)?
        /// The bytes received before the upgrade.
        var early: [UInt8]
        var reader: Reader?
        var writer: Writer?
        var isDraining: Bool
        /// The time until which input is dropped once the handler is done.
        var lingersUntil: UInt64?
    }

    fileprivate struct Reader {
        let limit: Int
        let until: UInt64?
        let waiting: CheckedContinuation<[UInt8]?, any Error>
    }

    fileprivate struct Writer {
        let bytes: [UInt8]
        var offset: Int
        let until: UInt64?
        let waiting: CheckedContinuation<Void, any Error>
    }

    /// The waiters to resume once the lock is free.
    fileprivate struct Resumption {
        var read: (CheckedContinuation<[UInt8]?, any Error>, Result<[UInt8]?, any Error>)?
        var written: (CheckedContinuation<Void, any Error>, Result<Void, any Error>)?

        func tell() {
            if let read { read.0.resume(with: read.1) }
            if let written { written.0.resume(with: written.1) }
        }
    }

    /// The time in which the peer may read the last bytes.
    private static let lingering: UInt64 = 1_000_000_000
    private static let piece = 65_536

    init(_ hold: any SocketHold, descriptor: Int32, early: [UInt8] = [], isDraining: Bool) {
        self.descriptor = descriptor
        state = Mutex(State(hold: hold, early: early, isDraining: isDraining))
    }

    // MARK: Handler

    func read(upTo limit: ByteCount, within patience: Duration?) async throws -> [UInt8]? {
        precondition(limit.bytes > 0, "something is read")
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<[UInt8]?, any Error>) in
                let reader = Reader(limit: limit.bytes, until: Self.end(of: patience), waiting: waiting)
                let resumption = state.withLock { state in
                    precondition(state.reader == nil, "a stream has one reader at a time")
                    state.reader = reader
                    return Task.isCancelled ? state.fail(reading: CancellationError()) : goOn(&state)
                }
                resumption.tell()
            }
        } onCancel: {
            state.withLock { $0.fail(reading: CancellationError()) }.tell()
        }
    }

    func write(_ bytes: [UInt8], within patience: Duration?) async throws {
        guard !bytes.isEmpty else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting in
                let writer = Writer(bytes: bytes, offset: 0, until: Self.end(of: patience), waiting: waiting)
                let resumption = state.withLock { state in
                    precondition(state.writer == nil, "a stream has one writer at a time")
                    state.writer = writer
                    return Task.isCancelled ? state.fail(writing: CancellationError()) : goOn(&state)
                }
                resumption.tell()
            }
        } onCancel: {
            state.withLock { $0.fail(writing: CancellationError()) }.tell()
        }
    }

    func endWriting() {
        state.withLock { state in
            guard state.hold != nil else { return }
            _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
        }
    }

    private static func end(of patience: Duration?) -> UInt64? {
        patience.map { Monotonic.now.addingReportingOverflow($0.nanoseconds).partialValue }
    }

    // MARK: Events

    /// Handles readability, writability or a disconnect.
    func stirred() {
        state.withLock { goOn(&$0) }.tell()
    }

    /// Ends waits beyond their timeout; then drops unsent bytes that would arrive too late.
    func checkPatience(at now: UInt64) {
        let resumption = state.withLock { state in
            if let until = state.lingersUntil, now > until { return state.letGo() }
            var resumption = Resumption()
            if let until = state.reader?.until, now > until { resumption = state.fail(reading: StreamTimeout()) }
            if let until = state.writer?.until, now > until {
                resumption.written = state.fail(writing: StreamTimeout()).written
            }
            return resumption
        }
        resumption.tell()
    }

    /// Ends reading, since the listener stops.
    func drain() {
        let resumption = state.withLock { state in
            state.isDraining = true
            return goOn(&state)
        }
        resumption.tell()
    }

    /// Ends the stream for its handler.
    ///
    /// Closing a connection with unread bytes resets it and loses the last bytes sent, so input is read and dropped
    /// for a moment.
    func finish() {
        let resumption = state.withLock { state in
            guard state.hold != nil else { return Resumption() }
            _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
            state.lingersUntil = Monotonic.now + Self.lingering
            return goOn(&state)
        }
        resumption.tell()
    }

    /// Cuts the connection.
    func abandon() {
        state.withLock { $0.letGo() }.tell()
    }

    // MARK: Bytes

    private func goOn(_ state: inout State) -> Resumption {
        var resumption = Resumption()
        guard state.hold != nil else {
            resumption = state.fail(reading: ConnectionGone())
            resumption.written = state.fail(writing: ConnectionGone()).written
            return resumption
        }
        if state.lingersUntil != nil {
            return RawAnswer.readAway(descriptor) ? state.letGo() : resumption
        }
        if let reader = state.reader, let result = receive(&state, upTo: reader.limit) {
            state.reader = nil
            resumption.read = (reader.waiting, result)
        }
        if let result = send(&state), let writer = state.writer.take() { resumption.written = (writer.waiting, result) }
        return resumption
    }

    /// Returns the result for a reader; nil where it must wait.
    private func receive(_ state: inout State, upTo limit: Int) -> Result<[UInt8]?, any Error>? {
        if !state.early.isEmpty {
            let bytes = Array(state.early.prefix(limit))
            state.early.removeFirst(bytes.count)
            return .success(bytes)
        }
        let room = min(limit, Self.piece)
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let received = unsafe recv(descriptor, buffer.baseAddress, room, corewire_at_once)
            failure = received < 0 ? errno : 0
            count = max(0, received)
        }
        if !bytes.isEmpty { return .success(bytes) }
        if failure == 0 { return .success(nil) }
        guard failure == EAGAIN || failure == EINTR else { return .failure(ConnectionGone()) }
        return state.isDraining ? .success(nil) : nil
    }

    /// Returns the result for a writer; nil without a writer, or where it must wait.
    private func send(_ state: inout State) -> Result<Void, any Error>? {
        while let writer = state.writer, writer.offset < writer.bytes.count {
            let sent = unsafe writer.bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor,
                    bytes.baseAddress?.advanced(by: writer.offset),
                    bytes.count - writer.offset,
                    corewire_at_once
                )
            }
            guard sent >= 0 else {
                return errno == EAGAIN || errno == EINTR ? nil : .failure(ConnectionGone())
            }
            state.writer?.offset += sent
        }
        return state.writer == nil ? nil : .success(())
    }
}

extension SocketStream.State {
    fileprivate mutating func fail(reading error: any Error) -> SocketStream.Resumption {
        SocketStream.Resumption(read: reader.take().map { ($0.waiting, .failure(error)) })
    }

    fileprivate mutating func fail(writing error: any Error) -> SocketStream.Resumption {
        SocketStream.Resumption(written: writer.take().map { ($0.waiting, .failure(error)) })
    }

    /// Releases the connection; its descriptor is closed then or afterwards.
    fileprivate mutating func letGo() -> SocketStream.Resumption {
        hold.take()?.end()
        var resumption = fail(reading: ConnectionGone())
        resumption.written = fail(writing: ConnectionGone()).written
        return resumption
    }
}

/// What releases a connection, once.
protocol SocketHold: Sendable {
    func end()
}

/// The library's handle of an upgraded connection.
@safe struct UpgradeHold: SocketHold, @unchecked Sendable {
    // Sendable: the library allows the only call from any thread, and the owner makes it once.
    private let handle: OpaquePointer
    private let thread: ConnectionThread

    init(_ handle: OpaquePointer, _ thread: ConnectionThread) {
        unsafe self.handle = handle
        self.thread = thread
    }

    func end() {
        unsafe corewire_end_upgrade(handle)
        thread.call()
    }
}
