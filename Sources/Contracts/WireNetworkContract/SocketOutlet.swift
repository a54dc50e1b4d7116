import Synchronization
import WireBase
import WireHTTP

/// The send buffer of a socket, as a request body.
final class SocketOutlet: BodyReader {
    private struct State {
        var bytes: [UInt8] = []
        var isOver = false
        var next = 0
        var waiter: (ticket: Int, continuation: CheckedContinuation<[UInt8]?, Never>)?
    }

    private let state = Mutex(State())

    /// The size limit of the buffer.
    private let limit: ByteCount

    init(limit: ByteCount) { self.limit = limit }

    /// Appends bytes; false where the buffer is full.
    func give(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return true }
        let (waiter, isTaken) = state.withLock { state -> (CheckedContinuation<[UInt8]?, Never>?, Bool) in
            guard !state.isOver else { return (nil, true) }
            if let waiter = state.waiter?.continuation {
                state.waiter = nil
                return (waiter, true)
            }
            guard state.bytes.count + bytes.count <= limit.bytes else { return (nil, false) }
            state.bytes += bytes
            return (nil, true)
        }
        waiter?.resume(returning: bytes)
        return isTaken
    }

    /// Ends the stream after the buffered bytes.
    func end() {
        let waiter = state.withLock { state in
            state.isOver = true
            defer { state.waiter = nil }
            return state.waiter?.continuation
        }
        waiter?.resume(returning: nil)
    }

    /// Ends the stream, and waits briefly for the server to end its own.
    func leave(_ body: any BodyReader, within patience: Duration, _ clock: TimeSource) async {
        end()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Further data of the server is discarded.
                var left = 1_048_576
                while left > 0, let bytes = try? await body.read() { left -= bytes.count }
            }
            group.addTask { try? await clock.sleep(patience) }
            await group.next()
            group.cancelAll()
        }
    }

    func read() async throws -> [UInt8]? {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early: [UInt8]?? = state.withLock { state in
                    if !state.bytes.isEmpty {
                        defer { state.bytes = [] }
                        return .some(state.bytes)
                    }
                    if state.isOver || Task.isCancelled { return .some(nil) }
                    state.waiter = (ticket, continuation)
                    return nil
                }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<[UInt8]?, Never>? in
                guard state.waiter?.ticket == ticket else { return nil }
                defer { state.waiter = nil }
                return state.waiter?.continuation
            }
            waiter?.resume(returning: nil)
        }
    }
}
