import WireBase
package import WireConfig
import WireHTTP

/// What an answer is made of, for who takes it.
extension OutboxAnswer {
    private var type: String { fields["Content-Type"].flatMap { MediaType(parsing: $0) }?.essence ?? "" }

    /// Whether it is a page for people, whatever its type says.
    package var isPage: Bool {
        if type == "text/html" || type == "application/xhtml+xml" { return !body.isEmpty }
        let start = String(decoding: body.drop { " \t\r\n\u{feff}".utf8.contains($0) }.prefix(16), as: UTF8.self)
            .lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    package var json: JSONValue? { try? JSONValue(parsing: body, named: "answer") }

    /// Whether it says, or looks as if, it were JSON.
    package var claimsJSON: Bool {
        guard let first = body.first(where: { !" \t\r\n".utf8.contains($0) }) else { return false }
        return type == "application/json" || type.hasSuffix("+json") || "{[".utf8.contains(first)
    }

    /// What it says in words, in one line; nil where it says nothing.
    ///
    /// Without secrets that are named, and without what looks like one: servers repeat what they were told.
    package func words(without secrets: [String] = []) -> String? {
        guard var words = given else { return nil }
        // The longest first: one may be a part of another.
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where !secret.isEmpty {
            words = words.replacing(secret, with: Secret<String>.redacted)
        }
        return words.withoutOpaqueWords.shown(upTo: 200)
    }

    /// Where such servers have their words, or as plain text.
    private var given: String? {
        if let json {
            let error = json["error"]
            let all = [
                error?["message"]?.string, json["message"]?.string, json["error_text"]?.string, json["detail"]?.string,
                json["error_description"]?.string, json["title"]?.string, error?.string,
            ]
            return all.firstFound { text in text.flatMap { $0.isEmpty ? nil : $0 } }
        }
        guard type == "text/plain", !isPage, !claimsJSON else { return nil }
        let line = String(decoding: body.prefix(2_000), as: UTF8.self).split(whereSeparator: \.isNewline).first
        return line.map(String.init)
    }
}

extension String {
    /// Without words that look like a token or a key: long, and of letters, digits and the signs of base64 only.
    fileprivate var withoutOpaqueWords: String {
        var (text, word) = ("", "")
        func isOpaque(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber || "+/=_-.".contains(character))
        }
        for character in self + " " {
            if isOpaque(character) {
                word.append(character)
                continue
            }
            let isToken = word.count >= 20 && word.contains(where: \.isNumber) && word.contains(where: \.isLetter)
            text += isToken ? Secret<String>.redacted : word
            text.append(character)
            word = ""
        }
        return String(text.dropLast())
    }
}
