extension String {
    /// The text in single quotes, fit for one line of a message: control characters escaped, the end of a long text left out.
    package var quoted: String { "'\(shown(upTo: 60))'" }

    /// The text fit for one line of a message: control characters escaped, what is beyond the limit left out.
    package func shown(upTo limit: Int) -> String {
        var shown = ""
        var count = 0
        for scalar in unicodeScalars {
            if count == limit { return shown + "…" }
            count += 1
            if scalar.isUnfitForDisplay {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}

extension Unicode.Scalar {
    /// Controls, and the marks that turn the direction of text: both can make a terminal show what is not there.
    package var isUnfitForDisplay: Bool {
        switch value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069, 0xfeff, 0xfdd0...0xfdef: true
        // Noncharacters, which libraries refuse.
        case 0xfffe, 0xffff: true
        default: false
        }
    }
}

extension Collection<String> {
    /// The names as a sentence holds them: `'a', 'b' or 'c'`.
    package func listed(_ conjunction: String = "or") -> String {
        let quoted = map(\.quoted)
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
        return quoted.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
    }
}
