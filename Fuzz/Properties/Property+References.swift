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
            guard !error.message.isEmpty, !error.help.isEmpty else {
                throw BrokenProperty("\(text.debugDescription) is refused without a reason")
            }
            return
        }
        let spelled = parsed.pieces.flatMap(spelling)
        guard spelled.elementsEqual(text.utf8) else {
            throw BrokenProperty(
                "\(text.debugDescription) is taken for \(String(decoding: spelled, as: UTF8.self).debugDescription)"
            )
        }
        try checkFilledIn(parsed, of: text)
    }

    private static func checkFilledIn(_ parsed: ReferringText, of text: String) throws(BrokenProperty) {
        let filled = parsed.pieces.map(filledIn).joined()
        let again = try? ReferringText(parsing: String(decoding: escaped(filled), as: UTF8.self))
        guard let again, again.references.isEmpty, again.pieces.count == 1,
            again.textFromDefaults.map({ $0.utf8.elementsEqual(filled.utf8) }) ?? false
        else {
            throw BrokenProperty(
                "\(text.debugDescription) is filled in as \(filled.debugDescription), which refers again"
            )
        }
        let areDefaultsEnough = parsed.references.allSatisfy { $0.fallback != nil }
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
        case .reference(let reference): reference.fallback ?? "${\(reference.kind.rawValue):\(reference.name)}"
        }
    }

    private static func spelling(_ piece: ReferringText.Piece) -> [UInt8] {
        switch piece {
        case .text(let text): return escaped(text)
        case .reference(let reference):
            let fallback = reference.fallback.map { ":-\($0)" } ?? ""
            return Array("${\(reference.kind.rawValue):\(reference.name)\(fallback)}".utf8)
        }
    }

    /// The text as a file writes it so that it refers to nothing.
    private static func escaped(_ text: String) -> [UInt8] {
        // By bytes: a `$` with a combining mark is no `$` to Swift, and is one to the file.
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), escaped.last == UInt8(ascii: "$") { escaped.append(UInt8(ascii: "$")) }
            escaped.append(byte)
        }
        return escaped
    }
}
