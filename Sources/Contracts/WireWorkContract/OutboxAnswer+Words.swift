import WireBase
package import WireConfig
import WireHTTP

/// Extracts a message from a response.
extension OutboxAnswer {
    private var type: String { fields["Content-Type"].flatMap { MediaType(parsing: $0) }?.essence ?? "" }

    /// Whether the body is an HTML page, whatever its type.
    package var isPage: Bool {
        if type == "text/html" || type == "application/xhtml+xml" { return !body.isEmpty }
        let start = String(decoding: body.drop { " \t\r\n\u{feff}".utf8.contains($0) }.prefix(16), as: UTF8.self)
            .lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    package var json: JSONValue? { try? JSONValue(parsing: body, named: "answer") }

    /// Whether the body is declared as JSON or looks like it.
    package var claimsJSON: Bool {
        guard let first = body.first(where: { !" \t\r\n".utf8.contains($0) }) else { return false }
        return type == "application/json" || type.hasSuffix("+json") || "{[".utf8.contains(first)
    }

    /// The error message of the response on one line; nil where there is none.
    ///
    /// Named secrets, and words that look like secrets, are removed, because servers may echo them.
    package func words(without secrets: [String] = []) -> String? {
        guard var words = given else { return nil }
        // Longest first: one secret may be a part of another.
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where !secret.isEmpty {
            words = words.replacing(secret, with: Secret<String>.redacted)
        }
        return words.withoutOpaqueWords.shown(upTo: 200)
    }

    /// The message in a common JSON member, or as plain text.
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
    /// Removes words that look like a token or a key: long, of letters, digits and base64 characters.
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
