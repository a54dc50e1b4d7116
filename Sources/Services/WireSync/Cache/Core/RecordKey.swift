import WireBase
/// Identifies a record of the cache: an object by its type and key fields, else by its path in an answer.
///
/// `Task:7` is an object, `Query.tasks` one field of the root, `Query/tasks/0` an object without key fields.
package struct RecordKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// An object, by the values of its key fields.
    package init(_ type: String, _ values: [String]) {
        text =
            type + ":" + (values.count == 1 ? Self.escaped(values[0]) : values.map(Self.escaped).joined(separator: ","))
    }

    package static let query = Self("Query")
    package static let mutation = Self("Mutation")
    package static let subscription = Self("Subscription")

    /// Whether the fields of the object are records of their own, so that none grows with each query.
    var isRoot: Bool { self == .query || self == .mutation || self == .subscription }

    /// The record that holds a field of the object.
    func holder(of field: String) -> Self { isRoot ? Self("\(text).\(field)") : self }

    /// An object without key fields, in a field of this one.
    func child(_ part: String) -> Self { Self("\(text)/\(Self.escaped(part))") }

    /// Whether a new answer may have another object at this path.
    ///
    /// An object without key fields is identified by its path only, and an item of a list may differ each time.
    func isReplaced(by record: CacheRecord, former: CacheRecord) -> Bool {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        let part = text.utf8[text.utf8.index(after: slash)...]
        return former.type != record.type || (!part.isEmpty && part.allSatisfy(\.isDigit))
    }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    package var description: String { text }

    /// A part of a key without the separators of keys.
    static func escaped(_ part: String) -> String {
        guard part.utf8.contains(where: isSeparator) else { return part }
        var bytes: [UInt8] = []
        for byte in part.utf8 {
            if let index = separators.firstIndex(of: byte) { bytes += escapes[index] } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ",")
    }

    private static let separators = Array("%/,".utf8)
    private static let escapes = ["%25", "%2F", "%2C"].map { Array($0.utf8) }
}
