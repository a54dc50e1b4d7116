import Synchronization
import WireBase
import WireHTTP

/// One request and its answer: where the task that asks and the thread that transfers meet.
///
/// It ends once, by whoever is first, and what its end is does not change. Whoever waits is told outside the lock.
final class Exchange: Sendable {
    /// What is done with bytes of the body that have come.
    enum Reception {
        case taken
        /// The reader is slow; the sender has to wait.
        case hold
        /// Nobody reads them.
        case stop
    }

    fileprivate typealias HeadWaiter = CheckedContinuation<Result<ResponseHead, TransferFailure>, Never>
    fileprivate typealias BodyWaiter = CheckedContinuation<Result<[UInt8]?, TransferFailure>, Never>

    fileprivate struct State {
        var end: Result<Void, TransferFailure>?
        var mayBeSent = false
        var headWaiter: HeadWaiter?
        var bodyWaiter: BodyWaiter?
        /// What has come and waits to be handed over.
        var head: ResponseHead?
        var bytes: [UInt8] = []
        var isHeld = false
        /// How much of the body is still to come, where its length is known.
        var left: Int?
        /// How much more of a body that nobody reads is let in for the sake of the connection.
        var discards: Int?
        var pump: Task<Void, Never>?
    }

    /// What mostly comes at once of a large body.
    private static let usualPart = 65_536

    let hop: Hop
    /// In monotonic nanoseconds.
    let deadline: UInt64
    let upload: Upload?
    private let mailbox: Mailbox
    private let meter: Meter
    private let limit: Int
    private let state = Mutex(State())

    init(_ hop: Hop, deadline: UInt64, mailbox: Mailbox, meter: Meter, limit: ByteCount) {
        (self.hop, self.deadline, self.mailbox, self.meter, self.limit) = (hop, deadline, mailbox, meter, limit.bytes)
        switch hop.body {
        case .stream(let length, let reader):
            upload = Upload(reader, length: length, limit: limit, meter: meter)
        case .upgrade(_, let reader): upload = Upload(reader, length: nil, limit: limit, meter: meter)
        case .none, .bytes: upload = nil
        }
    }

    deinit {
        meter.letGo(state.withLock { $0.bytes.count })
    }

    // MARK: The task that asks

    /// Sends the request and waits for the head of the answer.
    func head() async throws(TransferFailure) -> ResponseHead {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: HeadWaiter) in start(waiter) }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    private func start(_ waiter: HeadWaiter) {
        let early = state.withLock { state in
            if state.end == nil { state.headWaiter = waiter }
            return state.end
        }
        if case .failure(let failure) = early { return waiter.resume(returning: .failure(failure)) }
        guard mailbox.post(.start(self)) else { return end(.failure(.stopped)) }
        if hop.upgrade == nil { sendUpload() }
    }

    /// Reads the body from now on, as it is sent.
    private func sendUpload() {
        guard let upload else { return }
        // Not part of the asking task, since that goes on with the head of the answer while the body is still being
        // sent; it ends with the exchange, which closes the upload and cancels it.
        let pump = Task { await upload.pump { self.mailbox.post(.look(self)) } }
        let isLate = state.withLock { state in
            state.pump = pump
            return state.end != nil
        }
        if isLate { pump.cancel() }
    }

    /// The next bytes of the body; nil at its end.
    func read() async throws(TransferFailure) -> [UInt8]? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: BodyWaiter) in
                let (outcome, wasHeld) = state.withLock { state in
                    let read = state.read(waiter)
                    // Under the lock, since more may come as soon as there is room.
                    if case .success(let bytes?) = read.outcome { meter.letGo(bytes.count) }
                    return read
                }
                guard let outcome else { return }
                if wasHeld { mailbox.post(.look(self)) }
                waiter.resume(returning: outcome)
            }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    /// Stops the transfer, if it has not ended.
    func cancel() {
        let (failure, parting) = state.withLock { state in
            // Both under one lock, so that nothing can leave after it was said that nothing has.
            let failure = TransferFailure(.cancelled, "the request was cancelled", wasNotSent: !state.mayBeSent)
            return (failure, state.end(.failure(failure), isCancellation: true))
        }
        guard let parting else { return }
        part(parting, .failure(failure))
        mailbox.post(.look(self))
    }

    /// Stops the transfer when its body has no reader any more, unless that was meant.
    ///
    /// One that has come wholly ends by itself, and its connection is kept.
    func letGo() {
        let isComplete = state.withLock { $0.discards != nil || $0.left == 0 }
        if !isComplete { cancel() }
    }

    /// Lets a little more of the body come and go, so that the connection can be used again.
    func discard(upTo limit: ByteCount) {
        state.withLock { state in
            state.discards = limit.bytes
            meter.letGo(state.bytes.count)
            state.bytes = []
        }
        mailbox.post(.look(self))
    }

    // MARK: The thread that transfers

    /// The server has answered whether the protocol is another from here on; if so, there is something to be sent.
    func settleUpgrade(isAccepted: Bool) {
        guard !isAccepted else { return sendUpload() }
        endUpload()
    }

    /// Nothing more is sent than what is there to be sent already.
    func endUpload() {
        upload?.finish()
        mailbox.post(.look(self))
    }

    var isOver: Bool { state.withLock { $0.end != nil } }

    var isDiscarding: Bool { state.withLock { $0.discards != nil } }

    /// Whether the sender need not wait any longer.
    var hasRoom: Bool { state.withLock { !$0.isHeld || $0.discards != nil } }

    /// The last moment before something leaves; false when it must not any more.
    func beginsToSend() -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.mayBeSent = true
            return true
        }
    }

    /// Takes the head of the answer; ``handOver()`` gives it to who waits for it.
    func deliver(_ head: ResponseHead) {
        let isBodiless = hop.method == .head || head.status == .noContent || head.status == .notModified
        let length = isBodiless ? 0 : head.fields["Content-Length"].flatMap { Int($0) }
        state.withLock { state in
            state.left = length
            state.head = head
        }
    }

    /// Takes bytes of the body; ``handOver()`` gives them to who waits for them.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
        state.withLock { state in
            guard state.end == nil else { return .stop }
            if let left = state.discards {
                state.left = state.left.map { $0 - bytes.count }
                state.discards = left - bytes.count
                return left < bytes.count ? .stop : .taken
            }
            guard state.hasRoom(for: bytes.count, of: limit) else {
                state.isHeld = true
                return .hold
            }
            if state.bytes.isEmpty, let left = state.left, left > bytes.count {
                state.bytes.reserveCapacity(min(left, limit, Self.usualPart))
            }
            state.left = state.left.map { $0 - bytes.count }
            unsafe state.bytes.append(contentsOf: bytes)
            meter.hold(bytes.count)
            return .taken
        }
    }

    /// Gives what has come to who waits for it; whether the sender waited and need not any longer.
    ///
    /// Called once for all that libcurl had at a time, so that a body wakes its reader once for many small parts of it, and
    /// a small answer is there whole when its asker wakes.
    func handOver() -> Bool {
        let (head, bytes, wasHeld) = state.withLock { state in
            (state.takeHead(), state.takeBytes(counting: meter), state.letsFlow())
        }
        if let (waiter, head) = head { waiter.resume(returning: .success(head)) }
        if let (waiter, bytes) = bytes { waiter.resume(returning: .success(bytes)) }
        return wasHeld
    }

    /// Ends the exchange, if nothing has before.
    func end(_ end: Result<Void, TransferFailure>) {
        let parting = state.withLock { $0.end(end, isCancellation: false) }
        if let parting { part(parting, end) }
    }

    private func part(_ parting: Parting, _ end: Result<Void, TransferFailure>) {
        meter.letGo(parting.dropped)
        parting.pump?.cancel()
        upload?.close()
        switch end {
        case .success:
            parting.headWaiter?.resume(returning: parting.head.map { .success($0) } ?? .failure(.headless))
            parting.bodyWaiter?.resume(returning: .success(parting.bytes))
        case .failure(let failure):
            parting.headWaiter?.resume(returning: parting.head.map { .success($0) } ?? .failure(failure))
            parting.bodyWaiter?.resume(returning: parting.bytes.map { .success($0) } ?? .failure(failure))
        }
    }

    fileprivate struct Parting {
        let headWaiter: HeadWaiter?
        let bodyWaiter: BodyWaiter?
        let pump: Task<Void, Never>?
        /// What had come before the end, for who waits for it.
        let head: ResponseHead?
        let bytes: [UInt8]?
        let dropped: Int
    }
}

extension Exchange.State {
    fileprivate func hasRoom(for count: Int, of limit: Int) -> Bool {
        bytes.count + count <= max(limit, count)
    }

    fileprivate mutating func takeHead() -> (Exchange.HeadWaiter, ResponseHead)? {
        guard let headWaiter, let head else { return nil }
        (self.headWaiter, self.head) = (nil, nil)
        return (headWaiter, head)
    }

    fileprivate mutating func takeBytes(counting meter: Meter) -> (Exchange.BodyWaiter, [UInt8])? {
        guard let bodyWaiter, !bytes.isEmpty else { return nil }
        defer { (self.bodyWaiter, bytes) = (nil, []) }
        meter.letGo(bytes.count)
        return (bodyWaiter, bytes)
    }

    /// Whether the sender was made to wait and there is room again.
    fileprivate mutating func letsFlow() -> Bool {
        guard isHeld, bytes.isEmpty else { return false }
        isHeld = false
        return true
    }

    fileprivate mutating func read(
        _ waiter: Exchange.BodyWaiter
    ) -> (outcome: Result<[UInt8]?, TransferFailure>?, wasHeld: Bool) {
        if !bytes.isEmpty {
            defer { (bytes, isHeld) = ([], false) }
            return (.success(bytes), isHeld)
        }
        switch end {
        case .success: return (.success(nil), false)
        case .failure(let failure): return (.failure(failure), false)
        case nil: break
        }
        guard bodyWaiter == nil else {
            return (
                .failure(
                    TransferFailure(.invalidRequest, "the body is read twice at the same time", wasNotSent: false)
                ),
                false
            )
        }
        bodyWaiter = waiter
        return (nil, false)
    }

    fileprivate mutating func end(
        _ end: Result<Void, TransferFailure>,
        isCancellation: Bool
    ) -> Exchange.Parting? {
        guard self.end == nil else { return nil }
        self.end = end
        // What has come is still there for its reader, unless the reader is who has gone.
        let isRead = !isCancellation && bodyWaiter != nil && !bytes.isEmpty
        defer {
            (headWaiter, bodyWaiter, pump, head) = (nil, nil, nil, nil)
            if isCancellation || isRead { bytes = [] }
        }
        return Exchange.Parting(
            headWaiter: headWaiter,
            bodyWaiter: bodyWaiter,
            pump: pump,
            head: isCancellation ? nil : head,
            bytes: isRead ? bytes : nil,
            dropped: isCancellation || isRead ? bytes.count : 0
        )
    }
}

extension TransferFailure {
    static var stopped: TransferFailure {
        TransferFailure(.cancelled, "the client has been stopped", wasNotSent: true)
    }

    fileprivate static var headless: TransferFailure {
        TransferFailure(.protocolError, "the answer ended before its head", wasNotSent: false)
    }
}
