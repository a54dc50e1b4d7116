import WireBase

/// A server's text, made safe to show: it may repeat secrets of the request.
enum ServerText {
    /// The longest word that is shown; longer ones may be secrets.
    private static let longest = 28

    /// The text on one line, without the secrets of the request and without words that look like secrets.
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

    /// Tokens, codes and encoded credentials mix letters and digits, or are long; plain words do not.
    private static func isPlain(_ word: Substring) -> Bool {
        guard word.utf8.count <= longest else { return false }
        let hasDigits = word.utf8.contains(where: \.isDigit)
        return !hasDigits || (word.utf8.count <= 6 && !word.utf8.contains(where: \.isLetter))
    }

    /// An error code, if the text is one: letters as in the codes of RFC 6749 and of providers.
    static func code(_ text: String?, hiding secrets: [Secret<String>]) -> String? {
        guard let text, (1...48).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "_.-".utf8.contains($0) }),
            !secrets.contains(where: { !$0.reveal().isEmpty && text.contains($0.reveal()) })
        else { return nil }
        return text
    }
}
