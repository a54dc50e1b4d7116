/// Searches a text in another, ignoring case.
///
/// Implements the test `like` for copies of modules and for the embedded content server. There are no special
/// characters.
package enum TextSearch {
    package static func contains(_ text: String, _ part: String) -> Bool {
        if let found = ascii(text, part) { return found }
        return text.lowercased().contains(part.lowercased())
    }

    /// Searches plain ASCII without allocating; nil for other texts.
    private static func ascii(_ text: String, _ part: String) -> Bool? {
        let (text, part) = (text.utf8.span, part.utf8.span)
        for index in text.indices where text[index] >= 0x80 { return nil }
        for index in part.indices where part[index] >= 0x80 { return nil }
        guard part.count <= text.count else { return false }
        for start in 0...(text.count - part.count) {
            var index = 0
            while index < part.count, lower(text[start + index]) == lower(part[index]) { index += 1 }
            if index == part.count { return true }
        }
        return false
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
}
