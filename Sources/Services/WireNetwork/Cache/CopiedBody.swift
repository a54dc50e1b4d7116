import Synchronization
import WireBase
import WireHTTP

/// A response body that is copied while the caller reads it.
///
/// The complete copy is handed on; a body that exceeds the limit, breaks off or is discarded is not.
final class CopiedBody: BodyReader {
    private let source: any BodyReader
    private let limit: Int
    private let length: Int?
    /// Nil once the copy is abandoned.
    private let copy = Mutex<[UInt8]?>([])
    private let whole: @Sendable ([UInt8]) async -> Void

    /// Copies up to a limit; a body with another length than announced is not handed on.
    init(
        _ source: any BodyReader,
        upTo limit: ByteCount,
        length: Int?,
        whole: @escaping @Sendable ([UInt8]) async -> Void
    ) {
        (self.source, self.limit, self.length, self.whole) = (source, limit.bytes, length, whole)
        if length ?? 0 > limit.bytes { copy.withLock { $0 = nil } }
    }

    func read() async throws -> [UInt8]? {
        let more: [UInt8]?
        do {
            more = try await source.read()
        } catch {
            copy.withLock { $0 = nil }
            throw error
        }
        guard let more else {
            let bytes = copy.withLock { copy in
                defer { copy = nil }
                return copy
            }
            if let bytes, length ?? bytes.count == bytes.count { await whole(bytes) }
            return nil
        }
        // A reader that knows the length stops there and never sees the end.
        let bytes: [UInt8]? = copy.withLock { copy in
            guard let count = copy?.count else { return nil }
            if count + more.count > limit { copy = nil } else { copy?.append(contentsOf: more) }
            guard let length, copy?.count == length else { return nil }
            defer { copy = nil }
            return copy
        }
        if let bytes { await whole(bytes) }
        return more
    }
}

/// A body in memory.
struct StoredBody: BodyReader {
    /// All bytes, for callers that do not read in parts.
    let bytes: [UInt8]
    private let rest: OneShotBody

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        rest = OneShotBody(bytes.isEmpty ? nil : bytes)
    }

    func read() async throws -> [UInt8]? { rest.take() }
}

/// Bytes that can be read once.
final class OneShotBody: Sendable {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]?) { self.bytes = Mutex(bytes) }

    func take() -> [UInt8]? {
        bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
    }
}
