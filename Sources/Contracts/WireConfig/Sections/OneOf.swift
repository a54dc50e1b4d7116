import WireBase

/// A value with several shapes, as an enum with one case per shape.
///
/// The shape depends either on a key, `type: unifiedPush`, or on which of several keys is present, `file: …`.
package protocol OneOf: SettingValue {
    /// The key that selects the shape; nil where the presence of a key selects it.
    static var discriminator: String? { get }
    /// The shape where the discriminator is absent; nil where it is required.
    static var defaultAlternative: String? { get }
    static var alternatives: [Alternative<Self>] { get }
}

/// One shape of a ``OneOf``.
package struct Alternative<Whole: Sendable>: Sendable {
    let name: String
    let help: String
    let form: @Sendable () -> Form
    let read:
        @Sendable (NodeID, Reader, _ besides: [String], _ hint: (_ unknownKey: String) -> Advice?) -> Reading<Whole>
    let placeholder: @Sendable () -> Whole

    /// A record, selected by the discriminator.
    package init<Shape: Record>(_ name: String, _ help: String, _ wrap: @escaping @Sendable (Shape) -> Whole) {
        self.name = name
        self.help = help
        form = { Shape.form }
        read = { node, reader, besides, hint in
            Shape.read(node, with: reader, besides: besides, hint: hint).map(wrap)
        }
        placeholder = { wrap(Shape.placeholder) }
    }

    /// A value under the key of the shape.
    package init<Shape: SettingValue>(key name: String, _ help: String, _ wrap: @escaping @Sendable (Shape) -> Whole) {
        self.name = name
        self.help = help
        form = { Shape.form }
        read = { node, reader, _, _ in Shape.read(node, with: reader).map(wrap) }
        placeholder = { wrap(Shape.placeholder) }
    }
}

extension OneOf {
    package static var discriminator: String? { nil }
    package static var defaultAlternative: String? { nil }

    package static var form: Form {
        let forms = alternatives.map { Form.Alternative(name: $0.name, help: $0.help, form: $0.form()) }
        return discriminator.map { .tagged(key: $0, default: defaultAlternative, forms) } ?? .exclusive(forms)
    }

    package static var placeholder: Self {
        guard let first = alternatives.first else { preconditionFailure("a OneOf needs at least one shape") }
        return first.placeholder()
    }

    package var literal: Literal { .mapping([]) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.expectMapping(node, form: { form }) else { return .none }
        if let discriminator { return readTagged(node, reader, by: discriminator) }
        return readExclusive(node, reader)
    }

    private static func readTagged(_ node: NodeID, _ reader: Reader, by key: String) -> Reading<Self> {
        guard let tag = reader.document.value(key, of: node), !reader.isNull(tag) else {
            if let alternative = alternatives.first(where: { $0.name == defaultAlternative }) {
                return read(alternative, node, reader, by: key)
            }
            reader.noteSecrets(in: node, named: form.secretKeys)
            reader.reportMissing(
                key,
                at: reader.innermostKey,
                in: node,
                form: .choice(alternatives.map { Form.Word($0.name, $0.help) })
            )
            return .none
        }
        guard let alternative = reader.descend(to: key, { reader.choose(among: alternatives, by: tag) { $0.name } })
        else {
            reader.noteSecrets(in: node, named: form.secretKeys)
            return .none
        }
        return read(alternative, node, reader, by: key)
    }

    private static func read(_ alternative: Alternative<Self>, _ node: NodeID, _ reader: Reader, by tag: String)
        -> Reading<Self>
    {
        alternative.read(node, reader, [tag]) { key in
            let others = alternatives.filter { $0.name != alternative.name && $0.form().keyNames.contains(key) }
            guard !others.isEmpty else { return nil }
            return "\(key.quoted) is a key of \(others.map { "\(tag): \($0.name)" }.listed())"
        }
    }

    private static func readExclusive(_ node: NodeID, _ reader: Reader) -> Reading<Self> {
        let names = alternatives.map(\.name)
        let entries = reader.document.entries(node).map { (name: reader.document.text($0.key), entry: $0) }
        for (name, entry) in entries where !names.contains(name) && !name.hasPrefix("x-") {
            reader.reportUnknown(entry, named: name) { Reader.Candidates(names, secret: form.secretKeys) }
        }
        let chosen = entries.filter { names.contains($0.name) && !reader.isNull($0.entry.value) }
        guard let (name, entry) = chosen.first, let alternative = alternatives.first(where: { $0.name == name }) else {
            if entries.allSatisfy({ names.contains($0.name) }) {
                reader.reportMismatch(node, expected: form.noun)
            }
            return .none
        }
        if let second = chosen.dropFirst().first {
            reader.reportMoreThanOne(of: names, first: entry, second: second.entry)
        }
        return reader.descend(to: name, key: entry.key) { alternative.read(entry.value, reader, []) { _ in nil } }
    }
}

extension Reader {
    /// Finds the named element that a scalar refers to; reports an unknown name.
    package func choose<Thing>(among things: [Thing], by node: NodeID, named name: (Thing) -> String) -> Thing? {
        guard case .text(let text, _) = scalar(node, for: .choice(things.map { Form.Word(name($0), "") })) else {
            return nil
        }
        if let thing = things.first(where: { name($0) == text }) { return thing }
        reportNone(of: things.map(name), node, text)
        return nil
    }

    /// Reports an unknown word, with the equivalent of a word from another system where known.
    func reportNone(of names: [String], _ node: NodeID, _ text: String, meant: String? = nil) {
        let repair = Repair.of(text, isRight: names.contains)
        let nearest = (meant ?? repair?.text).map { [$0] } ?? Nearest.names(to: text, among: names)
        reportMismatch(
            node,
            expected: names.listed(),
            label: nearest.isEmpty ? "" : "did you mean \(nearest.listed())?",
            help: (repair?.help).map { Advice($0) },
            fix: nearest.count == 1 ? nearest.first : nil
        )
    }

    func reportMoreThanOne(of names: [String], first: Entry, second: Entry) {
        report(
            Diagnostic(
                .moreThanOne,
                "\(pathText): only one of \(names.listed()) is allowed",
                at: document.place(second.key)
            )
            .labelled("the second is here")
            .related(document.place(first.key), "the first is here")
        )
    }
}
