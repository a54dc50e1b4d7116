import Synchronization
import WireHTTP

/// Passes responses to the library.
extension Connection {
    func reply(_ response: Response, _ exchange: MHDConnection, isHead: Bool, closing: Bool = false) -> Bool {
        switch response.body {
        case .bytes, .shared: return queue(response, exchange, closing: closing)
        case .stream where isHead: return queueHead(response, exchange, closing: closing)
        case .stream, .upgrade: break
        }
        let (finished, runsInline) = state.withLock { ($0.finish, $0.runsInline) }
        let work = RequestTask(
            for: self,
            isHead: false,
            runsInline: runsInline,
            finished: finished,
            answering: response
        )
        start(work)
        return send(response, of: work, exchange, closing: closing)
    }

    func send(_ response: Response, of work: RequestTask, _ exchange: MHDConnection, closing: Bool = false) -> Bool {
        switch response.body {
        case .bytes, .shared: return queue(response, exchange, closing: closing)
        case .stream where work.isHead: return queueHead(response, exchange, closing: closing)
        case .stream: break
        case .upgrade: return upgrade(response, of: work, exchange, closing: closing)
        }
        guard let reply = Reply.streamed(work, exchange, response.fields, closing: closing || context.isDraining) else {
            return queue(Self.unsendable.response, exchange, closing: true)
        }
        return exchange.queue(response.status, reply)
    }

    /// Upgrades the connection, which requires a GET of HTTP/1.1 on a connection that stays open.
    private func upgrade(_ response: Response, of work: RequestTask, _ exchange: MHDConnection, closing: Bool) -> Bool {
        let isHTTP10 = state.withLock { $0.isHTTP10 }
        guard !closing, !context.isDraining, !isHTTP10, !work.isHead, response.status == .switchingProtocols,
            let reply = Reply.upgrading(response.fields)
        else {
            work.leave()
            let problem = context.isDraining ? RequestTask.closing : Self.unsendable
            return queue(problem.response, exchange, closing: true)
        }
        return exchange.queue(response.status, reply)
    }

    private func queueHead(_ response: Response, _ exchange: MHDConnection, closing: Bool) -> Bool {
        guard let reply = Reply.headOfStream(response.fields, closing: closing || context.isDraining) else {
            return false
        }
        return exchange.queue(response.status, reply)
    }

    private func queue(_ response: Response, _ exchange: MHDConnection, closing: Bool) -> Bool {
        let closing = closing || context.isDraining
        let bytes: [UInt8]
        switch response.body {
        case .bytes(let own):
            if !closing, let kept = keptReply(own, response.fields) {
                return exchange.queue(response.status, kept.reply)
            }
            bytes = own
        case .shared(let shared):
            if !closing, let kept = CachedReply.of(shared, response.fields) {
                return exchange.queue(response.status, kept.reply)
            }
            bytes = shared.bytes
        case .stream, .upgrade: bytes = []
        }
        guard let reply = Reply.whole(bytes, response.fields, closing: closing) else {
            guard let reply = Reply.whole([], [:], closing: true) else { return false }
            return exchange.queue(.internalError, reply)
        }
        return exchange.queue(response.status, reply)
    }

    /// The cache is used by the library's thread only, and the library is not called under the lock.
    private func keptReply(_ bytes: [UInt8], _ fields: Fields) -> CachedReply? {
        let last = state.withLock { $0.kept }
        var kept = last
        let reply = CachedReply.of(bytes, fields, keeping: &kept)
        if kept !== last { state.withLock { $0.kept = kept } }
        return reply
    }

    private static let unsendable = Problem(
        .internalError,
        "unsendable-answer",
        "the response cannot be sent",
        detail: "a field of the response has an invalid character"
    )
}
