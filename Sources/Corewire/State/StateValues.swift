public import FoundationEssentials
import WireBase
import WireStateContract
import WireStore

extension Corewire {
    /// An entry with its value; tells of itself what its summary tells.
    @dynamicMemberLookup
    public struct StateEntry: Sendable {
        /// What is known about it besides.
        public let summary: StateSummary
        /// The value as it was given.
        public let bytes: [UInt8]

        /// The value as text; nil where it is not UTF-8.
        public var text: String? { String(validating: bytes, as: UTF8.self) }

        /// The value, read from JSON whatever its media type; dates are text as in ISO 8601.
        public func json<Value: Decodable>(as type: Value.Type = Value.self) throws(CorewireError) -> Value {
            try CodedJSON.value(of: bytes, as: type, named: "what is stored under \(summary.key.quoted)")
        }

        /// What the summary tells.
        public subscript<Value>(dynamicMember path: KeyPath<StateSummary, Value>) -> Value { summary[keyPath: path] }
    }

    /// What is known about an entry without its value.
    public struct StateSummary: Sendable, Hashable {
        let entry: WireStateContract.StateEntry

        /// Its name in the namespace.
        public var key: String { entry.key }
        /// Its last change.
        public var version: StateVersion { StateVersion(entry.version) }
        /// The media type it was given with.
        public var type: String { entry.type }
        /// The bytes of its value.
        public var size: Int { entry.size }
        /// When it was changed.
        public var modified: Date { Date(milliseconds: entry.modified) }
        /// When it is removed by itself; nil for one that stays.
        public var expires: Date? { entry.expires.map(Date.init(milliseconds:)) }
    }

    /// What became of a value that was stored; tells of the entry what its summary tells.
    @dynamicMemberLookup
    public struct StateReceipt: Sendable, Hashable {
        /// The entry as it is now.
        public let summary: StateSummary
        /// Whether there was nothing under its key.
        public let isNew: Bool

        /// What the summary tells.
        public subscript<Value>(dynamicMember path: KeyPath<StateSummary, Value>) -> Value { summary[keyPath: path] }
    }

    /// One change of the store: grows with every change, and none is given twice.
    ///
    /// The ETag of the local API is the same number in quotes.
    public struct StateVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The number, to be kept where versions are kept.
        public let number: Int64

        /// The version of a number that was kept.
        public init(_ number: Int64) {
            self.number = number
        }

        /// Whether a change was made before another one.
        public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

        /// The number.
        public var description: String { "\(number)" }
    }

    /// What must be so for a change to happen; judged in the transaction that makes it.
    public enum StateCondition: Sendable, Hashable {
        /// It happens in any case.
        case always
        /// Nothing is there.
        case absent
        /// Something is there.
        case present
        /// What is there is of this version: nobody has changed it since it was read.
        case version(StateVersion)
    }

    /// A page of a list.
    public struct StateList<Element: Sendable>: Sendable {
        /// What the page holds, in order.
        public let elements: [Element]
        /// What to ask for the next page with, as `after`; nil where there is none.
        public let next: String?
    }

    /// A namespace with what it holds.
    public struct StateUsage: Sendable, Hashable {
        let usage: WireStateContract.StateNamespace

        /// Its name.
        public var namespace: String { usage.name }
        /// How many entries it holds.
        public var entries: Int { usage.entries }
        /// How many bytes their keys and values have.
        public var size: Int { usage.size }
        /// How many entries there may be.
        public var maxEntries: Int? { usage.maxEntries }
        /// How many bytes there may be.
        public var maxSize: Int? { usage.maxSize }
        /// Whether the file says something about it.
        public var isDeclared: Bool { usage.isDeclared }
        /// Whether its values are sealed.
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
