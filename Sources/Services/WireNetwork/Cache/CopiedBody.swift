import Synchronization
import WireBase
import WireHTTP

/// A body on its way to whoever asked, of which a copy is taken; the copy is handed on when all of it has come.
///
/// What is larger than the limit, breaks off, or is let go of is not handed on.
final class CopiedBody: BodyReader {
    private let source: any BodyReader
    private let limit: Int
    private let length: Int?
    /// Nil once there is nothing to be handed on.
    private let copy = Mutex<[UInt8]?>([])
    private let whole: @Sendable ([UInt8]) async -> Void

    /// Copies no more than a limit, and hands on nothing that has another length than the head says.
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
        // Who knows the length reads no further than that, and so never comes to the end.
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

/// A body that is there already.
struct StoredBody: BodyReader {
    /// All of it, for whoever need not read it piece by piece.
    let bytes: [UInt8]
    private let rest: OneShotBody

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        rest = OneShotBody(bytes.isEmpty ? nil : bytes)
    }

    func read() async throws -> [UInt8]? { rest.take() }
}

/// Bytes that are given once.
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
