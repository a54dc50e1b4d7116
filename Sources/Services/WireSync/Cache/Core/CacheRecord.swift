package import WireConfig

/// The fields of one object, as fetched from servers.
package struct CacheRecord: Sendable, Equatable {
    /// The name of the object's type; nil where unknown.
    package var type: String?
    /// By field key: the name with the arguments.
    package var fields: RecordFields
    /// When a server has reported the deletion; later answers may restore the object.
    package private(set) var deletion: Moment?

    package var isDeleted: Bool { deletion != nil }

    package static func deleted(at moment: Moment) -> Self {
        var record = Self()
        record.deletion = moment
        return record
    }

    package init(type: String? = nil, fields: RecordFields = [:]) {
        self.type = type
        self.fields = fields
    }

    /// The time of the newest answer.
    var newest: Moment { deletion ?? fields.newest }

    /// Merges an answer, except fields that have later ones; returns whether a value has changed.
    @discardableResult
    package mutating func merge(_ other: Self) -> Bool {
        if isDeleted || other.isDeleted {
            guard newest <= other.newest else { return false }
            let isChanged = !isSame(as: other)
            self = other
            return isChanged
        }
        var isChanged = false
        if let type = other.type, type != self.type {
            self.type = type
            isChanged = true
        }
        if fields.merge(other.fields) { isChanged = true }
        // Bounds a record whose field is requested with ever new arguments.
        if fields.count > Self.mostFields { fields.keepYoungest(Self.mostFields / 2) }
        return isChanged
    }

    private static let mostFields = 2_000

    /// Whether both have the same values, whatever their times.
    func isSame(as other: Self) -> Bool {
        isDeleted == other.isDeleted && type == other.type && fields.isSame(as: other.fields)
    }
}

extension CacheRecord {
    /// Moves the times of the record to a position of the region.
    mutating func move(to position: Int64) {
        if let deletion { self.deletion = Moment(position: position, time: deletion.time) }
        fields.move(to: position)
    }
}

/// The value of a field, and the time of its request.
package struct CachedField: Sendable, Equatable {
    package var value: RecordValue
    package var moment: Moment
    /// Milliseconds since 1970; `CachedField.ageless` where it is not from a server.
    package var time: Int64 { moment.time }

    package init(_ value: RecordValue, at moment: Moment) {
        (self.value, self.moment) = (value, moment)
    }

    package init(_ value: RecordValue, at time: Int64) {
        self.init(value, at: time == Self.ageless ? .never : Moment(position: 0, time: time))
    }

    /// The time of values that never expire, such as optimistic ones.
    package static let ageless = Moment.never.time
}

/// A value in a record: objects are references to other records.
package enum RecordValue: Sendable, Equatable {
    /// A value without selections, custom scalars of any shape included; null of any type.
    case scalar(JSONValue)
    case list([RecordValue])
    case reference(RecordKey)

    package static let null = Self.scalar(.null)

    package var isNull: Bool {
        if case .scalar(.null) = self { true } else { false }
    }

    package var list: [RecordValue]? {
        if case .list(let items) = self { items } else { nil }
    }

    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.scalar(let left), .scalar(let right)): left.isSame(as: right)
        case (.list(let left), .list(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.scalar, _), (.list, _), (.reference, _): false
        }
    }
}

extension JSONValue {
    /// Whether both are written the same.
    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.null, _), (.boolean, _), (.integer, _), (.string, _): false
        default: text() == other.text()
        }
    }
}

extension CacheRecord {
    /// The record as it is stored.
    package var bytes: [UInt8] {
        var writer = RecordWriter()
        return writer.bytes(of: self)
    }

    /// Nil for bytes that are no stored record.
    package init?(bytes: [UInt8]) {
        guard let record = RecordReader.record(from: bytes) else { return nil }
        self = record
    }
}
