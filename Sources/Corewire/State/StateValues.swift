public import FoundationEssentials
import WireBase
import WireStateContract
import WireStore

extension Corewire {
    /// An entry with its value and properties.
    @dynamicMemberLookup
    public struct StateEntry: Sendable {
        /// The properties of the entry.
        public let summary: StateSummary
        /// The value.
        public let bytes: [UInt8]

        /// The value as text; nil where it is not UTF-8.
        public var text: String? { String(validating: bytes, as: UTF8.self) }

        /// The value decoded from JSON, whatever its media type; dates are ISO 8601 text.
        public func json<Value: Decodable>(as type: Value.Type = Value.self) throws(CorewireError) -> Value {
            try CodedJSON.value(of: bytes, as: type, named: "the value of \(summary.key.quoted)")
        }

        /// A property of the entry.
        public subscript<Value>(dynamicMember path: KeyPath<StateSummary, Value>) -> Value { summary[keyPath: path] }
    }

    /// The properties of an entry without its value.
    public struct StateSummary: Sendable, Hashable {
        let entry: WireStateContract.StateEntry

        /// The key.
        public var key: String { entry.key }
        /// The version of the last change.
        public var version: StateVersion { StateVersion(entry.version) }
        /// The media type.
        public var type: String { entry.type }
        /// The size of the value in bytes.
        public var size: Int { entry.size }
        /// The time of the last change.
        public var modified: Date { Date(milliseconds: entry.modified) }
        /// The expiry; nil for an entry that stays.
        public var expires: Date? { entry.expires.map(Date.init(milliseconds:)) }
    }

    /// The result of storing a value, with the properties of the entry.
    @dynamicMemberLookup
    public struct StateReceipt: Sendable, Hashable {
        /// The properties of the entry.
        public let summary: StateSummary
        /// Whether the key had no entry before.
        public let isNew: Bool

        /// A property of the entry.
        public subscript<Value>(dynamicMember path: KeyPath<StateSummary, Value>) -> Value { summary[keyPath: path] }
    }

    /// The version of a change in the store; increases with every change and is unique.
    ///
    /// The ETag of the local API is the same number in quotes.
    public struct StateVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The number, for storage.
        public let number: Int64

        /// Makes a version from a stored number.
        public init(_ number: Int64) {
            self.number = number
        }

        /// Whether a change is earlier than another one.
        public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

        /// The number.
        public var description: String { "\(number)" }
    }

    /// The condition of a change; checked in the same transaction.
    public enum StateCondition: Sendable, Hashable {
        /// No condition.
        case always
        /// The entry does not exist.
        case absent
        /// The entry exists.
        case present
        /// The entry has this version, so it is unchanged since it was read.
        case version(StateVersion)
    }

    /// A page of a list.
    public struct StateList<Element: Sendable>: Sendable {
        /// The elements of the page, in order.
        public let elements: [Element]
        /// The value of `after` for the next page; nil where there is none.
        public let next: String?
    }

    /// A namespace with its size.
    public struct StateUsage: Sendable, Hashable {
        let usage: WireStateContract.StateNamespace

        /// The name.
        public var namespace: String { usage.name }
        /// The number of entries.
        public var entries: Int { usage.entries }
        /// The bytes of keys and values.
        public var size: Int { usage.size }
        /// The maximum number of entries.
        public var maxEntries: Int? { usage.maxEntries }
        /// The maximum size in bytes.
        public var maxSize: Int? { usage.maxSize }
        /// Whether the file declares it.
        public var isDeclared: Bool { usage.isDeclared }
        /// Whether its values are encrypted.
        public var isEncrypted: Bool { usage.isEncrypted }
    }
}

extension Corewire.StateEntry {
    init(_ entry: StoredEntry) {
        self.init(summary: Corewire.StateSummary(entry.summary), bytes: entry.bytes)
    }
}

extension Corewire.StateSummary {
    init(_ summary: StoredEntry.Summary) { self.init(entry: WireStateContract.StateEntry(summary)) }
}

extension Corewire.StateCondition {
    var store: StoreCondition {
        switch self {
        case .always: .always
        case .absent: .absent
        case .present: .present
        case .version(let version): .version(version.number)
        }
    }
}
