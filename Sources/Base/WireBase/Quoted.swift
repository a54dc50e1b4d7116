extension String {
    /// The text in single quotes for one line of a message: control characters escaped, long text shortened.
    package var quoted: String { "'\(shown(upTo: 60))'" }

    /// Returns the text for one line of a message: control characters escaped, shortened to the limit.
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
    /// Controls and marks of text direction, which can make a terminal show another text.
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
    /// Returns the names for a sentence: `'a', 'b' or 'c'`.
    package func listed(_ conjunction: String = "or") -> String {
        let quoted = map(\.quoted)
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
        return quoted.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
    }
}

extension Int {
    /// Returns the number with its noun: `1 entry`, `2 entries`.
    package func counted(_ one: String, _ several: String) -> String { "\(self) \(self == 1 ? one : several)" }
}
