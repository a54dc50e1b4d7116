package import WireConfig

/// The source of an answer's records.
package protocol RecordSource {
    func record(_ key: RecordKey) -> RecordLookup
    /// Announces the records that are read next, so that they can be read together.
    func prepare(_ values: [RecordValue])
}

extension RecordSource {
    package func prepare(_ values: [RecordValue]) {}
}

package enum RecordLookup: Sendable, Equatable {
    case found(CacheRecord)
    /// The record is unknown.
    case absent
    /// The object was deleted: lists omit it, and fields that refer to it are null.
    case deleted

    var found: CacheRecord? { if case .found(let record) = self { record } else { nil } }

    package init(_ record: CacheRecord?) {
        guard let record else {
            self = .absent
            return
        }
        self = record.isDeleted ? .deleted : .found(record)
    }
}

/// An answer built from records.
package struct RecordAnswer: Sendable {
    /// The members in the order of the selections.
    package let data: JSONValue
    /// The records it was made of.
    package let keys: Set<RecordKey>
    /// The time of the oldest field in milliseconds since 1970; `CachedField.ageless` where no field is from a server.
    package let oldest: Int64
    /// When the first field expires.
    package let end: Int64
}

/// Why there is no answer: the first unknown part.
package struct RecordMiss: Error {
    package enum Reason: String, Sendable {
        /// An object is unknown.
        case record
        case field
        /// It is unknown whether a fragment applies to an object; the field is the fragment's type.
        case type
        /// The answer would be too large.
        case limit
    }

    package let key: RecordKey
    package let field: String
    package let reason: Reason
    /// The records that were read.
    package internal(set) var keys: Set<RecordKey> = []
}
