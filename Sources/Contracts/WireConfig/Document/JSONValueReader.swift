import WireBase

/// A fast reader for valid JSON, without error messages.
///
/// Applies the rules of `JSONReader`. Where a text is invalid, it returns no value, and `JSONReader` produces the
/// message.
struct JSONValueReader {
    private let source: SourceFile
    private let bytes: [UInt8]
    private let limits: ReadingLimits
    private let exactNumbers: Bool
    private var offset = 0
    private var nodes = 0
    private var shapes: [Shape] = [Shape()]

    private struct Irregular: Error {}

    /// The keys of the last object at one location; list items usually have the same ones.
    ///
    /// As long as keys match, strings are reused and not compared with each other.
    private struct Shape {
        var keys: [Key] = []

        struct Key {
            let text: String
            /// The location of the key, including quotation marks.
            let place: Range<Int>
            /// The shape of the objects in the member; 0 where none was read yet.
            var inner = 0
        }
    }

    static func value(of source: SourceFile, _ limits: ReadingLimits, exactNumbers: Bool) -> JSONValue? {
        var reader = Self(source: source, bytes: source.bytes, limits: limits, exactNumbers: exactNumbers)
        guard let value = try? reader.value(shape: 0, depth: 0) else { return nil }
        reader.skipSpace()
        return reader.offset == source.bytes.count ? value : nil
    }

    private init(source: SourceFile, bytes: [UInt8], limits: ReadingLimits, exactNumbers: Bool) {
        (self.source, self.bytes, self.limits, self.exactNumbers) = (source, bytes, limits, exactNumbers)
    }

    // MARK: Values

    private mutating func value(shape: Int, depth: Int) throws(Irregular) -> JSONValue {
        skipSpace()
        try countNode()
        switch byte {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "{"): return .object(try members(shape: shape, depth: depth))
        case UInt8(ascii: "["): return .array(try items(shape: shape, depth: depth))
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw Irregular()
        }
    }

    private mutating func items(shape: Int, depth: Int) throws(Irregular) -> [JSONValue] {
        guard depth < limits.depth else { throw Irregular() }
        offset += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return [] }
        var items: [JSONValue] = []
        repeat {
            items.append(try value(shape: shape, depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw Irregular() }
        return items
    }

    private mutating func members(shape: Int, depth: Int) throws(Irregular) -> [(key: String, value: JSONValue)] {
        guard depth < limits.depth else { throw Irregular() }
        offset += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return [] }
        var members: [(key: String, value: JSONValue)] = []
        members.reserveCapacity(shapes[shape].keys.count)
        var isFamiliar = true
        repeat {
            skipSpace()
            let position = members.count
            let key = try key(position, of: shape, &isFamiliar)
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw Irregular() }
            skipSpace()
            let inner = holdsObjects ? innerShape(of: shape, position) : 0
            members.append((key, try value(shape: inner, depth: depth + 1)))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")), isFamiliar || Self.areDistinct(members) else { throw Irregular() }
        shorten(shape, to: members.count)
        return members
    }

    /// The key at a position in an object; reuses the string of the previous object where it is the same.
    private mutating func key(_ position: Int, of shape: Int, _ isFamiliar: inout Bool) throws(Irregular) -> String {
        try countNode()
        if isFamiliar, position < shapes[shape].keys.count {
            let key = shapes[shape].keys[position]
            if isNext(key.place) {
                offset += key.place.count
                return key.text
            }
        }
        isFamiliar = false
        shorten(shape, to: position)
        guard byte == UInt8(ascii: "\"") else { throw Irregular() }
        let start = offset
        let text = try string()
        shapes[shape].keys.append(Shape.Key(text: text, place: start..<offset))
        return text
    }

    /// Limits the reserved capacity to the number of members.
    private mutating func shorten(_ shape: Int, to count: Int) {
        let excess = shapes[shape].keys.count - count
        if excess > 0 { shapes[shape].keys.removeLast(excess) }
    }

    private var holdsObjects: Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    private mutating func innerShape(of shape: Int, _ position: Int) -> Int {
        let known = shapes[shape].keys[position].inner
        if known > 0 { return known }
        shapes[shape].keys[position].inner = shapes.count
        shapes.append(Shape())
        return shapes.count - 1
    }

    private static func areDistinct(_ members: [(key: String, value: JSONValue)]) -> Bool {
        guard members.count > 8 else {
            return members.indices.allSatisfy { index in !members[..<index].contains { $0.key == members[index].key } }
        }
        return Set(members.lazy.map(\.key)).count == members.count
    }

    // MARK: Scalars

    private mutating func string() throws(Irregular) -> String {
        let start = offset + 1
        var end = start
        while end < bytes.count, Self.isPlain(bytes[end]) { end += 1 }
        guard end < bytes.count else { throw Irregular() }
        if bytes[end] == UInt8(ascii: "\"") {
            guard end - start <= limits.scalarLength.bytes else { throw Irregular() }
            offset = end + 1
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        var text = Array(bytes[start..<end])
        var scanner = JSONScanner(source)
        scanner.offset = end
        do { try scanner.readEscapedText(into: &text, openedAt: offset) } catch { throw Irregular() }
        guard text.count <= limits.scalarLength.bytes else { throw Irregular() }
        offset = scanner.offset
        return String(decoding: text, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte >= 0x20
    }

    private mutating func number() throws(Irregular) -> JSONValue {
        let start = offset
        let isNegative = take(UInt8(ascii: "-"))
        let first = offset
        let whole = try digits()
        let count = offset - first
        guard bytes[first] != UInt8(ascii: "0") || count == 1 else { throw Irregular() }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            _ = try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            _ = try digits()
        }
        guard offset - start <= limits.scalarLength.bytes else { throw Irregular() }
        // More digits may overflow.
        if isWhole, count <= 18 { return .integer(isNegative ? -whole : whole) }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isWhole { return Int(text).map(JSONValue.integer) ?? .decimal(text) }
        guard !exactNumbers, let number = Double(text), number.isFinite else { return .decimal(text) }
        return .number(number)
    }

    /// Skips one or more digits; returns their value where they fit.
    private mutating func digits() throws(Irregular) -> Int {
        var number = 0
        let start = offset
        while byte.isDigit {
            number = number &* 10 &+ Int(byte & 0x0f)
            offset += 1
        }
        guard offset > start else { throw Irregular() }
        return number
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Irregular) -> JSONValue {
        let count = word.utf8.count
        guard bytes[offset...].starts(with: word.utf8), count <= limits.scalarLength.bytes else { throw Irregular() }
        offset += count
        return value
    }

    // MARK: Bytes

    /// The next byte; 0 at the end.
    private var byte: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private mutating func take(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { offset += 1 }
    }

    private func isNext(_ place: Range<Int>) -> Bool {
        guard place.count <= bytes.count - offset else { return false }
        for index in 0..<place.count where bytes[offset + index] != bytes[place.lowerBound + index] { return false }
        return true
    }

    private mutating func countNode() throws(Irregular) {
        nodes += 1
        guard nodes <= limits.nodes else { throw Irregular() }
    }
}
