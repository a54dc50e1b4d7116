import WireBase
import WireConfig

/// A text that is about to be shown or written, with what is known of its secrecy.
struct ShownText {
    static var hidden: String { Secret<String>.redacted }

    /// What may be shown of it.
    let text: String
    /// Whether that is not the text itself.
    var isHidden: Bool { text == Self.hidden }

    init(_ text: String, isSecret: Bool) {
        guard isSecret || SecretNames.holdsUserInfo(text), !text.isEmpty else {
            self.text = text
            return
        }
        // A reference says where the secret is, not what it is; its default would say that.
        let pieces = (try? ReferringText(parsing: text))?.pieces ?? [.text(text)]
        let spellings = pieces.compactMap { piece -> String? in
            if case .reference(let reference) = piece { reference.spelling } else { nil }
        }
        self.text = spellings.count == pieces.count ? spellings.joined() : Self.hidden
    }
}
