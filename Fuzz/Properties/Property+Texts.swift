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
