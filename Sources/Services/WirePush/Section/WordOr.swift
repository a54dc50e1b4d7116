import WireBase
package import WireConfig

/// A setting that is a word or a mapping.
package enum WordOr<Word: Sendable, Shape: Sendable>: Sendable {
    /// A word.
    case word(Word)
    /// A mapping.
    case shape(Shape)
}

extension WordOr: SettingValue where Word: Choice, Shape: SettingValue {
    package static var form: Form { .either(Word.form, Shape.form) }
    package static var placeholder: Self { .word(.placeholder) }

    package var literal: Literal {
        switch self {
        case .word(let word): word.literal
        case .shape(let shape): shape.literal
        }
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.document.kind(node).isScalar else { return Shape.read(node, with: reader).map(Self.shape) }
        guard case .text(let text, _) = reader.scalar(node, for: form, isSecret: true) else { return .none }
        guard let word = Word(rawValue: text) else {
            // An unexpected value is probably a token.
            reader.record(secretAt: node)
            let nearest = Nearest.names(to: text, among: Word.allCases.map(\.rawValue))
            reader.reportMismatch(
                node,
                expected: form.noun,
                isSecret: true,
                label: nearest.isEmpty ? "" : "did you mean \(nearest.listed())?",
                fix: nearest.count == 1 ? nearest.first : nil
            )
            return .none
        }
        return .complete(.word(word))
    }
}
