/// A value that is written as one text and proves, by existing, that the text was right.
package protocol TextValue: SettingValue, CustomStringConvertible {
    static var textForm: TextForm { get }
    init(parsing text: String) throws(Misread)
    /// Tells the reader what it should remember about the value.
    func note(at node: NodeID, with reader: Reader)
}

/// Why a text is not what it should be.
package struct Misread: Error {
    /// What was expected, where it can be said better than by the form's noun.
    package var expected: String?
    package var help: String?
    /// What was certainly meant.
    package var fix: String?
    /// Whether the text may hold a secret, and so is not quoted.
    package var hidesText = false
    /// The kind of problem it is.
    var code = Code.wrongType
    /// The bytes of the text that are wrong, and what is said below them.
    var range: Range<Int>?
    package var label: String?

    /// What to do about it, in one sentence, where no place can be shown.
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

    /// A value written in this program, which is known to be right.
    package init(known text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("'\(text)' is not \(Self.textForm.noun)")
        }
    }

    package var literal: Literal { .text(description) }

    package func note(at node: NodeID, with reader: Reader) {}

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        readText(node, with: reader)
    }

    /// What reading a text comes to, for types that ask one thing more.
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
                value.note(at: node, with: reader)
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

/// A value that is one of a few words.
package protocol Choice: SettingValue, CaseIterable, RawRepresentable, Equatable where RawValue == String {
    /// What the word means.
    var help: String { get }
    /// Words that other systems have for it, which a message answers with its own: `fcm` for `firebase`.
    var otherWords: [String] { get }
}

extension Choice {
    package var otherWords: [String] { [] }

    package static var form: Form { .choice(allCases.map { Form.Word($0.rawValue, $0.help) }) }

    package static var placeholder: Self {
        guard let first = allCases.first else { preconditionFailure("a choice without cases") }
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
