package import WireConfig

/// A part of a foreign file that corewire keeps and does not use; its secrets are hidden at once.
package struct ForeignValue: Sendable {
    package let literal: Literal

    init(literal: Literal) {
        self.literal = literal
    }

    /// Converts a node and hides its secrets without reporting them.
    init(hiding node: NodeID, of document: Document) {
        self = Self.read(node, with: Reader(document, facts: EnvironmentFacts())).value ?? Self(literal: .null)
    }

    /// Converts the value of a key and hides its secrets without reporting them.
    init(hiding entry: Entry, of document: Document) {
        literal = Self.literal(of: entry, with: Reader(document, facts: EnvironmentFacts()))
    }
}

extension ForeignValue: SettingValue {
    package static var form: Form { .free }
    package static var placeholder: Self { Self(literal: .null) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        .complete(Self(literal: literal(of: node, isSecret: false, with: reader)))
    }

    /// Returns the value of a key.
    static func literal(of entry: Entry, with reader: Reader) -> Literal {
        literal(of: entry.value, isSecret: SecretNames.isSecret(key: reader.document.text(entry.key)), with: reader)
    }

    /// Returns a value with its references unresolved, since the value is not used.
    static func literal(of node: NodeID, isSecret: Bool, with reader: Reader) -> Literal {
        let document = reader.document
        switch document.kind(node) {
        case .sequence:
            return .list(
                document.items(node).enumerated().map { index, item in
                    reader.descend(to: "\(index)") { literal(of: item, isSecret: isSecret, with: reader) }
                }
            )
        case .mapping:
            return .mapping(
                document.entries(node).map { entry in
                    let key = document.text(entry.key)
                    let value = reader.descend(to: key, key: entry.key) {
                        literal(of: entry.value, isSecret: isSecret || SecretNames.isSecret(key: key), with: reader)
                    }
                    return (key, value)
                }
            )
        default:
            return scalar(node, isSecret: isSecret, with: reader)
        }
    }

    private static func scalar(_ node: NodeID, isSecret: Bool, with reader: Reader) -> Literal {
        let written = FreeValue(node, of: reader.document).literal
        let text: String
        switch written {
        case .text(let said): text = said
        case .integer, .number:
            guard isSecret else { return written }
            text = reader.document.text(node)
        default: return written
        }
        let shown = ShownText(text, isSecret: isSecret)
        guard shown.text != text else { return written }
        reader.noteKeptSecret(node)
        return .text(shown.text)
    }
}

/// A text of a foreign file that corewire keeps and does not use; references in it stay unresolved.
package struct ForeignText: Sendable, Hashable {
    /// The text; `[redacted]` where it contains a password.
    package let text: String
}

extension ForeignText: SettingValue {
    package static var form: Form { .text(TextForm("text", example: "https://api.example.com")) }
    package static var placeholder: Self { Self(text: "") }
    package var literal: Literal { .text(text) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.document.kind(node).isScalar else {
            reader.reportMismatch(node, expected: form.noun)
            return .none
        }
        let shown = ShownText(reader.document.text(node), isSecret: false)
        if shown.isHidden { reader.noteKeptSecret(node) }
        return .complete(Self(text: shown.text))
    }
}

extension Reader {
    fileprivate func noteKeptSecret(_ node: NodeID) {
        record(secretAt: node)
        report(
            Diagnostic(.secretInClear, "\(pathText) is written in clear", at: document.place(document.target(node)))
                .helped(
                    by:
                        "store the secret in the deployment and write ${env:NAME}, ${file:path} or ${credential:name}"
                )
                // A section made of the value reports it first.
                .secondary()
        )
    }
}
