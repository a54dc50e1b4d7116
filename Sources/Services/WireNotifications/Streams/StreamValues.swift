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
