import Synchronization
import WireBase
import WireHTTP

/// A semaphore for work that takes much memory.
final class Places: Sendable {
    private let free: Mutex<Int>
    private let freed = ChangeSignal()

    init(_ count: Int) { free = Mutex(count) }

    func enter() async throws(CancellationError) {
        while true {
            let count = freed.count
            let isFree = free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
            if isFree { return }
            guard !Task.isCancelled else { throw CancellationError() }
            await freed.wait(after: count)
        }
    }

    func leave() {
        free.withLock { $0 += 1 }
        freed.signal()
    }
}

/// The number of large answers in memory at once, which bounds the memory of all.
struct LargeAnswerLimit: Sendable {
    /// The size of an answer up to which it needs no place.
    static let small = ByteCount.mebibytes(1)
    /// The timeout of a large answer including its wait, so that an endless one does not block all others.
    static let longest = Duration.seconds(300)

    fileprivate let places = Places(4)
    fileprivate let clock: TimeSource

    init(_ clock: TimeSource) { self.clock = clock }
}

/// The body of an answer, which waits for a place once it turns out to be large.
final class AnswerBody: BodyReader {
    private struct State {
        var size = 0
        var hasPlace = false
        /// The deadline of a large answer.
        var end: Duration?
    }

    private let body: any BodyReader
    private let largeAnswers: LargeAnswerLimit
    private let state = Mutex(State())

    init(_ body: any BodyReader, _ largeAnswers: LargeAnswerLimit) {
        (self.body, self.largeAnswers) = (body, largeAnswers)
    }

    func read() async throws -> [UInt8]? {
        let now = largeAnswers.clock.monotonic()
        let end: Duration? = state.withLock { state in
            guard state.size > LargeAnswerLimit.small.bytes else { return nil }
            state.end = state.end ?? now + LargeAnswerLimit.longest
            return state.end
        }
        guard let end else { return try await next() }
        let result = Mutex<Result<[UInt8]?, any Error>>(.failure(StreamTimeout()))
        let clock = largeAnswers.clock
        await firstOf([
            {
                let read: Result<[UInt8]?, any Error>
                do {
                    try await self.enter()
                    read = .success(try await self.next())
                } catch {
                    read = .failure(error)
                }
                // A read cancelled by the deadline was too slow.
                if !Task.isCancelled { result.withLock { $0 = read } }
            },
            { try? await clock.sleep(end - now) },
        ])
        try Task.checkCancellation()
        return try result.withLock { $0 }.get()
    }

    private func enter() async throws {
        if state.withLock({ $0.hasPlace }) { return }
        try await largeAnswers.places.enter()
        state.withLock { $0.hasPlace = true }
    }

    private func next() async throws -> [UInt8]? {
        let bytes = try await body.read()
        state.withLock { $0.size += bytes?.count ?? 0 }
        return bytes
    }

    /// Releases the place, once the answer has been read and parsed.
    func end() {
        let hadPlace = state.withLock { state in
            defer { state.hasPlace = false }
            return state.hasPlace
        }
        if hadPlace { largeAnswers.places.leave() }
    }
}
