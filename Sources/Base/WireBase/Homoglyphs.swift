/// Characters that look like ASCII: letters of other scripts, dashes, full-width forms.
///
/// They come from other keyboard layouts, from word processors, or are meant to deceive.
package enum Homoglyphs {
    /// Returns the text in ASCII, with the first character that was replaced; nil where there is none.
    package static func replaced(in text: String) -> (text: String, first: Unicode.Scalar)? {
        guard text.utf8.contains(where: { $0 > 0x7f }) else { return nil }
        var first: Unicode.Scalar?
        var ascii = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let meant = lookalike(of: scalar)
            if meant != nil, first == nil { first = scalar }
            ascii.append(meant ?? scalar)
        }
        return first.map { (String(ascii), $0) }
    }

    /// Describes a character for a message: `'о' (U+043E) is a Cyrillic letter`.
    package static func description(of scalar: Unicode.Scalar) -> String {
        let number = String(scalar.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - number.count)) + number
        return "'\(scalar)' (\(code)) is \(kind(of: scalar))"
    }

    private static func kind(of scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x370...0x3ff: "a Greek letter"
        case 0x400...0x52f: "a Cyrillic letter"
        case 0xff01...0xff5e: "a full-width character"
        default: "a dash, not '-'"
        }
    }

    private static func lookalike(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0xff01...0xff5e: Unicode.Scalar(scalar.value - 0xfee0)
        case 0x2010...0x2015, 0x2212: "-"
        default: letters[scalar]
        }
    }

    private static let letters: [Unicode.Scalar: Unicode.Scalar] = {
        let pairs: [(others: String, ascii: String)] = [
            ("аеорсухіјѕԁһԛԝ", "aeopcyxijsdhqw"), ("АВЕЅІЈКМНОРСТХУ", "ABESIJKMHOPCTXY"),
            ("οαινυρ", "oaivup"), ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
        ]
        var letters: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (others, ascii) in pairs {
            for (other, letter) in zip(others.unicodeScalars, ascii.unicodeScalars) { letters[other] = letter }
        }
        return letters
    }()
}
