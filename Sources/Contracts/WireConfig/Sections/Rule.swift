/// What a key asks of its value beyond the type, and what the documentation says of the key beyond its help.
///
/// Made anew at every reading of every key, so making one costs next to nothing.
package enum Rule<Value: Sendable>: Sendable {
    /// A value that is right, as YAML flow text, where the type's own example would say little.
    case example(String)
    /// The key still works and is on its way out; the text says what to write instead.
    case deprecated(String)
    /// The value is asked a question; what is expected instead, where it breaks the rule.
    case check(broken: @Sendable (Value) -> String?, describe: @Sendable (inout KeyForm) -> Void)
    /// The value names a server, and in an embedded environment something built in stands for that: what the value is then.
    ///
    /// A key without this rule that names a server is refused there.
    case standIn(@Sendable (Value) -> Value)
    /// The value is an address, and these are the ones it may be; it is read by them.
    case takes(AddressTerms)
    /// The reader is told more of the value than its type tells.
    case note(@Sendable (Value, NodeID, Reader) -> Void)
}

extension Rule where Value == Address {
    /// In an embedded environment a server built in stands for the one named, at a path below the common base URL.
    package static func standIn(at path: String) -> Self { .standIn { $0.stoodInFor(at: path) } }
}

extension Rule where Value == Template {
    /// What comes of it is an address that a request goes to; what stands before the first value is judged as one.
    package static func becomes(_ terms: AddressTerms) -> Self {
        .note { template, node, reader in
            guard case .text(let text)? = template.pieces.first else { return }
            do throws(Misread) {
                let filled = template.pieces.map { if case .text(let text) = $0 { text } else { "x" } }.joined()
                let address = try terms.judge(filled)
                guard URLParts(text)?.authority?.isEmpty == false else { return }
                address.absolute?.note(at: node, with: reader)
            } catch {
                var misread = error
                // The rest of it is known only when the values are.
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
    /// The value lies in a range, its ends included.
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

    /// The value lies in a range, which is judged elsewhere.
    static func described(in range: ClosedRange<Value>) -> Self {
        .check(broken: { _ in nil }, describe: { $0.range = (range.lowerBound.literal, range.upperBound.literal) })
    }
}

extension Rule where Value: Collection {
    /// There is at least one item.
    package static var notEmpty: Self {
        .check(broken: { $0.isEmpty ? "at least one item" : nil }, describe: { $0.isNotEmpty = true })
    }
}

/// What a section judges itself, where it can say more than a reader, and what the schema says all the same.
extension Rule where Value: Collection {
    /// There are at most so many items.
    package static func described(most count: Int) -> Self { described { $0.mostItems = count } }

    /// No item is there twice.
    package static var describedDistinct: Self { described { $0.isDistinct = true } }
}

extension Rule where Value == [Host] {
    /// No host is a wildcard.
    package static var describedSingle: Self {
        described { $0.form = .list(.text(Host.singleForm)) }
    }
}

extension Rule {
    /// The key is refused without another one beside it.
    package static func described(needs name: String) -> Self { described { $0.needs = name } }

    /// The key is refused beside another one.
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
        case .note: break
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
    /// The value in a sentence: text without its quotes.
    package var plainText: String {
        if case .text(let text) = self { text } else { flowText }
    }
}
