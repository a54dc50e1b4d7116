package import WireBase
import WireConfig
import WireHTTP

/// A filter for instances: tests of fields, joined by `and` and `or`.
package indirect enum ContentFilter: Sendable, Hashable {
    case all([ContentFilter])
    case any([ContentFilter])
    case test(Test)

    /// A test of one field.
    package struct Test: Sendable, Hashable {
        package let property: String
        package let operation: Operation
        package let operand: Operand

        /// Makes a test; throws for a comparison that no server supports: `> null`, `like 3`, texts and numbers in one
        /// list.
        package init(_ property: String, _ operation: Operation, _ operand: Operand) throws(Fault) {
            self.property = property
            self.operation = operation
            self.operand = operand
            try check()
        }
    }

    package enum Operation: String, Sendable, Hashable, JSONWord, PlainCodable {
        case equal = "="
        case notEqual = "!="
        case greater = ">"
        case less = "<"
        case atLeast = ">="
        case atMost = "<="
        case isIn = "in"
        case isNotIn = "!in"
        case like

        package var wantsSeveral: Bool { self == .isIn || self == .isNotIn }
        var wantsOrder: Bool { self == .greater || self == .less || self == .atLeast || self == .atMost }
    }

    package enum Operand: Sendable, Hashable {
        case one(Scalar)
        case several([Scalar])
    }

    /// A value to compare with.
    package enum Scalar: Sendable, Hashable {
        case null
        case boolean(Bool)
        case integer(Int)
        case number(Double)
        case text(String)

        /// The server's name of the type; a Boolean is a string.
        var type: ScalarType {
            switch self {
            case .null: .null
            case .integer, .number: .number
            case .boolean, .text: .string
            }
        }

        var json: JSONValue {
            switch self {
            case .null: .null
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .text(let value): .string(value)
            }
        }
    }

    /// The server's names for types of values.
    package enum ScalarType: String, JSONWord, PlainCodable { case string, number, null }
}

extension ContentFilter {
    /// The limits of a filter.
    package enum Limits {
        /// The nesting depth of groups.
        package static let depth = 12
        /// The number of tests.
        package static let tests = 256
        /// The number of values in a list.
        package static let values = 1_000
        /// The number of bytes in a field name, and in a text value.
        package static let nameSize = 256
        package static let textSize = 4_096
    }

    /// The number of tests and the nesting depth.
    var extent: (tests: Int, depth: Int) {
        switch self {
        case .test: (1, 1)
        case .all(let filters), .any(let filters):
            filters.map(\.extent).reduce((0, 1)) { ($0.0 + $1.tests, max($0.1, $1.depth + 1)) }
        }
    }

    /// Throws for a filter beyond the limits.
    package func check() throws(Fault) {
        let (tests, depth) = extent
        guard tests <= Limits.tests else {
            throw Fault("found \(tests) tests, expected \(Limits.tests) at most")
        }
        guard depth <= Limits.depth else {
            throw Fault("found groups \(depth) deep, expected \(Limits.depth) at most")
        }
    }
}

extension ContentFilter.Test {
    private func check() throws(Fault) {
        let limits = ContentFilter.Limits.self
        guard !property.isEmpty, property.utf8.count <= limits.nameSize else {
            throw .init("the name of a field has 1 to \(limits.nameSize) bytes")
        }
        switch operand {
        case .one(let scalar):
            guard !operation.wantsSeveral else {
                throw .init("'\(operation.rawValue)' is followed by a list of values")
            }
            try check(scalar)
        case .several(let scalars):
            guard operation.wantsSeveral else {
                throw .init("'\(operation.rawValue)' is followed by one value, not by a list")
            }
            guard let first = scalars.first else { throw .init("the list of values is empty") }
            guard scalars.count <= limits.values else {
                throw .init("found \(scalars.count) values, expected \(limits.values) at most")
            }
            for scalar in scalars {
                guard scalar.type == first.type else {
                    throw .init(
                        "the values of a list are of one type, found \(first.type.rawValue) and \(scalar.type.rawValue)"
                    )
                }
                try check(scalar)
            }
        }
    }

    private func check(_ scalar: ContentFilter.Scalar) throws(Fault) {
        switch scalar {
        case .text(let text):
            guard text.utf8.count <= ContentFilter.Limits.textSize else {
                throw .init("a text has \(ContentFilter.Limits.textSize) bytes at most")
            }
        case .integer: break
        case .number(let number):
            guard number.isFinite else { throw .init("found a number that is not finite") }
        case .null, .boolean:
            guard !operation.wantsOrder else {
                throw .init("'\(operation.rawValue)' compares numbers and texts")
            }
        }
        if operation == .like {
            guard case .text = scalar else { throw .init("'like' looks for a text") }
        }
    }
}
