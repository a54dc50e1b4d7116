import WireBase
import WireConfig
import WireContentContract

/// The evaluation of filters on instances, as servers do it.
///
/// A field with a list matches a test if one of its items does; `!=` and `!in` are the negations of `=` and `in`. A
/// missing field equals a null one, which is neither greater nor less than any value.
extension ContentFilter {
    /// Whether an instance matches; `find` returns its fields by name, nil for a missing one.
    func holds(_ find: (String) -> JSONValue?) -> Bool {
        switch self {
        case .all(let filters): filters.allSatisfy { $0.holds(find) }
        case .any(let filters): filters.contains { $0.holds(find) }
        case .test(let test): test.holds(find(test.property) ?? .null)
        }
    }
}

extension ContentFilter.Test {
    fileprivate func holds(_ value: JSONValue) -> Bool {
        switch operation {
        case .notEqual: !compares(value, as: .equal)
        case .isNotIn: !compares(value, as: .isIn)
        default: compares(value, as: operation)
        }
    }

    private func compares(_ value: JSONValue, as operation: ContentFilter.Operation) -> Bool {
        if case .array(let items) = value { return items.contains { compares($0, as: operation) } }
        switch operand {
        case .several(let scalars): return scalars.contains { $0.isEqual(to: value) }
        case .one(let scalar):
            switch operation {
            case .like: return scalar.isPart(of: value)
            case .greater: return scalar.order(of: value).map { $0 > 0 } ?? false
            case .less: return scalar.order(of: value).map { $0 < 0 } ?? false
            case .atLeast: return scalar.order(of: value).map { $0 >= 0 } ?? false
            case .atMost: return scalar.order(of: value).map { $0 <= 0 } ?? false
            case .equal, .notEqual, .isIn, .isNotIn: return scalar.isEqual(to: value)
            }
        }
    }
}

extension ContentFilter.Scalar {
    /// Servers read booleans as strings, so that `true` equals `"true"`.
    fileprivate func isEqual(to value: JSONValue) -> Bool {
        switch (self, value) {
        case (.null, .null): true
        case (.boolean(let wanted), .boolean(let found)): wanted == found
        case (.boolean(let wanted), .string(let found)): (wanted ? "true" : "false") == found
        case (.text(let wanted), .string(let found)): wanted == found
        case (.text(let wanted), .boolean(let found)): wanted == (found ? "true" : "false")
        default: order(of: value) == 0
        }
    }

    /// Whether a value is greater (1), equal (0) or less (-1); nil where the two have no order.
    fileprivate func order(of value: JSONValue) -> Int? {
        switch (self, value) {
        case (.integer(let wanted), .integer(let found)): Self.order(found, wanted)
        case (.integer(let wanted), .number(let found)): Self.order(found, Double(wanted))
        case (.number(let wanted), .integer(let found)): Self.order(Double(found), wanted)
        case (.number(let wanted), .number(let found)): Self.order(found, wanted)
        case (.text(let wanted), .string(let found)): Self.order(found, wanted)
        default: nil
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left > right ? 1 : 0
    }

    /// Whether a text contains this one, ignoring case; servers read a boolean as a text.
    fileprivate func isPart(of value: JSONValue) -> Bool {
        guard case .text(let wanted) = self else { return false }
        switch value {
        case .string(let found): return TextSearch.contains(found, wanted)
        case .boolean(let found): return TextSearch.contains(found ? "true" : "false", wanted)
        default: return false
        }
    }
}
