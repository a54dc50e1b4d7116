import WireAuthContract
import WireBackendContract
import WireBase
import WireHTTP

/// Applies faults to exchanges.
extension Exchange {
    /// The exchange with a fault applied.
    func suffering(_ fault: OrderedFault, _ faultInjector: FaultInjector, _ clock: TimeSource) -> Exchange {
        let order = fault.order
        switch order.kind {
        case .status, nil:
            let reason = "injected fault; run 'corewire backends faults' to list faults"
            let retryAfter = order.retryAfterSeconds.map { Duration.seconds($0) }
            return replaced(
                by: FaultInjector.failure(reason, status: Status(order.status ?? 503), retryAfter: retryAfter)
            )
        case .latency: return delayed(by: .milliseconds(order.latencyMilliseconds ?? 1_000), clock)
        case .reset:
            var cut = self
            cut.isCut = true
            return cut
        case .blackHole:
            return Exchange(
                .stream(upTo: nil) { _, _ in
                    await faultInjector.swallow()
                    return FaultInjector.failure("the server closes")
                },
                finished: finished
            )
        case .drip: return reshaped { response in response.dripping(order.bytesPerSecond ?? 100, clock) }
        case .truncate: return reshaped { response in response.ending(after: 0.5, .cut) }
        case .wrongLength:
            return reshaped { response in response.ending(after: 1, .wait { await faultInjector.swallow() }) }
        }
    }

    private func reshaped(_ change: @escaping @Sendable (Response) -> Response) -> Exchange {
        Exchange(plan.answering(change), finished: finished)
    }
}

/// The body of a response: complete in memory, or written step by step.
private enum Source: Sendable {
    case bytes([UInt8])
    case stream(length: Int?, @Sendable (any BodyWriter) async throws -> Void)

    init?(_ response: Response) {
        guard response.status != .noContent, response.status != .notModified else { return nil }
        switch response.body {
        case .bytes(let bytes): self = .bytes(bytes)
        case .shared(let shared): self = .bytes(shared.bytes)
        case .stream(let write): self = .stream(length: response.fields["Content-Length"].flatMap { Int($0) }, write)
        case .upgrade: return nil
        }
    }

    var length: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .stream(let length, _): length
        }
    }

    func write(to writer: any BodyWriter) async throws {
        switch self {
        case .bytes(let bytes): try await writer.write(bytes)
        case .stream(_, let write): try await write(writer)
        }
    }
}

/// How a faulty body ends.
private enum BadEnd: Sendable {
    case cut
    case wait(@Sendable () async -> Void)

    /// The fault of a connection that has no bodies.
    var ofUpgraded: FaultyStream.Fault {
        switch self {
        case .cut: .cut(after: 1_024)
        case .wait: .silent(after: 1_024)
        }
    }
}

/// Thrown to cut the connection.
private let cutShort = Fault("the body is cut short")

extension Response {
    /// The response with its body slowed to a number of bytes a second.
    fileprivate func dripping(_ speed: Int, _ clock: TimeSource) -> Response {
        if let upgraded = upgraded(with: .slow(speed, clock)) { return upgraded }
        guard let source = Source(self) else { return self }
        var response = self
        if let length = source.length { response.fields["Content-Length"] = "\(length)" }
        response.body = .stream { writer in try await source.write(to: SlowWriter(writer, speed, clock)) }
        return response
    }

    /// The response whose connection has a fault after the handshake; nil where the protocol stays.
    private func upgraded(with fault: FaultyStream.Fault) -> Response? {
        guard case .upgrade(let run) = body else { return nil }
        var response = self
        response.body = .upgrade { stream in
            do { try await run(FaultyStream(stream, fault)) } catch is FaultyStream.Cut {}
        }
        return response
    }

    /// The response with its body cut off before the promised length.
    fileprivate func ending(after part: Double, _ end: BadEnd) -> Response {
        if let upgraded = upgraded(with: end.ofUpgraded) { return upgraded }
        guard let source = Source(self) else { return self }
        var response = self
        let length = source.length
        let allowed = length.map { Int(Double($0) * part) }
        // One byte more than the body has, where all of it is sent.
        if let length { response.fields["Content-Length"] = "\(part < 1 ? max(1, length) : length + 1)" }
        response.body = .stream { writer in
            do {
                try await source.write(to: ShortWriter(writer, upTo: allowed ?? 1_024))
            } catch let fault as Fault where fault == cutShort {}
            if case .wait(let wait) = end { await wait() }
            throw cutShort
        }
        return response
    }
}

/// Writes a few bytes at a time.
private struct SlowWriter: BodyWriter {
    let writer: any BodyWriter
    let speed: Int
    let clock: TimeSource

    init(_ writer: any BodyWriter, _ speed: Int, _ clock: TimeSource) {
        (self.writer, self.speed, self.clock) = (writer, speed, clock)
    }

    func write(_ bytes: [UInt8]) async throws {
        let pace = Pace(speed)
        for piece in pace.pieces(of: bytes) {
            try await writer.write(piece)
            try await clock.sleep(pace.pause(after: piece.count))
        }
    }
}

/// Writes a limited number of bytes.
private actor ShortWriter: BodyWriter {
    private let writer: any BodyWriter
    private var left: Int

    init(_ writer: any BodyWriter, upTo limit: Int) {
        self.writer = writer
        left = limit
    }

    func write(_ bytes: [UInt8]) async throws {
        let part = Array(bytes.prefix(left))
        left -= part.count
        try await writer.write(part)
        if part.count < bytes.count { throw cutShort }
    }
}
