import WireBase
import WireConfig

extension Property {
    /// One text, read as everything that is written as one text.
    static func checkTexts(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        try checkReferences(text)
        _ = try? Template(parsing: text)
        try checkLiteral(Duration.self, text)
        try checkLiteral(ByteCount.self, text)
        try checkURL(text)
        _ = try? Address(parsing: text)
    }

    /// What was taken apart and is put together again is the text it was.
    private static func checkReferences(_ text: String) throws(BrokenProperty) {
        guard let parsed = try? ReferringText(parsing: text) else { return }
        let spelled = parsed.pieces.flatMap(spelling)
        guard spelled.elementsEqual(text.utf8) else {
            throw BrokenProperty(
                "\(text.debugDescription) is taken for \(String(decoding: spelled, as: UTF8.self).debugDescription)"
            )
        }
    }

    private static func spelling(_ piece: ReferringText.Piece) -> [UInt8] {
        switch piece {
        case .text(let text):
            // By bytes: a `$` with a combining mark is no `$` to Swift, and is one to the file.
            var escaped: [UInt8] = []
            for byte in text.utf8 {
                if byte == UInt8(ascii: "{"), escaped.last == UInt8(ascii: "$") { escaped.append(UInt8(ascii: "$")) }
                escaped.append(byte)
            }
            return escaped
        case .reference(let reference):
            let fallback = reference.fallback.map { ":-\($0)" } ?? ""
            return Array("${\(reference.kind.rawValue):\(reference.name)\(fallback)}".utf8)
        }
    }

    /// An amount written the way corewire writes it is the same amount.
    private static func checkLiteral<Value: TextValue & Equatable>(_ type: Value.Type, _ text: String)
        throws(BrokenProperty)
    {
        guard let value = try? type.init(parsing: text) else { return }
        guard case .text(let written) = value.literal, let again = try? type.init(parsing: written), again == value
        else {
            throw BrokenProperty(
                "\(text.debugDescription) is written as \(value.literal.flowText), which is another \(type)"
            )
        }
    }

    /// A URL written again is the same URL.
    private static func checkURL(_ text: String) throws(BrokenProperty) {
        guard let url = try? WebURL(parsing: text) else { return }
        guard let again = try? WebURL(parsing: url.description), again == url else {
            throw BrokenProperty(
                "\(text.debugDescription) is written as \(url.description.debugDescription), another URL"
            )
        }
    }
}
