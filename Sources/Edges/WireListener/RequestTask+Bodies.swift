import Synchronization
import WireHTTP

extension RequestTask.State {
    mutating func read(
        _ reader: CheckedContinuation<[UInt8]?, any Error>,
        now: UInt64
    ) -> Result<[UInt8]?, any Error>? {
        if let failure = incoming.failure { return .failure(failure) }
        if Task.isCancelled { return .failure(CancellationError()) }
        if !incoming.bytes.isEmpty {
            resumeLibrary()
            return .success(incoming.takeAll())
        }
        if incoming.isEnded { return .success(nil) }
        if isGone { return .failure(ConnectionGone()) }
        precondition(incoming.reader == nil, "a body has one reader at a time")
        incoming.reader = reader
        incoming.since = now
        return nil
    }

    /// Adds bytes to the body; nil where the writer has to wait.
    ///
    /// Each of several writers waits by itself, and its bytes stay together.
    mutating func write(
        _ bytes: [UInt8],
        _ writer: CheckedContinuation<Void, any Error>,
        _ id: UInt64
    ) -> Result<Void, any Error>? {
        if isGone { return .failure(ConnectionGone()) }
        if Task.isCancelled { return .failure(CancellationError()) }
        outgoing.append(bytes)
        resumeLibrary()
        if outgoing.count < RequestTask.highWater { return .success(()) }
        outgoing.writers[id] = writer
        return nil
    }
}

extension RequestTask.Incoming {
    mutating func takeAll() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}

/// The body of a request, for its handler.
struct IncomingBody: BodyReader {
    let work: RequestTask

    func read() async throws -> [UInt8]? { try await work.read() }
}

/// The body of a response, for its handler.
struct OutgoingBody: BodyWriter {
    let work: RequestTask

    func write(_ bytes: [UInt8]) async throws { try await work.write(bytes) }
}
