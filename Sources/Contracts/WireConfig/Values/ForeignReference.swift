import WireBase

/// References as shells and other programs write them, which a services file does not replace.
enum ForeignReference {
    /// How the text refers to something, the name left out, which could be a secret after all; nil where it does not.
    static func form(of text: String) -> String? {
        let inside: (String, String) -> Substring? = { opening, closing in
            guard text.utf8.count > opening.utf8.count + closing.utf8.count, text.hasPrefix(opening),
                text.hasSuffix(closing)
            else { return nil }
            return text.dropFirst(opening.count).dropLast(closing.count)
        }
        if inside("$(", ")") != nil { return "$(NAME)" }
        if inside("{{", "}}") != nil { return "{{ NAME }}" }
        if inside("<%", "%>") != nil { return "<% NAME %>" }
        if let name = inside("%", "%"), isVariable(name) { return "%NAME%" }
        if let name = inside("$", ""), isVariable(name) { return "$NAME" }
        for prefix in ["env:", "ENV:"] { if let name = inside(prefix, ""), isVariable(name) { return "\(prefix)NAME" } }
        return nil
    }

    /// Whether it is a name as environment variables have them, in capitals: a secret hardly is.
    private static func isVariable(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !first.isDigit else { return false }
        return name.utf8.allSatisfy { ($0.isLetter && $0 & 0x20 == 0) || $0.isDigit || $0 == UInt8(ascii: "_") }
    }
}
