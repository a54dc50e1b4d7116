import WireBase
import WireConfig

/// A text to be shown or written, with its secrecy.
struct ShownText {
    static var hidden: String { Secret<String>.redacted }

    /// The text to show.
    let text: String
    /// Whether the text was hidden.
    var isHidden: Bool { text == Self.hidden }

    init(_ text: String, isSecret: Bool) {
        guard isSecret || SecretNames.holdsUserInfo(text), !text.isEmpty else {
            self.text = text
            return
        }
        // A reference names the secret's place and is shown; its default would be the secret.
        let pieces = (try? ReferringText(parsing: text))?.pieces ?? [.text(text)]
        let spellings = pieces.compactMap { piece -> String? in
            if case .reference(let reference) = piece { reference.spelling } else { nil }
        }
        self.text = spellings.count == pieces.count ? spellings.joined() : Self.hidden
    }
}
