import WireBase

/// The id of a channel: a UUID in lower case with dashes.
package struct ChannelID: Sendable, Hashable {
    /// The 16 bytes.
    let bytes: [UInt8]

    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads an id; nil in any other form.
    package init?(_ text: String) {
        guard let bytes = Hexadecimal.bytes(of: text.filter { $0 != "-" }), bytes.count == 16 else { return nil }
        self.bytes = bytes
        guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
    }

    package var text: String {
        [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.text(of: Array(bytes[$0])) }.joined(separator: "-")
    }
}
