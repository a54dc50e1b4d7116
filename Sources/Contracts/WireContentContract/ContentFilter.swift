package import WireBase
import WireConfig
import WireHTTP

/// What must be so of an instance: tests of its fields, joined by `and` and `or`.
package indirect enum ContentFilter: Sendable, Hashable {
    case all([ContentFilter])
    case any([ContentFilter])
    case test(Test)

    /// A test of one field.
    package struct Test: Sendable, Hashable {
        package let property: String
        package let operation: Operation
        package let operand: Operand

        /// Throws for what no server could make sense of: `> null`, `like 3`, texts and numbers in one list.
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

    /// What a field is compared with.
    package enum Scalar: Sendable, Hashable {
        case null
        case boolean(Bool)
        case integer(Int)
        case number(Double)
        case text(String)

        /// What the server calls the type: to it a boolean is a string.
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

    /// What the server calls the types of values.
    package enum ScalarType: String, JSONWord, PlainCodable { case string, number, null }
}

extension ContentFilter {
    /// How much a filter may ask for.
    package enum Limits {
        /// Groups inside groups.
        package static let depth = 12
        /// Tests in all.
        package static let tests = 256
        /// Values in one list.
        package static let values = 1_000
        /// Bytes of the name of a field, and of a text it is compared with.
        package static let nameSize = 256
        package static let textSize = 4_096
    }

    /// How many tests it has, and how many groups are inside each other.
    var extent: (tests: Int, depth: Int) {
        switch self {
        case .test: (1, 1)
        case .all(let filters), .any(let filters):
            filters.map(\.extent).reduce((0, 1)) { ($0.0 + $1.tests, max($0.1, $1.depth + 1)) }
        }
    }

    /// Throws for one that asks for more than filters may.
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
