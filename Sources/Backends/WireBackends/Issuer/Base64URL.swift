import WireBase

/// Bytes as text for tokens and URLs (RFC 4648, section 5), without padding.
enum Base64URL {
    static func text(of bytes: [UInt8]) -> String {
        String(
            Base64.text(of: bytes).compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            }
        )
    }

    /// Nil for what is not exactly how these bytes are written.
    static func bytes(of text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") })
        else { return nil }
        let letters = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return Base64.bytes(of: String(letters) + String(repeating: "=", count: (4 - letters.count % 4) % 4))
    }
}
