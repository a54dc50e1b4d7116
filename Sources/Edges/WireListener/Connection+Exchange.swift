import Glibc
import Synchronization
import WireBase
import WireHTTP

extension Connection.State {
    /// Changes the stage, unless the connection is being dismissed.
    fileprivate mutating func begin(_ next: Connection.Stage) {
        if case .dismissed = stage { return }
        stage = next
    }

    fileprivate mutating func take(_ request: Request, _ head: HeadFields, _ plan: Exchange) {
        self.request = request
        finished = plan.finished
        runsInline = plan.runsInline
        isHTTP10 = head.isHTTP10
        remaining = head.isChunked ? nil : head.contentLength ?? 0
    }
}

/// A request during the library's callbacks, in the order of the calls.
extension Connection {
    /// The largest rest of a body that is read and dropped to keep the connection.
    private static let smallBody = 65_536
    static let lingering: UInt64 = 1_000_000_000

    /// Handles a complete head.
    ///
    /// A response given now ends the connection: the library reads no further.
    func headCame(_ text: RequestText, target: String?, _ exchange: MHDConnection) -> Bool {
        let head: HeadFields
        do throws(Problem) {
            head = try check(text, target)
        } catch {
            begin(.answering)
            return reply(error.response, exchange, isHead: text.method == "HEAD", closing: true)
        }
        guard let parsed = Target(parsing: target ?? "") else {
            begin(.answering)
            return reply(Self.badTarget.response, exchange, isHead: text.method == "HEAD", closing: true)
        }
        let request = Request(method: Method(text.method), target: parsed, fields: head.fields, caller: caller)
        let plan = context.responder.exchange(for: request)
        // Only admitted requests are counted.
        defer {
            thread.tally.countRequest()
            endInput()
        }
        return follow(plan, request, head, exchange)
    }

    private func check(_ text: RequestText, _ target: String?) throws(Problem) -> HeadFields {
        guard text.targetSize <= context.limits.target.bytes else {
            throw Problem(
                .uriTooLong,
                "target-too-long",
                "the target is too long",
                detail: "the target has \(text.targetSize) bytes, expected \(context.limits.target.bytes) at most"
            )
        }
        guard text.headSize <= context.limits.header.bytes else {
            throw Problem(
                .headerTooLarge,
                "header-too-large",
                "the header is too large",
                detail: "the header has \(text.headSize) bytes, expected \(context.limits.header.bytes) at most"
            )
        }
        do throws(AmbiguousHead) {
            return try text.read(target: target)
        } catch {
            throw Problem(.badRequest, "malformed-request", "the request is malformed", detail: error.detail)
        }
    }

    private static let badTarget = Problem(
        .badRequest,
        "malformed-target",
        "the target is malformed",
        detail: "expected a path that begins with '/', in UTF-8, without '.' and '..' segments"
    )

    private func begin(_ stage: Stage) {
        state.withLock { $0.begin(stage) }
    }

    private func follow(_ plan: Exchange, _ request: Request, _ head: HeadFields, _ exchange: MHDConnection) -> Bool {
        let isHead = request.method == .head
        if plan.isCut {
            state.withLock { $0.take(request, head, plan) }
            cut()
            return false
        }
        switch plan.plan {
        case .answer(let response):
            let isSmall = !head.isChunked && (head.contentLength ?? 0) <= Self.smallBody && !head.expectsContinue
            let isLate = head.hasBody && !isSmall
            state.withLock { state in
                state.take(request, head, plan)
                state.response = response
                state.begin(isLate ? .answering : .ready)
            }
            return isLate ? reply(response, exchange, isHead: isHead, closing: true) : true
        case .collect(let limit, let collector):
            let isTooLong = head.contentLength ?? 0 > limit.bytes
            state.withLock { state in
                state.take(request, head, plan)
                if isTooLong { return }
                state.allow(limit.bytes)
                state.collector = collector
                if let length = head.contentLength { state.request?.body.reserveCapacity(length) }
                state.begin(.collecting)
            }
            return isTooLong ? refuseBody(limit, head, exchange) : true
        case .stream(let limit, let handler):
            state.withLock { $0.take(request, head, plan) }
            if let limit, head.contentLength ?? 0 > limit.bytes { return refuseBody(limit, head, exchange) }
            // A small body is complete in a moment, and the handler then reads it without a wait.
            let isSmall = head.contentLength.map { $0 <= Request.smallBody } ?? !head.isChunked
            let work = RequestTask(
                for: self,
                isHead: isHead,
                hasWholeBody: false,
                runsInline: plan.runsInline && isSmall,
                finished: plan.finished
            ) { await handler(request, $0) }
            let isDeferred = plan.runsInline && isSmall && !head.expectsContinue
            state.withLock { state in
                state.allow(limit?.bytes ?? Int.max)
                if isDeferred { state.deferred = work }
                state.begin(.working)
            }
            if isDeferred { attach(work) } else { start(work) }
            return true
        }
    }

    private func tooLarge(_ limit: Int) -> Problem {
        Problem(
            .contentTooLarge,
            "body-too-large",
            "the body is too large",
            detail: "expected \(ByteCount.bytes(limit)) at most"
        )
    }

    /// Refuses a body that is too large before it is sent.
    private func refuseBody(_ limit: ByteCount, _ head: HeadFields, _ exchange: MHDConnection) -> Bool {
        if head.expectsContinue {
            begin(.answering)
            return reply(tooLarge(limit.bytes).response, exchange, isHead: false, closing: true)
        }
        dismiss(RawAnswer.bytes(tooLarge(limit.bytes).response), waiting: Self.lingering)
        return true
    }

    /// Handles a piece of the body; returns false to end the connection.
    func bodyCame(_ bytes: UnsafeRawBufferPointer, _ exchange: MHDConnection) -> Bool {
        defer { endInput() }
        let (isOver, limit, work) = state.withLock { state -> (Bool, Int, RequestTask?) in
            switch state.stage {
            case .collecting:
                guard bytes.count <= state.limit else {
                    return (true, state.allowed, nil)
                }
                state.limit -= bytes.count
                unsafe state.request?.body.append(contentsOf: bytes)
                return (false, 0, nil)
            case .working:
                state.limit -= bytes.count
                state.remaining = state.remaining.map { $0 - bytes.count }
                return (state.limit < 0, state.allowed, state.work)
            case .waiting, .ready, .answering, .dismissed:
                return (false, 0, nil)
            }
        }
        if isOver {
            work?.inputFailed(BodyTooLarge(limit: .bytes(limit)))
            dismiss(RawAnswer.bytes(tooLarge(limit).response), waiting: Self.lingering)
        } else if let work {
            unsafe work.bodyCame(bytes, exchange)
        }
        return true
    }

    /// Handles a response before the end of the body: a small rest is read to keep the connection.
    func answeredEarly(_ response: Response) {
        let isLong = state.withLock { ($0.remaining ?? Int.max) > Self.smallBody }
        if isLong { answerEarly(response) }
    }

    /// Responds before the body is complete, which the library cannot do: writes to the socket directly, and closes
    /// the connection afterwards.
    ///
    /// A response that does not fit into the socket at once waits for the end of the body.
    func answerEarly(_ response: Response) {
        switch response.body {
        case .stream, .upgrade: return
        case .bytes(let bytes) where bytes.count > Self.smallBody: return
        case .shared(let shared) where shared.bytes.count > Self.smallBody: return
        case .bytes, .shared: break
        }
        let isWorking = state.withLock { state in
            // A body beyond its limit is answered already, before its handler sees the end.
            if case .working = state.stage { state.limit >= 0 } else { false }
        }
        if isWorking { dismiss(RawAnswer.bytes(response), waiting: Self.lingering) }
    }

    /// Handles the end of the request; called again whenever the library checks for a response.
    func bodyEnded(_ exchange: MHDConnection) -> Bool {
        enum Step {
            case reply(Response), decide(Request, @Sendable (Request) -> Exchange.Answer), respond(RequestTask), leave
        }
        let (step, isHead, deferred) = state.withLock { state -> (Step, Bool, RequestTask?) in
            let isHead = state.request?.method == .head
            switch state.stage {
            case .ready:
                state.stage = .answering
                return (state.response.map(Step.reply) ?? .leave, isHead, nil)
            case .collecting:
                state.stage = .answering
                guard let request = state.request.take(), let collector = state.collector else {
                    return (.leave, isHead, nil)
                }
                return (.decide(request, collector), isHead, nil)
            case .working: return (state.work.map(Step.respond) ?? .leave, isHead, state.deferred.take())
            case .waiting, .answering, .dismissed: return (.leave, isHead, nil)
            }
        }
        if let deferred {
            deferred.bodyEnded()
            launch(deferred)
        }
        switch step {
        case .leave: return false
        case .reply(let response): return reply(response, exchange, isHead: isHead)
        case .respond(let work): return respond(at: work, exchange)
        case .decide(let request, let collector):
            switch collector(request) {
            case .now(let response): return reply(response, exchange, isHead: isHead)
            case .later(let handler):
                let (finished, isShort) = state.withLock { ($0.finish, $0.runsInline) }
                let work = RequestTask(
                    for: self,
                    isHead: isHead,
                    hasWholeBody: true,
                    // A large body takes long to decode.
                    runsInline: isShort && request.body.count <= Request.smallBody,
                    finished: finished
                ) { _ in await handler() }
                begin(.working)
                start(work)
                return respond(at: work, exchange)
            }
        }
    }

    /// Responds if there is a result, and otherwise suspends the connection.
    private func respond(at work: RequestTask, _ exchange: MHDConnection) -> Bool {
        switch work.answer(or: exchange) {
        case .wait:
            probePeer()
            return true
        case .gone: return false
        case .answer(let response):
            begin(.answering)
            return send(response, of: work, exchange)
        }
    }

    func start(_ work: RequestTask) {
        attach(work)
        launch(work)
    }

    private func attach(_ work: RequestTask) {
        // The dismissing thread sets a mark first and looks for its work afterwards, so that one of the two threads
        // sees the other.
        let isLeft = state.withLock { state in
            state.work = work
            if case .dismissed = state.stage { return true }
            return state.hangUp == .whole
        }
        if isLeft { work.leave() }
    }

    private func launch(_ work: RequestTask) {
        if !context.tasks.start(work) { work.neverRan() }
        // Its first step runs before the library asks for the response.
        thread.runJobs()
    }
}
