import WireBase

/// A token of a filter text.
struct FilterWord {
    enum Kind: Equatable {
        case name(String)
        case quotedName(String)
        case text(String)
        case integer(Int)
        case number(Double)
        case symbol(String)
    }

    let kind: Kind
    /// The token as written.
    let source: String
    /// The character position, from 1.
    let position: Int
    /// The position of its last character.
    let end: Int

    /// Whether it is a keyword, in any case.
    func isWord(_ word: String) -> Bool {
        if case .name(let name) = kind { name.lowercased() == word } else { false }
    }

    /// The field name; a keyword is a field name only in backquotes.
    var property: String? {
        switch kind {
        case .name(let name): ["and", "or", "in", "like", "not"].contains(name.lowercased()) ? nil : name
        case .quotedName(let name): name
        default: nil
        }
    }

    static func words(of text: String) throws(FilterExpression.Mistake) -> [FilterWord] {
        var scanner = FilterScanner(text)
        var words: [FilterWord] = []
        while let word = try scanner.word() { words.append(word) }
        return words
    }
}

/// Splits a filter text into tokens.
private struct FilterScanner {
    private let characters: [Character]
    private var offset = 0

    init(_ text: String) {
        characters = Array(text)
    }

    private var character: Character? { offset < characters.count ? characters[offset] : nil }

    mutating func word() throws(FilterExpression.Mistake) -> FilterWord? {
        while let character, character.isWhitespace { offset += 1 }
        guard let character else { return nil }
        let start = offset
        let kind: FilterWord.Kind
        switch character {
        case "\"", "'": kind = .text(try quoted(until: character))
        case "`": kind = .quotedName(try quoted(until: "`"))
        case "0"..."9", "-", "+", ".": kind = try number()
        case "(", ")", "[", "]", ",":
            offset += 1
            kind = .symbol(String(character))
        case "=", "!", "<", ">":
            offset += 1
            var symbol = String(character)
            if let next = self.character, next == "=" || (character == "<" && next == ">") {
                offset += 1
                symbol.append(next)
            }
            kind = .symbol(symbol)
        case _ where Self.isPartOfName(character):
            while let next = self.character, Self.isPartOfName(next) || next == "-" || next == "." { offset += 1 }
            kind = .name(String(characters[start..<offset]))
        default: throw mistake("found \(String(character).quoted), which has no meaning here", at: start)
        }
        return FilterWord(
            kind: kind,
            source: String(characters[start..<offset]),
            position: start + 1,
            end: offset
        )
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    private mutating func quoted(until quote: Character) throws(FilterExpression.Mistake) -> String {
        let start = offset
        var text = ""
        offset += 1
        while let character {
            offset += 1
            switch character {
            case quote: return text
            case "\\":
                guard let escaped = self.character else { break }
                offset += 1
                text.append(escaped)
            default: text.append(character)
            }
        }
        throw mistake("the text that begins here with \(quote) is not closed", at: start)
    }

    private mutating func number() throws(FilterExpression.Mistake) -> FilterWord.Kind {
        let start = offset
        offset += 1
        while let character, character.isLetter || character.isNumber || character == "." || Self.isSign(character) {
            // A sign continues a number only in its exponent.
            if Self.isSign(character), !"eE".contains(characters[offset - 1]) { break }
            offset += 1
        }
        let text = String(characters[start..<offset])
        if let number = Int(text) { return .integer(number) }
        guard text.utf8.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }), let number = Double(text),
            number.isFinite
        else { throw mistake("found \(text.quoted), which is not a number", at: start) }
        return .number(number)
    }

    private static func isSign(_ character: Character) -> Bool { character == "-" || character == "+" }

    private func mistake(_ reason: String, at offset: Int) -> FilterExpression.Mistake {
        FilterExpression.Mistake(position: offset + 1, reason: reason)
    }
}
