/// What a key asks of its value beyond the type, and what the documentation says of the key beyond its help.
package struct Rule<Value: Sendable>: Sendable {
    var describe: @Sendable (inout KeyForm) -> Void = { _ in }
    /// What is expected instead, where the value breaks the rule.
    var broken: @Sendable (Value) -> String? = { _ in nil }
    var inspect: @Sendable (_ key: NodeID, Reader) -> Void = { _, _ in }
}

extension Rule where Value: Comparable & SettingValue {
    /// The value lies in a range, its ends included.
    package static func `in`(_ range: ClosedRange<Value>) -> Self {
        Rule(
            describe: { $0.range = (range.lowerBound.literal, range.upperBound.literal) },
            broken: { value in
                range.contains(value)
                    ? nil : "\(range.lowerBound.literal.plainText)...\(range.upperBound.literal.plainText)"
            }
        )
    }
}

extension Rule where Value: Collection {
    /// There is at least one item.
    package static var notEmpty: Self {
        Rule(describe: { $0.isNotEmpty = true }, broken: { $0.isEmpty ? "at least one item" : nil })
    }
}

extension Rule {
    /// A value that is right, as YAML flow text, where the type's own example would say little.
    package static func example(_ text: String) -> Self {
        Rule(describe: { $0.example = text })
    }

    /// The key still works and is on its way out.
    package static func deprecated(_ replacement: String) -> Self {
        Rule(
            describe: { $0.replacement = replacement },
            inspect: { key, reader in reader.reportDeprecated(key, replacement) }
        )
    }
}

extension Literal {
    /// The value in a sentence: text without its quotes.
    package var plainText: String {
        if case .text(let text) = self { text } else { flowText }
    }
}
