import WireConfig

/// A text given by a translation key: `loc-key` of Apple, `body_loc_key` of Firebase and Huawei.
package struct LocalizedPushText: Sendable, Equatable {
    /// The key of the translation.
    package let key: String
    /// The arguments for the format specifiers, in order.
    package let arguments: [String]

    package init(key: String, arguments: [String]) { (self.key, self.arguments) = (key, arguments) }

    /// Reads the two members of a payload; nil where there is no key.
    init?(_ payload: JSONValue, key: String, arguments: String) {
        guard let key = payload[key]?.string, !key.isEmpty else { return nil }
        self.key = key
        // Firebase passes the arguments as JSON text.
        let given = payload[arguments]
        let list =
            given?.array
            ?? given?.string.flatMap { text in
                (try? JSONValue(parsing: Array(text.utf8), named: "arguments"))?.array ?? [.string(text)]
            }
        self.arguments = (list ?? []).map(\.plainText)
    }

    /// The text without a translation: the key with its arguments.
    package var fallback: String { arguments.isEmpty ? key : "\(key) (\(arguments.joined(separator: ", ")))" }

    /// Fills a translation: `%@`, `%s`, `%d` and numbered `%1$@`, `%2$s` are replaced by arguments; `%%` is one `%`.
    ///
    /// A specifier without an argument is removed; other text is unchanged.
    package func text(_ format: String) -> String {
        var (text, next, rest) = ("", 0, Substring(format))
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            if rest.first == "%" {
                text += "%"
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let isNumbered = !digits.isEmpty && rest.dropFirst(digits.count).first == "$"
            let tail = isNumbered ? rest.dropFirst(digits.count + 1) : rest
            guard let kind = tail.first, "@sd".contains(kind) else {
                text += "%"
                continue
            }
            let index = isNumbered ? (Int(digits) ?? 0) - 1 : next
            if !isNumbered { next += 1 }
            if arguments.indices.contains(index) { text += arguments[index] }
            rest = tail.dropFirst()
        }
        return text + rest
    }
}

extension ReceivedPush {
    /// Sets localized texts; until a translation is found, the payload's own text or the key is shown.
    mutating func localize(title: LocalizedPushText?, subtitle: LocalizedPushText?, body: LocalizedPushText?) {
        localized = Localized(title: title, subtitle: subtitle, body: body)
        self.title = self.title ?? title?.fallback
        self.subtitle = self.subtitle ?? subtitle?.fallback
        self.body = self.body ?? body?.fallback
    }

    /// Replaces texts by their translations.
    package mutating func localize(_ translation: (String) -> String?) {
        func text(_ localized: LocalizedPushText?) -> String? {
            localized.flatMap { localized in translation(localized.key).map { localized.text($0) } }
        }
        title = text(localized.title) ?? title
        subtitle = text(localized.subtitle) ?? subtitle
        body = text(localized.body) ?? body
    }
}
