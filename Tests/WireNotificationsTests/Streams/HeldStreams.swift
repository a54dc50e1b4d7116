import Support
import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// A server that answers one request after the other when a test says so, and keeps the stream open.
final class HeldStreams: ServerClient {
    private struct State {
        var calls: [ServerCall] = []
        var waiting: [CheckedContinuation<ServerAnswer?, Never>] = []
        var ready: [ServerAnswer?] = []
        var body: HeldBody?
    }

    private let state = Mutex(State())

    var calls: [ServerCall] { state.withLock { $0.calls } }
    /// Whether all that was said was read.
    var isRead: Bool { state.withLock { $0.body }?.isRead ?? false }

    @discardableResult
    func answer(_ text: String, type: String = "text/event-stream") -> HeldBody {
        let body = HeldBody()
        state.withLock { $0.body = body }
        if !text.isEmpty { body.say(text) }
        give(ServerAnswer(status: .ok, fields: ["Content-Type": type], body: body))
        return body
    }

    func say(_ text: String) { state.withLock { $0.body }?.say(text) }
    func end() { state.withLock { $0.body }?.end() }

    func refuse(_ status: Int, _ type: String) {
        let body = HeldBody()
        body.end()
        let fields: Fields = type.isEmpty ? [:] : ["Content-Type": type]
        give(ServerAnswer(status: Status(status), fields: fields, body: body))
    }

    func fail() { give(nil) }

    private func give(_ answer: ServerAnswer?) {
        let waiter = state.withLock { state -> CheckedContinuation<ServerAnswer?, Never>? in
            guard !state.waiting.isEmpty else {
                state.ready.append(answer)
                return nil
            }
            return state.waiting.removeFirst()
        }
        waiter?.resume(returning: answer)
    }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<ServerAnswer?, Never>) in
                let ready = state.withLock { state -> ServerAnswer?? in
                    state.calls.append(call)
                    if Task.isCancelled { return .some(nil) }
                    if !state.ready.isEmpty { return state.ready.removeFirst() }
                    state.waiting.append(continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.resume(returning: nil) }
        }
        guard let answer else { throw CallFailure(.transfer(.unreachable), "cannot connect", wasNotSent: true) }
        return answer
    }

    func url(of address: Address) -> WebURL? { nil }
}

final class HeldBody: BodyReader {
    private let said: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let unread = Mutex(0)

    init() { (said, continuation) = AsyncStream.makeStream(of: [UInt8].self) }

    var isRead: Bool { unread.withLock { $0 == 0 } }

    func say(_ text: String) {
        unread.withLock { $0 += 1 }
        continuation.yield(Array(text.utf8))
    }
    func end() { continuation.finish() }

    func read() async throws -> [UInt8]? {
        for await bytes in said {
            unread.withLock { $0 -= 1 }
            return bytes
        }
        return nil
    }
}
