import WireBase

extension String {
    /// As a segment of a path or a value of a query: all but the unreserved characters encoded (RFC 3986, section 2.3).
    package var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + Hexadecimal.text(of: [byte]).uppercased()
            }
        }
        return text
    }
}
