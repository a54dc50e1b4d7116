import WireBase

/// A language tag with optional script and region: `de`, `en-GB`, `zh-Hant-TW` (BCP 47).
package struct LanguageTag: Sendable, Hashable {
    /// The tag in canonical case.
    package let text: String
}

extension LanguageTag: TextValue {
    package static var textForm: TextForm {
        TextForm("a language such as en-GB", example: "en-GB", pattern: "^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")
    }

    package init(parsing text: String) throws(Misread) {
        let base = text.split(separator: ".", omittingEmptySubsequences: false)
        guard base.count == 1 else {
            let language = String(base[0]).hyphenated
            throw Misread(help: "the character set is always UTF-8; write \(language)", fix: language)
        }
        guard !text.contains("_") else {
            throw Misread(help: "write \(text.hyphenated)", fix: text.hyphenated)
        }
        var parts = text.split(separator: "-", omittingEmptySubsequences: false)[...]
        guard let language = parts.popFirst(), (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy(\.isLetter)
        else {
            throw Misread()
        }
        var tag = [language.lowercased()]
        if let script = parts.first, script.utf8.count == 4, script.utf8.allSatisfy(\.isLetter) {
            tag.append(script.prefix(1).uppercased() + script.dropFirst().lowercased())
            parts.removeFirst()
        }
        if let region = parts.first, Self.isRegion(region) {
            tag.append(region.uppercased())
            parts.removeFirst()
        }
        guard parts.isEmpty else {
            throw Misread(help: "a language, then a script of four letters, then a region: zh-Hant-TW")
        }
        self.init(text: tag.joined(separator: "-"))
    }

    private static func isRegion(_ text: Substring) -> Bool {
        (text.utf8.count == 2 && text.utf8.allSatisfy(\.isLetter))
            || (text.utf8.count == 3 && text.utf8.allSatisfy(\.isDigit))
    }

    /// The tag.
    package var description: String { text }
}

extension String {
    fileprivate var hyphenated: String { String(map { $0 == "_" ? "-" : $0 }) }
}
