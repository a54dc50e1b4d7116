import WireBase

/// A small change that makes an invalid text valid.
struct Repair {
    /// The corrected text.
    let text: String
    /// The mistake, and what to write.
    let help: String

    /// The first change that makes the text valid; nil where none does.
    static func of(_ text: String, isRight: (String) -> Bool) -> Repair? {
        guard text.utf8.count <= 1_000 else { return nil }
        for (changed, reason) in changes(of: text) where changed != text && isRight(changed) {
            return Repair(text: changed, help: reason)
        }
        return nil
    }

    private static func changes(of text: String) -> [(String, String)] {
        var changes: [(String, String)] = []
        let trimmed = String(text[...].trimmed)
        if trimmed.utf8.count < text.utf8.count {
            changes.append((trimmed, "remove the space around it: \(trimmed)"))
        }
        if let last = trimmed.utf8.last, last == UInt8(ascii: ",") || last == UInt8(ascii: ";") {
            let cut = String(trimmed[..<trimmed.utf8.index(before: trimmed.utf8.endIndex)][...].trimmed)
            changes.append((cut, "remove the '\(Character(Unicode.Scalar(last)))' at its end: \(cut)"))
        }
        if let (ascii, first) = Homoglyphs.replaced(in: trimmed) {
            changes.append((ascii, "\(Homoglyphs.description(of: first)); write \(ascii)"))
        }
        return changes
    }
}
