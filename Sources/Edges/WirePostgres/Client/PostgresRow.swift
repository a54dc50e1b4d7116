/// A row of a result, read by the position of its columns.
package struct PostgresRow: Sendable {
    private let columns: [[UInt8]?]

    init(_ columns: [[UInt8]?]) { self.columns = columns }

    package func bytes(_ column: Int) throws(PostgresFailure) -> [UInt8] { try value(column, "a value") }

    package func optionalBytes(_ column: Int) throws(PostgresFailure) -> [UInt8]? {
        guard columns.indices.contains(column) else { throw Self.malformed(column, "a column") }
        return columns[column]
    }

    package func text(_ column: Int) throws(PostgresFailure) -> String {
        guard let text = String(validating: try bytes(column), as: UTF8.self) else {
            throw Self.malformed(column, "text")
        }
        return text
    }

    package func optionalText(_ column: Int) throws(PostgresFailure) -> String? {
        try optionalBytes(column) == nil ? nil : text(column)
    }

    package func bool(_ column: Int) throws(PostgresFailure) -> Bool {
        let bytes = try bytes(column)
        guard bytes.count == 1 else { throw Self.malformed(column, "a boolean") }
        return bytes[0] != 0
    }

    /// A number of two, four or eight bytes.
    package func integer(_ column: Int) throws(PostgresFailure) -> Int64 {
        guard let number = Self.integer(try bytes(column)) else { throw Self.malformed(column, "an integer") }
        return number
    }

    package func optionalInteger(_ column: Int) throws(PostgresFailure) -> Int64? {
        try optionalBytes(column) == nil ? nil : integer(column)
    }

    /// A time in milliseconds since 1970.
    package func timestamp(_ column: Int) throws(PostgresFailure) -> Int64 {
        PostgresTime.epoch + (try integer(column)) / 1_000
    }

    package func bools(_ column: Int) throws(PostgresFailure) -> [Bool] {
        var flags: [Bool] = []
        for element in try elements(column) {
            guard let element, element.count == 1 else { throw Self.malformed(column, "booleans") }
            flags.append(element[0] != 0)
        }
        return flags
    }

    package func byteas(_ column: Int) throws(PostgresFailure) -> [[UInt8]?] { try elements(column) }

    // MARK: Parsing

    private func value(_ column: Int, _ expected: String) throws(PostgresFailure) -> [UInt8] {
        guard let bytes = try optionalBytes(column) else { throw Self.malformed(column, expected) }
        return bytes
    }

    private static func integer(_ bytes: [UInt8]) -> Int64? {
        switch bytes.count {
        case 2: Int64(Int16(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int64($1) }))
        case 4: Int64(Int32(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int64($1) }))
        case 8: bytes.reduce(0) { $0 << 8 | Int64($1) }
        default: nil
        }
    }

    /// The elements of an array of one dimension.
    private func elements(_ column: Int) throws(PostgresFailure) -> [[UInt8]?] {
        var rest = try bytes(column)[...]
        func number() throws(PostgresFailure) -> Int {
            guard rest.count >= 4, let number = Self.integer(Array(rest.prefix(4))) else {
                throw Self.malformed(column, "an array")
            }
            rest = rest.dropFirst(4)
            return Int(number)
        }
        let dimensions = try number()
        guard dimensions != 0 else { return [] }
        guard dimensions == 1 else { throw Self.malformed(column, "an array of one dimension") }
        _ = (try number(), try number())
        let count = try number()
        _ = try number()
        guard count >= 0, count <= rest.count / 4 else { throw Self.malformed(column, "an array") }
        var elements: [[UInt8]?] = []
        for _ in 0..<count {
            let size = try number()
            guard size <= rest.count else { throw Self.malformed(column, "an array") }
            elements.append(size < 0 ? nil : Array(rest.prefix(size)))
            rest = rest.dropFirst(max(0, size))
        }
        return elements
    }

    private static func malformed(_ column: Int, _ expected: String) -> PostgresFailure {
        PostgresFailure(.malformed, "the server's answer has no \(expected) in column \(column + 1)")
    }
}
