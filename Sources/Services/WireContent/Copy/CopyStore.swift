import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireSecrets
import WireStore

/// The repository of copies: instances in parts, changes in further parts, and a head that lists the parts.
///
/// Parts are written first, under new names, then the head in one step, then unlisted parts are removed. A crash in
/// between leaves the former copy complete. The head is written only if it is unchanged since it was read: of two
/// concurrent writers the later one fails and changes nothing.
struct CopyStore: Sendable {
    private let values: any KeyValueStore
    private let secrecy: any CryptoProvider

    init(_ values: any KeyValueStore, _ secrecy: any CryptoProvider) {
        self.values = values
        self.secrecy = secrecy
    }

    /// A copy with its position in the store.
    struct Stored: Sendable {
        let copy: ModuleCopy
        let head: CopyHead
        let version: Int64
    }

    /// The result of a read; `isDamaged` for an unreadable copy.
    struct Reading: Sendable {
        var stored: Stored?
        /// The version of the head, readable or not.
        var version: Int64?
        var isDamaged: Bool { stored == nil && version != nil }
    }

    private static let headKey = "head"
    private static let logKey = "log"
    private static let partPrefix = "part-"
    private static let partSize = 4 << 20
    private static let type = "application/json"

    func read(_ scope: String) async throws(StoreFailure) -> Reading {
        while true {
            let reading = try await readParts(scope)
            guard reading.isDamaged else { return reading }
            // Another process may have replaced the copy meanwhile, and removed the parts.
            if try await values.summary(Self.headKey, in: scope)?.version == reading.version { return reading }
        }
    }

    private func readParts(_ scope: String) async throws(StoreFailure) -> Reading {
        guard let entry = try await values.entry(Self.headKey, in: scope) else { return Reading() }
        var reading = Reading(version: entry.summary.version)
        guard let head = try? CopyHead(parsing: entry.bytes, named: "head", toleratesUnknown: true) else {
            return reading
        }
        var copy = ModuleCopy(head.identity, timestamp: head.timestamp, checked: head.checked, items: [])
        var base: [ContentItem] = []
        for part in head.parts {
            guard let bytes = try await values.entry(part.key, in: scope)?.bytes, let json = try? ServerJSON(bytes)
            else {
                return reading
            }
            switch part.kind {
            case .base:
                base += (json.items() ?? []).compactMap { ContentItem($0.value, bytes: $0.bytes) }
            case .change:
                if copy.items.isEmpty, !base.isEmpty { copy = copy.with(base) }
                base = []
                guard let changes = try? json.changes() else { return reading }
                copy = copy.applying(changes, checked: head.checked)
            }
        }
        if !base.isEmpty { copy = copy.with(base) }
        copy = ModuleCopy(head.identity, timestamp: head.timestamp, checked: head.checked, items: copy.items)
        reading.stored = Stored(copy: copy, head: head, version: entry.summary.version)
        return reading
    }

    /// Writes a copy: as changes to the stored one, or as a whole where there is none.
    func write(
        _ copy: ModuleCopy,
        after former: Stored?,
        changes: SyncChanges,
        in scope: String,
        over version: Int64?
    ) async throws(StoreFailure) -> Stored {
        var parts = former?.head.parts ?? []
        if former != nil, !changes.isEmpty {
            let key = try await write(changes.bytes, in: scope)
            parts.append(.init(key: key, kind: .change, size: changes.bytes.count))
        }
        var head = CopyHead(copy, parts: parts)
        if former == nil || head.wantsWriting {
            head.parts = []
            for piece in copy.pieces(of: Self.partSize) {
                head.parts.append(.init(key: try await write(piece, in: scope), kind: .base, size: piece.count))
            }
        }
        let bytes = head.bytes
        let condition = version.map(StoreCondition.version) ?? .absent
        let written = try await writtenParts(of: scope)
        let receipt = try await values.put(
            NewValue(bytes, type: Self.type),
            under: Self.headKey,
            in: scope,
            if: condition
        )
        let kept = Set(head.parts.map(\.key))
        try await remove(written.filter { !kept.contains($0) }, of: scope)
        return Stored(copy: copy, head: head, version: receipt.version)
    }

    private func write(_ bytes: [UInt8], in scope: String) async throws(StoreFailure) -> String {
        let random = try await StoreFailure.rethrowing(try secrecy.random(12))
        let key = Self.partPrefix + Hexadecimal.text(of: random)
        _ = try await values.put(NewValue(bytes, type: Self.type), under: key, in: scope, if: .absent)
        return key
    }

    /// The keys of all parts, listed by the head or not.
    ///
    /// Read before the head is changed: parts that another process writes for the next head are not among these.
    private func writtenParts(of scope: String) async throws(StoreFailure) -> [String] {
        try await values.list(scope, prefix: Self.partPrefix, after: nil, limit: 1_000).map(\.key)
    }

    private func remove(_ parts: [String], of scope: String) async throws(StoreFailure) {
        for key in parts { _ = try await values.remove(key, in: scope, if: .always) }
    }

    /// Removes a copy, complete or damaged, unless another process has replaced it; the log stays.
    func wipe(_ scope: String, over version: Int64?) async throws(StoreFailure) {
        let written = try await writtenParts(of: scope)
        if let version { _ = try await values.remove(Self.headKey, in: scope, if: .version(version)) }
        try await remove(written, of: scope)
    }

    // MARK: The log

    func log(_ scope: String) async throws(StoreFailure) -> [ContentSync] {
        guard let bytes = try await values.entry(Self.logKey, in: scope)?.bytes else { return [] }
        return (try? ReadableItems<ContentSync>(parsing: bytes, named: "log", toleratesUnknown: true))?.items ?? []
    }

    func write(_ log: [ContentSync], in scope: String) async throws(StoreFailure) {
        _ = try await values.put(NewValue(log.bytes, type: Self.type), under: Self.logKey, in: scope, if: .always)
    }
}

extension ModuleCopy {
    fileprivate func with(_ items: [ContentItem]) -> ModuleCopy {
        ModuleCopy(identity, timestamp: timestamp, checked: checked, items: self.items + items)
    }

    /// Splits into arrays of instances, each not much larger than a size, and at least one.
    fileprivate func pieces(of size: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var piece: [UInt8] = [UInt8(ascii: "[")]
        for item in items {
            if piece.count > 1 { piece.append(UInt8(ascii: ",")) }
            piece += item.bytes
            if piece.count >= size {
                pieces.append(piece + [UInt8(ascii: "]")])
                piece = [UInt8(ascii: "[")]
            }
        }
        if piece.count > 1 || pieces.isEmpty { pieces.append(piece + [UInt8(ascii: "]")]) }
        return pieces
    }
}

extension SyncChanges {
    /// The bytes as the server sent them.
    fileprivate var bytes: [UInt8] {
        func array(_ items: [ContentItem]) -> [UInt8] {
            [UInt8(ascii: "[")] + items.map(\.bytes).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        }
        let deleted = JSONValue.array(deleted.map(JSONValue.string))
        return Array("{\"syncTimestamp\":\(timestamp),\"created\":".utf8) + array(created) + Array(",\"updated\":".utf8)
            + array(updated) + Array(",\"deleted\":\(deleted.text())}".utf8)
    }
}
