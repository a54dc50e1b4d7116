import WireBase

/// Recognizes references in the syntax of shells and other programs, which corewire does not resolve.
enum ForeignReference {
    /// The syntax of the reference, without the name, which may be a secret; nil where there is none.
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

    /// Whether it is an environment variable name in capitals, which is unlikely to be a secret.
    private static func isVariable(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !first.isDigit else { return false }
        return name.utf8.allSatisfy { ($0.isLetter && $0 & 0x20 == 0) || $0.isDigit || $0 == UInt8(ascii: "_") }
    }
}
