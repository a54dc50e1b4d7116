import WireBase
import WireContentContract

extension Corewire {
    /// What must be so of an instance: tests of its fields, joined by `&&` and `||`.
    public indirect enum ContentFilter: Sendable, Hashable {
        /// All of them hold.
        case all([ContentFilter])
        /// One of them holds.
        case any([ContentFilter])
        /// A field compares so with a value.
        case test(field: String, Comparison, ContentScalar)
        /// A field is one of some values.
        case isIn(field: String, [ContentScalar])
        /// A field is none of some values.
        case isNotIn(field: String, [ContentScalar])

        /// How a field and a value compare.
        public enum Comparison: String, Sendable, Hashable, CaseIterable {
            /// The field equals the value, or is one of a list that does.
            case equal = "="
            /// It does not.
            case notEqual = "!="
            /// The field is greater.
            case greater = ">"
            /// The field is less.
            case less = "<"
            /// The field is greater, or equal.
            case atLeast = ">="
            /// The field is less, or equal.
            case atMost = "<="
            /// The field is a text that has the value in it, in whatever case.
            case like
        }

        /// Reads a filter as people write it: `price > 10 and name like "a"`.
        public init(parsing text: String) throws(CorewireError) {
            do throws(FilterExpression.Mistake) {
                self.init(try FilterExpression.filter(text))
            } catch {
                throw CorewireError(.invalid, "the filter is not understood, \(error.description)")
            }
        }

        /// Both hold.
        public static func && (left: Self, right: Self) -> Self { .all([left, right]) }

        /// One of them holds.
        public static func || (left: Self, right: Self) -> Self { .any([left, right]) }
    }

    /// What a field is compared with; written as a literal.
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

    /// A field of instances, to make tests of: `Corewire.ContentField("price") > 10`.
    public struct ContentField: Sendable, Hashable {
        /// Its name.
        public let name: String

        /// The field of a name; points lead further inside.
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

        /// The field has the text in it, in whatever case.
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
    /// The filter as the service takes it; throws for one no server could make sense of, or that asks for too much.
    func asked() throws(CorewireError) -> WireContentContract.ContentFilter {
        do throws(Fault) {
            let filter = try made()
            try filter.check()
            return filter
        } catch {
            throw CorewireError(.invalid, "the filter cannot be: \(error.reason)")
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
