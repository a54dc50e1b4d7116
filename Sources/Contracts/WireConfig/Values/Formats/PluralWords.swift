import WireBase

/// The plural forms of a text: `one: a task; other: # tasks` (Unicode TR35).
package struct PluralWords: Sendable, Hashable {
    /// The plural categories; every language uses some of them, and all use `other`.
    package enum Category: String, Sendable, CaseIterable {
        case zero, one, two, few, many, other
    }

    /// The text for all other numbers.
    package let other: String
    private let named: [Category: String]
    /// Texts for exact numbers, which take precedence over categories.
    private let exact: [Int: String]

    /// The text for a number and its category in the language.
    package func words(for number: Double, in category: Category) -> String {
        if let whole = Int(exactly: number), let words = exact[whole] { return words }
        return named[category] ?? other
    }

    init(parsing text: String) throws(Misread) {
        var (named, exact): ([Category: String], [Int: String]) = ([:], [:])
        for part in text.split(separator: ";", omittingEmptySubsequences: true) {
            let pair = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else {
                throw Self.misread("each needs its number: \(part.trimmed.description.quoted)")
            }
            let (name, words) = (String(pair[0].trimmed), String(pair[1].trimmed))
            if name.hasPrefix("="), let number = Int(name.dropFirst()) {
                guard exact.updateValue(words, forKey: number) == nil else {
                    throw Self.misread("\(name) is given twice")
                }
            } else if let category = Category(rawValue: name) {
                guard named.updateValue(words, forKey: category) == nil else {
                    throw Self.misread("\(name) is given twice")
                }
            } else {
                throw Self.misread(
                    "\(name.quoted) is not one of \(Category.allCases.map(\.rawValue).listed()), or a number such as =0"
                )
            }
        }
        guard let other = named[.other] else { throw Self.misread("the text for 'other' is missing") }
        (self.other, self.named, self.exact) = (other, named, exact)
    }

    private static func misread(_ flaw: String) -> Misread {
        Misread(
            expected: "a template with complete filters",
            help: "\(flaw); write 'plural: \"one: # task; other: # tasks\"'"
        )
    }
}
