import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

/// Limits the number of concurrent requests; further ones wait for their turn.
struct ConcurrencyLimitStage: Stage {
    let turns: ConcurrencyLimiter
    let waits: Waits
    let host: NetworkHost

    func send(_ pipelineRequest: PipelineRequest, next: NextStage) async throws(CallFailure) -> ServerAnswer {
        let most = pipelineRequest.settings.limits.maxConcurrent
        var waited = Duration.zero
        if !turns.tryAcquire(upTo: most) { waited = try await wait(pipelineRequest) }
        let turn = Turn(turns, upTo: most)
        do throws(CallFailure) {
            var answer = try await next(pipelineRequest)
            answer.waited += waited
            let own = pipelineRequest.call.largestBody
            let limit = pipelineRequest.call.isLong ? nil : own ?? pipelineRequest.settings.limits.maxBodySize
            // A caller's own limit is reported while the body is read, as for an unknown length.
            if let limit, own == nil, let length = answer.fields["Content-Length"].flatMap({ Int($0) }),
                length > limit.bytes,
                pipelineRequest.call.method != .head
            {
                throw tooLarge(answer, limit, pipelineRequest)
            }
            if pipelineRequest.call.isLong { turn.end() }
            answer.body = AnswerBody(answer.body, limit: limit, turn: turn)
            return answer
        } catch {
            turn.end()
            var failure = error
            failure.waited += waited
            throw failure
        }
    }

    private func wait(_ pipelineRequest: PipelineRequest) async throws(CallFailure) -> Duration {
        let (turns, limits, begin) = (turns, pipelineRequest.settings.limits, waits.now)
        let (most, longest) = (limits.maxConcurrent, limits.maxWaiting)
        let outcome = await waits.wait(until: pipelineRequest.patience) {
            () -> Result<Void, ConcurrencyLimiter.Refusal> in
            do throws(ConcurrencyLimiter.Refusal) {
                return .success(try await turns.acquire(upTo: most, waiting: longest))
            } catch {
                return .failure(error)
            }
        }
        let waited = waits.now - begin
        switch outcome {
        case .success: return waited
        case .failure(.full(let waiting)):
            throw CallFailure(
                .busy,
                "\(most) requests are in progress and \(waiting) more wait",
                help: "send fewer requests at once, or raise the limit",
                wasNotSent: true,
                retryAfter: .seconds(1),
                origin: host.places.origin(of: limits.$maxWaiting, "network.limits.maxWaiting")
            )
        case .failure(.late), nil:
            if let end = waits.end { throw end }
            var failure = CallFailure(
                .busy,
                "\(most) requests are in progress, and the wait for a slot timed out",
                help: "send fewer requests at once, or raise the limit",
                wasNotSent: true,
                retryAfter: .seconds(1),
                origin: host.places.origin(of: limits.$maxConcurrent, "network.limits.maxConcurrent")
            )
            failure.waited = waited
            throw failure
        }
    }

    private func tooLarge(_ answer: ServerAnswer, _ limit: ByteCount, _ pipelineRequest: PipelineRequest) -> CallFailure
    {
        var failure = CallFailure(
            .forbidden,
            "the response body of \(pipelineRequest.url.host) exceeds \(limit)",
            help: "raise the limit, or use a download, which has its own limits",
            wasNotSent: false,
            origin: host.places.origin(of: pipelineRequest.settings.limits.$maxBodySize, "network.limits.maxBodySize")
        )
        (failure.attempts, failure.waited) = (answer.attempts, answer.waited)
        return failure
    }
}

/// A slot of a request, held until the request ends.
final class Turn: Sendable {
    private let turns: ConcurrencyLimiter
    private let most: Int
    private let isOver = Atomic(false)

    init(_ turns: ConcurrencyLimiter, upTo most: Int) {
        (self.turns, self.most) = (turns, most)
    }

    /// May be called twice.
    func end() {
        if !isOver.exchange(true, ordering: .relaxed) { turns.leave(upTo: most) }
    }

    deinit { end() }
}

/// A response body that holds its slot until it is read, and enforces the size limit.
final class AnswerBody: BodyReader {
    private let body: any BodyReader
    private let limit: ByteCount?
    private let turn: Turn
    private let count = Atomic(0)

    init(_ body: any BodyReader, limit: ByteCount?, turn: Turn) {
        (self.body, self.limit, self.turn) = (body, limit, turn)
    }

    func read() async throws -> [UInt8]? {
        guard let bytes = try await body.read() else {
            turn.end()
            return nil
        }
        if let limit, count.add(bytes.count, ordering: .relaxed).newValue > limit.bytes {
            throw BodyTooLarge(limit: limit)
        }
        return bytes
    }
}
