/// A value parsed from one text; an instance exists only for valid text.
package protocol TextValue: SettingValue, CustomStringConvertible {
    static var textForm: TextForm { get }
    init(parsing text: String) throws(Misread)
    /// Passes further facts about the value to the reader.
    func record(at node: NodeID, with reader: Reader)
}

/// Why a text is invalid.
package struct Misread: Error {
    /// The expectation, where it is more specific than the form's noun.
    package var expected: String?
    package var help: String?
    /// The certain correction.
    package var fix: String?
    /// Whether the text may contain a secret and must not be quoted.
    package var hidesText = false
    /// The code of the problem.
    var code = Code.wrongType
    /// The invalid bytes, with the text below them.
    var range: Range<Int>?
    package var label: String?

    /// The advice in one sentence, for contexts without a location.
    package var advice: String? {
        let parts = [label, help].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    package init(expected: String? = nil, help: String? = nil, fix: String? = nil, hidesText: Bool = false) {
        self.hidesText = hidesText
        self.expected = expected
        self.help = help
        self.fix = fix
    }
}

extension TextValue {
    package static var form: Form { .text(textForm) }

    package static var placeholder: Self { Self(known: textForm.example) }

    /// Makes a value from a valid literal in this program.
    package init(known text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("'\(text)' is not \(Self.textForm.noun)")
        }
    }

    package var literal: Literal { .text(description) }

    package func record(at node: NodeID, with reader: Reader) {}

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        readText(node, with: reader)
    }

    /// The result of parsing a text, for types with a further check.
    static func readText(
        _ node: NodeID,
        with reader: Reader,
        parse: (String) throws(Misread) -> Self = { (text) throws(Misread) in try Self(parsing: text) }
    ) -> Reading<Self> {
        switch reader.scalar(node, for: form) {
        case .unknown, .wrong:
            return .none
        case .text(let text, _):
            do {
                let value = try parse(text)
                value.record(at: node, with: reader)
                return .complete(value)
            } catch {
                var misread = error
                if !error.hidesText, let repair = Repair.of(text, isRight: { (try? parse($0)) != nil }) {
                    (misread.label, misread.help, misread.fix) = (nil, repair.help, repair.text)
                }
                reader.report(misread, at: node, expected: textForm.noun)
                return .none
            }
        }
    }
}

/// A value that is one of several words.
package protocol Choice: SettingValue, CaseIterable, RawRepresentable, Equatable where RawValue == String {
    /// The meaning of the word.
    var help: String { get }
    /// Words of other systems with the same meaning, for suggestions: `fcm` for `firebase`.
    var otherWords: [String] { get }
}

extension Choice {
    package var otherWords: [String] { [] }

    package static var form: Form { .choice(allCases.map { Form.Word($0.rawValue, $0.help) }) }

    package static var placeholder: Self {
        guard let first = allCases.first else { preconditionFailure("a Choice needs at least one case") }
        return first
    }

    package var literal: Literal { .text(rawValue) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard case .text(let text, _) = reader.scalar(node, for: form) else { return .none }
        if let value = Self(rawValue: text) { return .complete(value) }
        let word = text.lowercased()
        let meant = allCases.first { $0.otherWords.contains(word) }
        reader.reportNone(of: allCases.map(\.rawValue), node, text, meant: meant?.rawValue)
        return .none
    }
}
