import Synchronization
import WireBase
import WireHTTP

/// How many large answers may be in memory at once: what one may weigh is bounded, and so is what all do.
final class AnswerRoom: Sendable {
    /// What each answer may have without asking for a place.
    static let small = ByteCount.mebibytes(1)

    private let free = Mutex(4)
    private let freed = Signal()

    fileprivate func enter() async throws(CancellationError) {
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

    fileprivate func leave() {
        free.withLock { $0 += 1 }
        freed.signal()
    }
}

/// The body of an answer, read on once it has turned out to be large only when there is a place for it.
final class AnswerBody: BodyReader {
    private let body: any BodyReader
    private let room: AnswerRoom
    private let state = Mutex((size: 0, hasPlace: false))

    init(_ body: any BodyReader, _ room: AnswerRoom) { (self.body, self.room) = (body, room) }

    func read() async throws -> [UInt8]? {
        if state.withLock({ $0.size > AnswerRoom.small.bytes && !$0.hasPlace }) {
            try await room.enter()
            state.withLock { $0.hasPlace = true }
        }
        let bytes = try await body.read()
        state.withLock { $0.size += bytes?.count ?? 0 }
        return bytes
    }

    /// Gives the place back, once the answer has been read and parsed.
    func end() {
        let hadPlace = state.withLock { state in
            defer { state.hasPlace = false }
            return state.hasPlace
        }
        if hadPlace { room.leave() }
    }
}
