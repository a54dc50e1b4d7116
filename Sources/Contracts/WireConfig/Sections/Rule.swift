/// A constraint on the value of a key beyond its type, or an addition to its documentation.
///
/// Created on every reading of a key that is present.
package enum Rule<Value: Sendable>: Sendable {
    /// A valid value in YAML flow style, where the example of the type is not specific enough.
    case example(String)
    /// The key is deprecated; the text says what to write instead.
    case deprecated(String)
    /// A check; `broken` returns the expectation where the value violates it.
    case check(broken: @Sendable (Value) -> String?, describe: @Sendable (inout KeyForm) -> Void)
    /// An embedded server replaces the named server in an embedded environment; the closure returns the new value.
    ///
    /// A key for a server without this rule is rejected in an embedded environment.
    case standIn(@Sendable (Value) -> Value)
    /// Restricts the accepted addresses.
    case takes(AddressTerms)
    /// Passes further facts about the value to the reader.
    case record(@Sendable (Value, NodeID, Reader) -> Void)
}

extension Rule where Value == Address {
    /// In an embedded environment, an embedded server at a path below the base URL replaces the named one.
    package static func standIn(at path: String) -> Self { .standIn { $0.stoodInFor(at: path) } }
}

extension Rule where Value == Template {
    /// The filled template is a request URL; its literal beginning is validated as one.
    package static func becomes(_ terms: AddressTerms) -> Self {
        .record { template, node, reader in
            guard case .text(let text)? = template.pieces.first else { return }
            do throws(Misread) {
                let filled = template.pieces.map { if case .text(let text) = $0 { text } else { "x" } }.joined()
                let address = try terms.parse(filled)
                guard URLParts(text)?.authority?.isEmpty == false else { return }
                address.absolute?.record(at: node, with: reader)
            } catch {
                var misread = error
                // The rest is known only when the template is filled.
                if let range = misread.range, range.upperBound > text.utf8.count { misread.range = nil }
                if template.pieces.count > 1 {
                    misread.fix = nil
                    let written = template.text.dropFirst(text.count)
                    let filled = template.pieces.dropFirst().map { if case .text(let text) = $0 { text } else { "x" } }
                    misread.label = misread.label?.replacing("\(filled.joined())?", with: "\(written)?")
                }
                reader.report(misread, at: node, expected: terms.textForm.noun)
            }
        }
    }
}

extension Rule where Value: Comparable & SettingValue {
    /// The value is in a closed range.
    package static func `in`(_ range: ClosedRange<Value>) -> Self {
        .check(
            broken: { value in
                range.contains(value)
                    ? nil : "\(range.lowerBound.literal.plainText)...\(range.upperBound.literal.plainText)"
            },
            describe: { key in
                key.range = (range.lowerBound.literal, range.upperBound.literal)
                guard case .text(let form) = key.form else { return }
                key.form = .text(
                    form.with(pattern: Value.pattern(from: range.lowerBound, to: range.upperBound) ?? form.pattern)
                )
            }
        )
    }

    /// The value is in a range that the section itself checks.
    static func described(in range: ClosedRange<Value>) -> Self {
        .check(broken: { _ in nil }, describe: { $0.range = (range.lowerBound.literal, range.upperBound.literal) })
    }
}

extension Rule where Value: Collection {
    /// The collection has at least one item.
    package static var notEmpty: Self {
        .check(broken: { $0.isEmpty ? "at least one item" : nil }, describe: { $0.isNotEmpty = true })
    }
}

/// Constraints that the section checks itself; the rule only adds them to the schema.
extension Rule where Value: Collection {
    /// The collection has at most this many items.
    package static func described(most count: Int) -> Self { described { $0.mostItems = count } }

    /// The items are distinct.
    package static var describedDistinct: Self { described { $0.isDistinct = true } }
}

extension Rule where Value == [Host] {
    /// No host is a wildcard.
    package static var describedSingle: Self {
        described { $0.form = .list(.text(Host.singleForm)) }
    }
}

extension Rule {
    /// The key requires a sibling key.
    package static func described(needs name: String) -> Self { described { $0.needs = name } }

    /// The key excludes a sibling key.
    package static func described(excludes name: String) -> Self { described { $0.excludes = name } }

    private static func described(_ change: @escaping @Sendable (inout KeyForm) -> Void) -> Self {
        .check(broken: { _ in nil }, describe: change)
    }
}

extension Rule {
    var terms: AddressTerms? {
        if case .takes(let terms) = self { terms } else { nil }
    }

    var example: String? {
        if case .example(let text) = self { text } else { nil }
    }

    func describe(_ key: inout KeyForm) {
        switch self {
        case .example(let text): key.example = text
        case .deprecated(let replacement): key.replacement = replacement
        case .check(_, let describe): describe(&key)
        case .standIn: key.hasStandIn = true
        case .takes(let terms): key.form = .text(terms.textForm)
        case .record: break
        }
    }

    func broken(_ value: Value) -> String? {
        if case .check(let broken, _) = self { broken(value) } else { nil }
    }

    func inspect(_ key: NodeID, _ reader: Reader) {
        if case .deprecated(let replacement) = self { reader.reportDeprecated(key, replacement) }
    }
}

extension Literal {
    /// The value for a sentence: text without quotes.
    package var plainText: String {
        if case .text(let text) = self { text } else { flowText }
    }
}
