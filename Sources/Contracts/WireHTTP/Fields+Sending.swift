import WireBase

extension Fields {
    /// Framing fields, which the client sets from the body and the connection.
    private static let framing = [
        "Connection", "Content-Length", "HTTP2-Settings", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection",
        "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    ]

    /// Throws for fields that are invalid or that only the client may set.
    package func checkForSending() throws(TransferFailure) {
        for field in all {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(\.isTokenCharacter) else {
                throw Self.invalid("the field name \(field.name.quoted) is not a valid token (RFC 9110, section 5.6.2)")
            }
            guard field.value.utf8.allSatisfy(\.isFieldCharacter) else {
                throw Self.invalid("the value of the field \(field.name.quoted) contains a control character")
            }
            guard !Self.framing.contains(where: { field.name.isSameField(as: $0) }) else {
                throw Self.invalid("the field \(field.name.quoted) is set by the client and cannot be given")
            }
        }
    }

    private static func invalid(_ reason: String) -> TransferFailure {
        TransferFailure(.invalidRequest, reason, wasNotSent: true)
    }
}

extension UInt8 {
    /// Whether the byte is a token character (RFC 9110, section 5.6.2).
    package var isTokenCharacter: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// Whether the byte may be part of a field value: visible, space, tab, or beyond ASCII (RFC 9110, section 5.5).
    package var isFieldCharacter: Bool { self == 0x09 || (self >= 0x20 && self != 0x7f) }
}
