import WireBase

/// What a server says in words, made fit to be shown: it may repeat what it was sent.
enum ServerText {
    /// How long a word may be before it is taken for something secret: descriptions are written in words.
    private static let longest = 28

    /// The text on one line, without the secrets of the request and without anything that looks like one.
    static func shown(_ text: String, hiding secrets: [Secret<String>], upTo limit: Int = 160) -> String {
        var text = text
        for secret in secrets {
            let value = secret.reveal()
            guard !value.isEmpty else { continue }
            for form in [value, FormText.encoded(value)] {
                text = text.split(separator: form, omittingEmptySubsequences: false).joined(separator: " [redacted] ")
            }
        }
        let words = text.split { $0 == " " || $0.isNewline }.map { word in
            word == "[redacted]" || isPlain(word) ? String(word) : "[redacted]"
        }
        return words.joined(separator: " ").shown(upTo: limit)
    }

    /// Tokens, codes and what credentials are written as mix letters and digits, or are long; words do neither.
    private static func isPlain(_ word: Substring) -> Bool {
        guard word.utf8.count <= longest else { return false }
        let hasDigits = word.utf8.contains(where: \.isDigit)
        return !hasDigits || (word.utf8.count <= 6 && !word.utf8.contains(where: \.isLetter))
    }

    /// A code of an error, if it is one: the letters of RFC 6749's codes, and of providers' own.
    static func code(_ text: String?, hiding secrets: [Secret<String>]) -> String? {
        guard let text, (1...48).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "_.-".utf8.contains($0) }),
            !secrets.contains(where: { !$0.reveal().isEmpty && text.contains($0.reveal()) })
        else { return nil }
        return text
    }
}
