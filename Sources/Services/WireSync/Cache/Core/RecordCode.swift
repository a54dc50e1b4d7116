import WireBase
import WireConfig

/// Writes records as bytes: a version, the type, then each field with its key, moment and value.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    static func bytes(of record: CacheRecord) -> [UInt8] {
        var writer = Self()
        writer.bytes.reserveCapacity(32 + record.fields.count * 24)
        writer.bytes.append(record.isDeleted ? RecordReader.deleted : RecordReader.version)
        if let deletion = record.deletion {
            writer.write(deletion, since: Moment(position: 0, time: 0))
            return writer.bytes
        }
        writer.write(record.type ?? "")
        let fields = record.fields.items
        var base = Moment.never
        for place in fields.indices { base = min(base, fields[place].value.moment) }
        writer.write(base, since: Moment(position: 0, time: 0))
        writer.write(UInt64(fields.count))
        for place in fields.indices {
            writer.write(fields[place].key)
            writer.write(fields[place].value.moment, since: base)
            writer.write(fields[place].value.value)
        }
        return writer.bytes
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
        var text = text
        text.withUTF8 { text in
            write(UInt64(text.count))
            unsafe bytes.append(contentsOf: text)
        }
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

/// What a value in the bytes of a record is.
private enum RecordTag: UInt8 {
    case null, isFalse, isTrue, integer, number, string, json, list, reference
}

/// Reads what `RecordWriter` has written; bytes of any other origin are no record.
struct RecordReader {
    private let bytes: [UInt8]
    private var position = 0

    static let version: UInt8 = 2
    /// In place of the version where the object is gone, and only its moment follows.
    static let deleted: UInt8 = 0
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
        var fields = RecordFields(reserving: min(count, 1_024))
        for _ in 0..<count {
            let key = try text()
            let moment = try moment(since: base)
            fields.append(key, CachedField(try value(depth: 0), at: moment))
        }
        guard position == bytes.count else { throw Damaged() }
        return CacheRecord(type: type.isEmpty ? nil : type, fields: fields)
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

    /// A number of things, each of which takes a byte at least.
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
    /// Larger than all that answers may bring.
    fileprivate static var cacheRecord: ReadingLimits {
        var limits = ReadingLimits()
        (limits.depth, limits.scalarLength) = (RecordLimits().depth, .mebibytes(64))
        return limits
    }
}
