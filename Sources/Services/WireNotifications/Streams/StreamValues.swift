import WireBase
package import WireConfig

/// The name of a WebSocket's subprotocol: `tasks.v1`.
package struct Subprotocol: Sendable, Hashable {
    package let text: String
}

extension Subprotocol: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "the name of a subprotocol",
            example: "tasks.v1",
            pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        // A token of HTTP (RFC 6455, section 4.1).
        let isToken = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        guard isToken, (1...64).contains(text.utf8.count) else {
            throw Misread(help: "letters, digits, '.' and '-', at most 64 of them")
        }
        self.init(text: text)
    }

    package var description: String { text }
}

/// The type of an event: `message`, `task-changed`.
struct EventType: Sendable, Hashable {
    let text: String
}

extension EventType: TextValue {
    static var textForm: TextForm { TextForm("the type of an event", example: "message") }

    init(parsing text: String) throws(Misread) {
        guard (1...200).contains(text.utf8.count), !text.unicodeScalars.contains(where: \.isUnfitForDisplay) else {
            throw Misread(help: "the value of the field 'event', in one line")
        }
        self.init(text: text)
    }

    var description: String { text }
}

/// The path of a field in a message: `id`, `meta.id`.
package struct FieldPath: Sendable, Hashable {
    /// The names, separated by dots.
    package let text: String

    init(known text: String) { self.text = text }
}

extension FieldPath: TextValue {
    package static var textForm: TextForm {
        TextForm("the path of a field", example: "meta.id", pattern: "^[^\\s.{}|]+(\\.[^\\s.{}|]+)*$")
    }

    package init(parsing text: String) throws(Misread) {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        let isPath = names.allSatisfy { name in
            !name.isEmpty
                && name.unicodeScalars.allSatisfy { $0.value > 0x20 && !"{}|\u{7f}".unicodeScalars.contains($0) }
        }
        guard isPath, text.utf8.count <= 200 else { throw Misread(help: "names separated by dots") }
        self.init(known: text)
    }

    package var description: String { text }
}
