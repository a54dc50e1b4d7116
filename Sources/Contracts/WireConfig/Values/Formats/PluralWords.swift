import WireBase

/// Words for the numbers of a language: `one: a task; other: # tasks` (Unicode TR35).
package struct PluralWords: Sendable, Hashable {
    /// Which words go with a number; every language has some of them, and all have `other`.
    package enum Category: String, Sendable, CaseIterable {
        case zero, one, two, few, many, other
    }

    /// The words for what is not named otherwise.
    package let other: String
    private let named: [Category: String]
    /// Words for exactly one number, which go before those of the language.
    private let exact: [Int: String]

    /// The words for a number, of which a language says which category it is in.
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
                    throw Self.misread("\(name) stands twice")
                }
            } else if let category = Category(rawValue: name) {
                guard named.updateValue(words, forKey: category) == nil else {
                    throw Self.misread("\(name) stands twice")
                }
            } else {
                throw Self.misread(
                    "\(name.quoted) is none of \(Category.allCases.map(\.rawValue).listed("and")), nor a number such as =0"
                )
            }
        }
        guard let other = named[.other] else { throw Self.misread("the words for 'other' are missing") }
        (self.other, self.named, self.exact) = (other, named, exact)
    }

    private static func misread(_ flaw: String) -> Misread {
        Misread(
            expected: "a template with complete filters",
            help: "\(flaw); write 'plural: \"one: # task; other: # tasks\"'"
        )
    }
}
