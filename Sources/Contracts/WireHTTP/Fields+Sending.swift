import WireBase

extension Fields {
    /// What frames the message is decided by the body and the connection, not by who asks.
    private static let framing = [
        "Connection", "Content-Length", "HTTP2-Settings", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection",
        "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    ]

    /// Refuses what no request may carry, or what its client decides.
    package func checkForSending() throws(TransferFailure) {
        for field in all {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(\.isTokenCharacter) else {
                throw Self.invalid("the field name \(field.name.quoted) is no token (RFC 9110, section 5.6.2)")
            }
            guard field.value.utf8.allSatisfy(\.isFieldCharacter) else {
                throw Self.invalid("the value of the field \(field.name.quoted) holds a control character")
            }
            guard !Self.framing.contains(where: { field.name.isSameField(as: $0) }) else {
                throw Self.invalid("the field \(field.name.quoted) is decided by the client")
            }
        }
    }

    private static func invalid(_ reason: String) -> TransferFailure {
        TransferFailure(.invalidRequest, reason, wasNotSent: true)
    }
}

extension UInt8 {
    /// RFC 9110, section 5.6.2.
    package var isTokenCharacter: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// RFC 9110, section 5.5: visible, space, tab, or beyond ASCII.
    package var isFieldCharacter: Bool { self == 0x09 || (self >= 0x20 && self != 0x7f) }
}
