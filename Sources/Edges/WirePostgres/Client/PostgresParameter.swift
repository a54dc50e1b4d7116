/// A parameter of a statement, in PostgreSQL's binary form.
package struct PostgresParameter: Sendable {
    /// The number of its type (`pg_type.oid`).
    let type: UInt32
    /// The value; nil for null.
    let bytes: [UInt8]?

    private init(_ type: UInt32, _ bytes: [UInt8]?) {
        (self.type, self.bytes) = (type, bytes)
    }

    package static func int8(_ value: Int64?) -> Self { Self(20, value.map(Self.big)) }
    package static func int4(_ value: Int32?) -> Self { Self(23, value.map(Self.big)) }
    package static func int2(_ value: Int16?) -> Self { Self(21, value.map(Self.big)) }
    package static func bool(_ value: Bool?) -> Self { Self(16, value.map { [$0 ? 1 : 0] }) }
    package static func bytea(_ value: [UInt8]?) -> Self { Self(17, value) }
    package static func text(_ value: String?) -> Self { Self(25, value.map { Array($0.utf8) }) }

    /// A time in milliseconds since 1970.
    package static func timestamp(_ milliseconds: Int64?) -> Self {
        Self(1184, milliseconds.map { big(PostgresTime.microseconds($0)) })
    }

    package static func int8s(_ values: [Int64?]) -> Self { array(1016, of: 20, values.map { $0.map(big) }) }
    package static func int2s(_ values: [Int16]) -> Self { array(1005, of: 21, values.map(big)) }
    package static func bools(_ values: [Bool]) -> Self { array(1000, of: 16, values.map { [$0 ? 1 : 0] }) }
    package static func byteas(_ values: [[UInt8]?]) -> Self { array(1001, of: 17, values) }
    /// No array.
    package static var noByteas: Self { Self(1001, nil) }

    private static func array(_ type: UInt32, of element: UInt32, _ values: [[UInt8]?]) -> Self {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + values.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        bytes += big(Int32(values.isEmpty ? 0 : 1))
        bytes += big(Int32(values.contains { $0 == nil } ? 1 : 0))
        bytes += big(element)
        guard !values.isEmpty else { return Self(type, bytes) }
        bytes += big(Int32(values.count))
        // Arrays begin with the index 1.
        bytes += big(Int32(1))
        for value in values {
            bytes += big(Int32(value?.count ?? -1))
            if let value { bytes += value }
        }
        return Self(type, bytes)
    }

    private static func big(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// PostgreSQL's times count from 2000.
enum PostgresTime {
    /// Its beginning in milliseconds since 1970.
    static let epoch: Int64 = 946_684_800_000

    /// A time in milliseconds since 1970, as microseconds since 2000; the last one where it is beyond.
    static func microseconds(_ milliseconds: Int64) -> Int64 {
        let (product, isBeyond) = milliseconds.subtractingReportingOverflow(epoch).partialValue
            .multipliedReportingOverflow(by: 1_000)
        return isBeyond ? .max : product
    }
}

/// A statement with its parameters; it is prepared once a connection, so its text must not contain values.
package struct PostgresStatement: Sendable {
    package let text: String
    package let parameters: [PostgresParameter]

    package init(_ text: String, _ parameters: [PostgresParameter] = []) {
        (self.text, self.parameters) = (text, parameters)
    }
}
