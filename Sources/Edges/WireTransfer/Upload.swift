import Synchronization
import WireBase
import WireHTTP

/// The body of a request on its way from its reader to the transfer thread.
final class Upload: Sendable {
    /// The next part for the transfer thread.
    enum Portion {
        case bytes(Int)
        case end
        /// More bytes follow, with a message to the thread.
        case later
        case failed(TransferFailure)
    }

    private struct State {
        var bytes: [UInt8] = []
        var offset = 0
        var isComplete = false
        var isClosed = false
        var failure: TransferFailure?
        var room: CheckedContinuation<Bool, Never>?

        var held: Int { bytes.count - offset }
    }

    private let length: Int?
    private let reader: any BodyReader
    private let limit: Int
    private let meter: Meter
    private let state = Mutex(State())

    init(_ reader: any BodyReader, length: Int?, limit: ByteCount, meter: Meter) {
        (self.reader, self.length, self.limit, self.meter) = (reader, length, limit.bytes, meter)
    }

    static let unreadable = "the body of the request could not be read to its end"

    // MARK: Reader

    /// Reads the body to its end, no faster than it is sent; notifies the transfer thread of new bytes.
    ///
    /// The bytes that complete a declared length are held back until the reader has ended, so that the server never
    /// gets a complete request that the reader then contradicts.
    func pump(_ tell: @Sendable () -> Void) async {
        var given = 0
        var last: [UInt8] = []
        while await hasRoom() {
            let more: [UInt8]?
            do {
                more = try await reader.read()
            } catch {
                return fail(.interrupted, Self.unreadable, tell)
            }
            guard let more else {
                if let length, given < length {
                    return fail(.invalidRequest, "the body ended after \(given) bytes, expected \(length)", tell)
                }
                return give(last, isEnd: true, tell)
            }
            guard !more.isEmpty else { continue }
            given += more.count
            if let length, given > length {
                return fail(.invalidRequest, "the body has more bytes than the \(length) that were declared", tell)
            }
            if given == length { last = more } else { give(more, isEnd: false, tell) }
        }
    }

    private func hasRoom() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.isClosed { return false }
                if state.held < limit { return true }
                state.room = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func give(_ more: [UInt8], isEnd: Bool, _ tell: () -> Void) {
        let isTaken = state.withLock { state in
            guard !state.isClosed, !state.isComplete else { return false }
            if state.held == 0 {
                state.bytes = more
            } else {
                state.bytes.removeSubrange(..<state.offset)
                state.bytes += more
            }
            state.offset = 0
            state.isComplete = isEnd
            meter.hold(more.count)
            return true
        }
        if isTaken { tell() }
    }

    private func fail(_ kind: TransferFailure.Kind, _ reason: String, _ tell: () -> Void) {
        state.withLock { $0.failure = TransferFailure(kind, reason, wasNotSent: false) }
        tell()
    }

    // MARK: Transfer thread

    func read(into target: UnsafeMutableRawBufferPointer) -> Portion {
        let (portion, room): (Portion, CheckedContinuation<Bool, Never>?) = state.withLock { state in
            if let failure = state.failure { return (.failed(failure), nil) }
            guard state.held > 0 else { return (state.isComplete ? .end : .later, nil) }
            let count = min(state.held, target.count)
            unsafe target.copyBytes(from: state.bytes[state.offset..<state.offset + count])
            state.offset += count
            // Under the lock, so that the counter is updated before new bytes are added.
            meter.release(count)
            defer { state.room = state.held < limit ? nil : state.room }
            return (.bytes(count), state.held < limit ? state.room : nil)
        }
        room?.resume(returning: true)
        return portion
    }

    /// Whether ``take(into:)`` would return anything but ``Portion/later``.
    var hasMore: Bool { state.withLock { $0.held > 0 || $0.isComplete || $0.failure != nil } }

    var failure: TransferFailure? { state.withLock { $0.failure } }

    /// Ends the body after the present bytes.
    func finish() {
        state.withLock { $0.isComplete = true }
    }

    /// Drops the rest of the body.
    func close() {
        let room = state.withLock { state in
            state.isClosed = true
            meter.release(state.held)
            (state.bytes, state.offset) = ([], 0)
            defer { state.room = nil }
            return state.room
        }
        room?.resume(returning: false)
    }
}
