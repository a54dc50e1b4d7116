import Synchronization
import WireBase
import WireHTTP

/// One request with its response, shared by the requesting task and the transfer thread.
///
/// An exchange ends once, with the first result. Waiters are resumed outside the lock.
final class TransferExchange: Sendable {
    /// The reaction to received bytes of the body.
    enum Reception {
        case taken
        /// The reader is slow; pause the sender.
        case hold
        /// The body has no reader.
        case stop
    }

    fileprivate typealias HeadWaiter = CheckedContinuation<Result<ResponseHead, TransferFailure>, Never>
    fileprivate typealias BodyWaiter = CheckedContinuation<Result<[UInt8]?, TransferFailure>, Never>

    fileprivate struct State {
        var end: Result<Void, TransferFailure>?
        var mayBeSent = false
        var headWaiter: HeadWaiter?
        var bodyWaiter: BodyWaiter?
        /// The received parts that are not handed over yet.
        var head: ResponseHead?
        var bytes: [UInt8] = []
        var isHeld = false
        /// The number of bytes still to come, where known.
        var left: Int?
        /// How much more of an unread body is accepted to keep the connection.
        var discards: Int?
        var pump: Task<Void, Never>?
    }

    /// The usual size of a part of a large body.
    private static let usualPart = 65_536

    let hop: Hop
    /// The deadline in monotonic nanoseconds.
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
        case .upgrade(_, let reader), .connection(let reader):
            upload = Upload(reader, length: nil, limit: limit, meter: meter)
        case .none, .bytes: upload = nil
        }
    }

    deinit {
        meter.release(state.withLock { $0.bytes.count })
    }

    // MARK: Requesting task

    /// Sends the request and returns the head of the response.
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
        if !hop.leavesHTTP { sendUpload() }
    }

    /// Starts reading the request body while it is sent.
    private func sendUpload() {
        guard let upload else { return }
        // A task of its own, since the requesting task continues with the head of the response; it ends with the
        // exchange, which closes the upload and cancels the task.
        let pump = Task { await upload.pump { self.mailbox.post(.poll(self)) } }
        let isLate = state.withLock { state in
            state.pump = pump
            return state.end != nil
        }
        if isLate { pump.cancel() }
    }

    /// Returns the next bytes of the body; nil at its end.
    func read() async throws(TransferFailure) -> [UInt8]? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: BodyWaiter) in
                let (outcome, wasHeld) = state.withLock { state in
                    let read = state.read(waiter)
                    // Under the lock, since more bytes may arrive as soon as there is room.
                    if case .success(let bytes?) = read.outcome { meter.release(bytes.count) }
                    return read
                }
                guard let outcome else { return }
                if wasHeld { mailbox.post(.poll(self)) }
                waiter.resume(returning: outcome)
            }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    /// Cancels the transfer, if it has not ended.
    func cancel() {
        let (failure, parting) = state.withLock { state in
            // Both under one lock, so that no byte is sent after the failure says that none was.
            let failure = TransferFailure(.cancelled, "the request was cancelled", wasNotSent: !state.mayBeSent)
            return (failure, state.end(.failure(failure), isCancellation: true))
        }
        guard let parting else { return }
        part(parting, .failure(failure))
        mailbox.post(.poll(self))
    }

    /// Cancels the transfer when its body has lost its reader, unless that was intended.
    ///
    /// A complete one ends by itself and keeps its connection.
    func release() {
        let isComplete = state.withLock { $0.discards != nil || $0.left == 0 }
        if !isComplete { cancel() }
    }

    /// Accepts and drops a limited rest of the body, so that the connection can be reused.
    func discard(upTo limit: ByteCount) {
        state.withLock { state in
            state.discards = limit.bytes
            meter.release(state.bytes.count)
            state.bytes = []
        }
        mailbox.post(.poll(self))
    }

    // MARK: Transfer thread

    /// Records the server's answer to an upgrade; if it accepts, sending starts.
    func settleUpgrade(isAccepted: Bool) {
        guard !isAccepted else { return sendUpload() }
        endUpload()
    }

    /// Ends the upload after the bytes that are there.
    func endUpload() {
        upload?.finish()
        mailbox.post(.poll(self))
    }

    var isOver: Bool { state.withLock { $0.end != nil } }

    var isDiscarding: Bool { state.withLock { $0.discards != nil } }

    /// Whether the sender may continue.
    var hasRoom: Bool { state.withLock { !$0.isHeld || $0.discards != nil } }

    /// Marks the request as sent; returns false if it must not be sent any more.
    func beginsToSend() -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.mayBeSent = true
            return true
        }
    }

    /// Stores the head of the response, which ``handOver()`` delivers.
    func deliver(_ head: ResponseHead) {
        let isBodiless = hop.method == .head || head.status == .noContent || head.status == .notModified
        let length = isBodiless ? 0 : head.fields["Content-Length"].flatMap { Int($0) }
        state.withLock { state in
            state.left = length
            state.head = head
        }
    }

    /// Stores bytes of the body, which ``handOver()`` delivers.
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

    /// Delivers the received parts to the waiter; returns whether a paused sender may continue.
    ///
    /// Called once for each batch from libcurl, so that many small parts wake the reader once, and a small response
    /// is complete when its task wakes.
    func handOver() -> Bool {
        let (head, bytes, wasHeld) = state.withLock { state in
            (state.takeHead(), state.takeBytes(counting: meter), state.letsFlow())
        }
        if let (waiter, head) = head { waiter.resume(returning: .success(head)) }
        if let (waiter, bytes) = bytes { waiter.resume(returning: .success(bytes)) }
        return wasHeld
    }

    /// Ends the exchange, if it has not ended.
    func end(_ end: Result<Void, TransferFailure>) {
        let parting = state.withLock { $0.end(end, isCancellation: false) }
        if let parting { part(parting, end) }
    }

    private func part(_ parting: Parting, _ end: Result<Void, TransferFailure>) {
        meter.release(parting.dropped)
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
        /// The parts received before the end, for the waiter.
        let head: ResponseHead?
        let bytes: [UInt8]?
        let dropped: Int
    }
}

extension TransferExchange.State {
    fileprivate func hasRoom(for count: Int, of limit: Int) -> Bool {
        bytes.count + count <= max(limit, count)
    }

    fileprivate mutating func takeHead() -> (TransferExchange.HeadWaiter, ResponseHead)? {
        guard let headWaiter, let head else { return nil }
        (self.headWaiter, self.head) = (nil, nil)
        return (headWaiter, head)
    }

    fileprivate mutating func takeBytes(counting meter: Meter) -> (TransferExchange.BodyWaiter, [UInt8])? {
        guard let bodyWaiter, !bytes.isEmpty else { return nil }
        defer { (self.bodyWaiter, bytes) = (nil, []) }
        meter.release(bytes.count)
        return (bodyWaiter, bytes)
    }

    /// Resumes a paused sender if there is room.
    fileprivate mutating func letsFlow() -> Bool {
        guard isHeld, bytes.isEmpty else { return false }
        isHeld = false
        return true
    }

    fileprivate mutating func read(
        _ waiter: TransferExchange.BodyWaiter
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
    ) -> TransferExchange.Parting? {
        guard self.end == nil else { return nil }
        self.end = end
        // Received bytes stay available to the reader, unless the reader has cancelled.
        let isRead = !isCancellation && bodyWaiter != nil && !bytes.isEmpty
        defer {
            (headWaiter, bodyWaiter, pump, head) = (nil, nil, nil, nil)
            if isCancellation || isRead { bytes = [] }
        }
        return TransferExchange.Parting(
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
        TransferFailure(.cancelled, "the HTTP client was stopped", wasNotSent: true)
    }

    fileprivate static var headless: TransferFailure {
        TransferFailure(.protocolError, "the response ended before its head", wasNotSent: false)
    }
}
