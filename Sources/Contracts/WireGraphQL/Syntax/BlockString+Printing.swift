extension BlockString {
    /// Whether a block string preserves a text.
    static func canHold(_ text: String) -> Bool {
        let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }
        return isPrintable && value(of: Array(body(of: text).utf8)) == text
    }

    /// The text between triple quotes: on one line where it is short, otherwise on several lines.
    static func printed(_ text: String) -> String {
        #"""""# + body(of: text).replacing(#"""""#, with: #"\""""#) + #"""""#
    }

    private static func body(of text: String) -> String {
        let first = text.unicodeScalars.first
        let last = text.unicodeScalars.last
        let hasLines = text.unicodeScalars.contains("\n")
        guard hasLines || text.unicodeScalars.count > 70 || last == "\"" || last == "\\" else { return text }
        let keepsStart = !hasLines && (first == " " || first == "\t")
        return (keepsStart ? "" : "\n") + text + "\n"
    }
}
