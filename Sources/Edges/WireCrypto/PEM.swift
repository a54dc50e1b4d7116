package import WireBase

/// Sections in PEM (RFC 7468).
package enum PEM {
    /// The bytes of the first section with a label; nil where there is none that can be read.
    package static func bytes(of label: String, in text: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).drop { $0 != "-----BEGIN \(label)-----" }.dropFirst()
        let digits = lines.prefix { !$0.hasPrefix("-----") }.joined()
        return digits.isEmpty ? nil : Base64.bytes(of: digits)
    }

    /// A section with lines of 64 digits.
    package static func text(of bytes: Secret<[UInt8]>, as label: String) -> Secret<String> {
        var rest = Substring(Base64.text(of: bytes.reveal()))
        var text = "-----BEGIN \(label)-----\n"
        while !rest.isEmpty {
            text += "\(rest.prefix(64))\n"
            rest = rest.dropFirst(64)
        }
        return Secret("\(text)-----END \(label)-----\n")
    }
}
