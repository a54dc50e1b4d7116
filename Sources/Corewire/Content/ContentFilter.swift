import WireBase
import WireContentContract

extension Corewire {
    /// A filter for instances: tests of fields, joined by `&&` and `||`.
    public indirect enum ContentFilter: Sendable, Hashable {
        /// All filters match.
        case all([ContentFilter])
        /// At least one filter matches.
        case any([ContentFilter])
        /// Compares a field with a value.
        case test(field: String, Comparison, ContentScalar)
        /// The field has one of the values.
        case isIn(field: String, [ContentScalar])
        /// The field has none of the values.
        case isNotIn(field: String, [ContentScalar])

        /// A comparison operator.
        public enum Comparison: String, Sendable, Hashable, CaseIterable {
            /// The field equals the value; for a list, any element does.
            case equal = "="
            /// The field does not equal the value.
            case notEqual = "!="
            /// The field is greater.
            case greater = ">"
            /// The field is less.
            case less = "<"
            /// The field is greater, or equal.
            case atLeast = ">="
            /// The field is less, or equal.
            case atMost = "<="
            /// The field contains the text, ignoring case.
            case like
        }

        /// Parses the text form of a filter: `price > 10 and name like "a"`.
        public init(parsing text: String) throws(CorewireError) {
            do throws(FilterExpression.Mistake) {
                self.init(try FilterExpression.filter(text))
            } catch {
                throw CorewireError(.invalid, "invalid filter: \(error.description)")
            }
        }

        /// Both filters match.
        public static func && (left: Self, right: Self) -> Self { .all([left, right]) }

        /// At least one filter matches.
        public static func || (left: Self, right: Self) -> Self { .any([left, right]) }
    }

    /// A value to compare with; written as a literal.
    public enum ContentScalar: Sendable, Hashable {
        /// No value.
        case null
        /// True or false.
        case boolean(Bool)
        /// A whole number.
        case integer(Int)
        /// A number.
        case number(Double)
        /// A text.
        case text(String)
    }

    /// A field of instances for building filters: `Corewire.ContentField("price") > 10`.
    public struct ContentField: Sendable, Hashable {
        /// The name of the field.
        public let name: String

        /// Makes a field from its name; dots separate nested fields.
        public init(_ name: String) {
            self.name = name
        }

        /// The field is greater.
        public static func > (field: Self, value: ContentScalar) -> ContentFilter { field.test(.greater, value) }
        /// The field is less.
        public static func < (field: Self, value: ContentScalar) -> ContentFilter { field.test(.less, value) }
        /// The field is greater, or equal.
        public static func >= (field: Self, value: ContentScalar) -> ContentFilter { field.test(.atLeast, value) }
        /// The field is less, or equal.
        public static func <= (field: Self, value: ContentScalar) -> ContentFilter { field.test(.atMost, value) }
        /// The field equals the value.
        public static func == (field: Self, value: ContentScalar) -> ContentFilter { field.test(.equal, value) }
        /// The field does not equal the value.
        public static func != (field: Self, value: ContentScalar) -> ContentFilter { field.test(.notEqual, value) }

        /// The field contains the text, ignoring case.
        public func like(_ text: String) -> ContentFilter { test(.like, .text(text)) }
        /// The field is one of the values.
        public func isIn(_ values: [ContentScalar]) -> ContentFilter { .isIn(field: name, values) }
        /// The field is none of the values.
        public func isNotIn(_ values: [ContentScalar]) -> ContentFilter { .isNotIn(field: name, values) }

        private func test(_ comparison: ContentFilter.Comparison, _ value: ContentScalar) -> ContentFilter {
            .test(field: name, comparison, value)
        }
    }
}

extension Corewire.ContentScalar: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// No value.
    public init(nilLiteral: ()) { self = .null }

    fileprivate var asked: WireContentContract.ContentFilter.Scalar {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .text(let value): .text(value)
        }
    }

    fileprivate init(_ scalar: WireContentContract.ContentFilter.Scalar) {
        switch scalar {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .text(let value): self = .text(value)
        }
    }
}

extension Corewire.ContentFilter {
    /// Converts the filter; throws where it is invalid or exceeds the limits.
    func asked() throws(CorewireError) -> WireContentContract.ContentFilter {
        do throws(Fault) {
            let filter = try made()
            try filter.check()
            return filter
        } catch {
            throw CorewireError(.invalid, "invalid filter: \(error.reason)")
        }
    }

    private func made() throws(Fault) -> WireContentContract.ContentFilter {
        switch self {
        case .all(let filters): return .all(try Self.made(filters))
        case .any(let filters): return .any(try Self.made(filters))
        case .test(let field, let comparison, let value):
            let operation = WireContentContract.ContentFilter.Operation(rawValue: comparison.rawValue) ?? .equal
            return .test(try WireContentContract.ContentFilter.Test(field, operation, .one(value.asked)))
        case .isIn(let field, let values):
            return .test(try WireContentContract.ContentFilter.Test(field, .isIn, .several(values.map(\.asked))))
        case .isNotIn(let field, let values):
            return .test(try WireContentContract.ContentFilter.Test(field, .isNotIn, .several(values.map(\.asked))))
        }
    }

    private static func made(_ filters: [Self]) throws(Fault) -> [WireContentContract
        .ContentFilter]
    {
        var made: [WireContentContract.ContentFilter] = []
        for filter in filters { made.append(try filter.made()) }
        return made
    }

    fileprivate init(_ filter: WireContentContract.ContentFilter) {
        switch filter {
        case .all(let filters): self = .all(filters.map(Self.init))
        case .any(let filters): self = .any(filters.map(Self.init))
        case .test(let test):
            switch test.operand {
            case .several(let scalars):
                let values = scalars.map(Corewire.ContentScalar.init)
                self =
                    test.operation == .isIn
                    ? .isIn(field: test.property, values) : .isNotIn(field: test.property, values)
            case .one(let scalar):
                let comparison = Comparison(rawValue: test.operation.rawValue) ?? .equal
                self = .test(field: test.property, comparison, Corewire.ContentScalar(scalar))
            }
        }
    }
}
