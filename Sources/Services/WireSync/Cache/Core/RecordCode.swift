import WireBase
import WireConfig

/// Encodes records as bytes: a version, the type, the times of the fields, their keys, then their values.
struct RecordWriter {
    private var bytes: [UInt8] = []
    /// The encoded keys of the previous record, which most records share.
    private var known: (keys: [String], bytes: [UInt8]) = ([], [])

    mutating func bytes(of record: CacheRecord) -> [UInt8] {
        let (fields, type) = (record.fields, record.type ?? "")
        if known.keys != fields.keys { note(fields.keys) }
        bytes = []
        bytes.reserveCapacity(fields.values.reduce(known.bytes.count + type.utf8.count + 64) { $0 + $1.room })
        bytes.append(record.isDeleted ? RecordReader.deleted : RecordReader.version)
        if let deletion = record.deletion {
            write(deletion, since: Moment(position: 0, time: 0))
            return take()
        }
        write(type)
        write(fields.moments, fields.count)
        write(UInt64(known.bytes.count))
        bytes += known.bytes
        let values = fields.values
        for place in values.indices { write(values[place]) }
        return take()
    }

    private mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private mutating func note(_ keys: [String]) {
        bytes = []
        for key in keys { write(key) }
        known = (keys, take())
    }

    /// The oldest time, the number of fields, then the time of each field where they differ.
    private mutating func write(_ moments: FieldMoments, _ count: Int) {
        let base = moments.oldest
        write(base, since: Moment(position: 0, time: 0))
        write(UInt64(count))
        bytes.append(moments.shared == nil ? RecordReader.each : RecordReader.shared)
        guard moments.shared == nil else { return }
        for place in 0..<count { write(moments[place], since: base) }
    }

    private mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func write(_ moment: Moment, since base: Moment) {
        write(UInt64(bitPattern: moment.position &- base.position))
        write(UInt64(bitPattern: moment.time &- base.time))
    }

    private mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe bytes.append(contentsOf: $0) }
        if isWritten == nil { bytes += text.utf8 }
    }

    private mutating func write(_ value: RecordValue) {
        switch value {
        case .scalar(let scalar): write(scalar)
        case .list(let items):
            bytes.append(RecordTag.list.rawValue)
            write(UInt64(items.count))
            for item in items { write(item) }
        case .reference(let key):
            bytes.append(RecordTag.reference.rawValue)
            write(key.text)
        }
    }

    private mutating func write(_ scalar: JSONValue) {
        switch scalar {
        case .null: bytes.append(RecordTag.null.rawValue)
        case .boolean(let value): bytes.append((value ? RecordTag.isTrue : .isFalse).rawValue)
        case .integer(let value):
            bytes.append(RecordTag.integer.rawValue)
            write(UInt64(bitPattern: Int64(value) << 1 ^ Int64(value) >> 63))
        case .number(let value):
            bytes.append(RecordTag.number.rawValue)
            write(value.bitPattern)
        case .string(let text):
            bytes.append(RecordTag.string.rawValue)
            write(text)
        default:
            bytes.append(RecordTag.json.rawValue)
            write(scalar.text())
        }
    }
}

extension RecordValue {
    /// The encoded size of a value, where known without encoding it.
    fileprivate var room: Int {
        if case .scalar(.string(let text)) = self { text.utf8.count + 6 } else { 11 }
    }
}

/// The kind of an encoded value.
private enum RecordTag: UInt8 {
    case null, isFalse, isTrue, integer, number, string, json, list, reference
}

/// Decodes the bytes of `RecordWriter`; nil for other bytes.
struct RecordReader {
    private let bytes: [UInt8]
    private var position = 0

    static let version: UInt8 = 3
    /// Replaces the version of a deleted object; only its time follows.
    static let deleted: UInt8 = 0
    /// Whether all fields have the same time.
    static let (each, shared): (UInt8, UInt8) = (0, 1)
    private static let deepest = RecordLimits().depth

    private struct Damaged: Error {}

    static func record(from bytes: [UInt8]) -> CacheRecord? {
        var reader = Self(bytes: bytes)
        return try? reader.record()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func record() throws(Damaged) -> CacheRecord {
        let version = try byte()
        if version == Self.deleted { return try deletion() }
        guard version == Self.version else { throw Damaged() }
        let type = try text()
        let base = try moment(since: Moment(position: 0, time: 0))
        let count = try count()
        let moments = try moments(count, since: base)
        let keysEnd = try self.count() + position
        var (keys, values): ([String], [RecordValue]) = ([], [])
        keys.reserveCapacity(count)
        for _ in 0..<count { keys.append(try text()) }
        guard position == keysEnd else { throw Damaged() }
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try value(depth: 0)) }
        guard position == bytes.count else { throw Damaged() }
        return CacheRecord(type: type.isEmpty ? nil : type, fields: RecordFields(keys, values, at: moments))
    }

    private mutating func moments(_ count: Int, since base: Moment) throws(Damaged) -> FieldMoments {
        switch try byte() {
        case Self.shared: return FieldMoments(base)
        case Self.each:
            var moments = FieldMoments()
            for place in 0..<count { moments.append(try moment(since: base), after: place) }
            return moments
        default: throw Damaged()
        }
    }

    private mutating func deletion() throws(Damaged) -> CacheRecord {
        let moment = try moment(since: Moment(position: 0, time: 0))
        guard position == bytes.count else { throw Damaged() }
        return .deleted(at: moment)
    }

    private mutating func moment(since base: Moment) throws(Damaged) -> Moment {
        let position = base.position &+ Int64(bitPattern: try number())
        return Moment(position: position, time: base.time &+ Int64(bitPattern: try number()))
    }

    private mutating func byte() throws(Damaged) -> UInt8 {
        guard position < bytes.count else { throw Damaged() }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func number() throws(Damaged) -> UInt64 {
        var (result, shift): (UInt64, UInt64) = (0, 0)
        while shift < 64 {
            let next = try byte()
            result |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return result }
            shift += 7
        }
        throw Damaged()
    }

    /// A count of elements, each of at least one byte.
    private mutating func count() throws(Damaged) -> Int {
        let number = try number()
        guard number <= UInt64(bytes.count - position) else { throw Damaged() }
        return Int(number)
    }

    private mutating func text() throws(Damaged) -> String {
        let count = try count()
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    private mutating func value(depth: Int) throws(Damaged) -> RecordValue {
        guard depth < Self.deepest, let tag = RecordTag(rawValue: try byte()) else { throw Damaged() }
        switch tag {
        case .null: return .null
        case .isFalse: return .scalar(.boolean(false))
        case .isTrue: return .scalar(.boolean(true))
        case .integer:
            let number = try number()
            return .scalar(.integer(Int(truncatingIfNeeded: Int64(bitPattern: number >> 1) ^ -Int64(number & 1))))
        case .number: return .scalar(.number(Double(bitPattern: try number())))
        case .string: return .scalar(.string(try text()))
        case .json:
            let bytes = Array(try text().utf8)
            let json = try? JSONValue(parsing: bytes, named: "record", limits: .cacheRecord, exactNumbers: true)
            guard let json else { throw Damaged() }
            return .scalar(json)
        case .list:
            var items: [RecordValue] = []
            let count = try count()
            items.reserveCapacity(count)
            for _ in 0..<count { items.append(try value(depth: depth + 1)) }
            return .list(items)
        case .reference: return .reference(RecordKey(try text()))
        }
    }
}

extension ReadingLimits {
    /// Larger than any answer.
    fileprivate static var cacheRecord: ReadingLimits {
        var limits = ReadingLimits()
        (limits.depth, limits.scalarLength) = (RecordLimits().depth, .mebibytes(64))
        return limits
    }
}
