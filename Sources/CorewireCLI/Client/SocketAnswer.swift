import WireBase
package import WireHost
import WireHTTP

/// A streamed response; the connection closes with its deinitialization.
actor SocketAnswer: BodyReader {
    private let stream: UnixStream
    private let silence: Duration
    private var parser: AnswerParser
    /// Received bytes of the body that have not been read.
    private var early: [UInt8] = []
    /// Why no more can be read.
    private var failure: TransferFailure?

    init(to method: Method, on stream: UnixStream, silence: Duration) {
        (self.stream, self.silence) = (stream, silence)
        parser = AnswerParser(to: method)
    }

    /// Sends a request and waits for the head of the response, with a timeout from the last sent byte.
    func head(to bytes: [UInt8], within limit: Duration) async throws(TransferFailure) -> ResponseHead {
        let end = try await send(bytes, waiting: limit)
        while true {
            if let head = parser.answer { return head }
            try await more(until: end)
        }
    }

    func read() async throws -> [UInt8]? {
        if let failure { throw failure }
        do throws(TransferFailure) {
            return try await body(until: Monotonic.after(silence))
        } catch {
            failure = error
            throw error
        }
    }

    /// Sends a request; returns the deadline for the head of the response.
    ///
    /// A runner that has answered, or stopped reading, does not need the rest: the response explains.
    private func send(_ bytes: [UInt8], waiting limit: Duration) async throws(TransferFailure) -> UInt64 {
        var rest = bytes[...]
        var end = Monotonic.after(limit)
        while !rest.isEmpty, parser.answer == nil {
            do throws(UnixStream.Failure) {
                let count = try stream.send(rest)
                rest = rest.dropFirst(count)
                if count > 0 {
                    end = Monotonic.after(limit)
                    continue
                }
                try await stream.wait(forRoom: true, until: end)
            } catch .closed {
                break
            } catch {
                throw TransferFailure(error)
            }
            guard try takeNext() ?? true else { break }
        }
        return end
    }

    /// The next bytes of the body; nil at its end.
    private func body(until end: UInt64) async throws(TransferFailure) -> [UInt8]? {
        while early.isEmpty {
            if parser.isDone { return nil }
            guard try await more(until: end) else { return nil }
        }
        defer { early = [] }
        return early
    }

    /// Waits for bytes; false at the end of a response that ends with the connection.
    @discardableResult
    private func more(until end: UInt64) async throws(TransferFailure) -> Bool {
        while true {
            if let hasMore = try takeNext() { return hasMore }
            try await TransferFailure.rethrowing(try await stream.wait(until: end))
        }
    }

    /// Reads available bytes: true for bytes, false at the end, nil where none have arrived.
    private func takeNext() throws(TransferFailure) -> Bool? {
        let arrival = try TransferFailure.rethrowing(try stream.receive())
        switch arrival {
        case .none: return nil
        case .end where parser.mayEnd: return false
        case .end: throw TransferFailure(.closed)
        case .bytes(let bytes):
            do throws(Fault) {
                early += try parser.consume(bytes)
            } catch {
                throw TransferFailure(.protocolError, "the response cannot be read: \(error.reason)", wasNotSent: false)
            }
            return true
        }
    }
}

extension TransferFailure: WrappingError {
    /// The failure of a connection as that of a request.
    package init(_ failure: UnixStream.Failure) { self.init(failure, isConnected: true) }

    init(_ failure: UnixStream.Failure, isConnected: Bool) {
        let (kind, reason): (Kind, String) =
            switch failure {
            case .unreachable(let reason): (.unreachable, reason)
            case .exhausted(let reason): (.exhausted, reason)
            case .timeout: (.timeout, "the response timed out")
            case .closed: (.interrupted, "the connection was closed before the end of the response")
            case .cancelled: (.cancelled, "the request was cancelled")
            }
        self.init(kind, reason, wasNotSent: !isConnected)
    }
}
