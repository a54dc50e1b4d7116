import WireBase
import WireConfig

extension Document {
    /// Every text of a tree is taken apart at its references and put together again.
    func checkReferences(below node: NodeID) throws(BrokenProperty) {
        switch kind(node) {
        case .plain, .quoted:
            // Without a dollar there is nothing to refer with.
            guard bytes(node).contains(UInt8(ascii: "$")) else { return }
            try Property.checkReferences(text(node))
        case .sequence: for item in items(node) { try checkReferences(below: item) }
        case .mapping:
            for entry in entries(node) {
                try checkReferences(below: entry.key)
                try checkReferences(below: entry.value)
            }
        case .alias: break
        }
    }
}

extension Property {
    /// What was taken apart and is put together again is the text it was; filled in, it is a text without references.
    static func checkReferences(_ text: String) throws(BrokenProperty) {
        let parsed: ReferringText
        do {
            parsed = try ReferringText(parsing: text)
        } catch {
            guard !error.reason.isEmpty, error.help?.isEmpty == false else {
                throw BrokenProperty("\(text.debugDescription) is refused without a reason")
            }
            return
        }
        guard parsed.spelling.utf8.elementsEqual(text.utf8) else {
            throw BrokenProperty("\(text.debugDescription) is taken for \(parsed.spelling.debugDescription)")
        }
        try checkFilledIn(parsed, of: text)
    }

    private static func checkFilledIn(_ parsed: ReferringText, of text: String) throws(BrokenProperty) {
        let filled = parsed.pieces.map(filledIn).joined()
        let again = try? ReferringText(parsing: ReferringText([.text(filled)]).spelling)
        guard let again, again.references.isEmpty, again.pieces.count == 1,
            again.textFromDefaults.map({ $0.utf8.elementsEqual(filled.utf8) }) ?? false
        else {
            throw BrokenProperty(
                "\(text.debugDescription) is filled in as \(filled.debugDescription), which refers again"
            )
        }
        let areDefaultsEnough = parsed.references.allSatisfy { $0.fallback?.textFromDefaults != nil }
        guard (parsed.textFromDefaults != nil) == areDefaultsEnough else {
            throw BrokenProperty("\(text.debugDescription) has a text from defaults, and one has none")
        }
        if let defaults = parsed.textFromDefaults, !defaults.utf8.elementsEqual(filled.utf8) {
            throw BrokenProperty(
                "\(text.debugDescription) comes to \(defaults.debugDescription), filled in to \(filled.debugDescription)"
            )
        }
    }

    /// A deployment where no variable is set, and every file and credential holds a text that looks like a reference.
    private static func filledIn(_ piece: ReferringText.Piece) -> String {
        switch piece {
        case .text(let text): text
        case .reference(let reference):
            reference.fallback.map { $0.pieces.map(filledIn).joined() } ?? reference.spelling
        }
    }
}
