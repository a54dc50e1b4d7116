package import WireBase
package import WireConfig

/// The sources of a push token besides the app.
package enum TokenSource: Sendable {
    /// A file that holds only the token; read again when it changes.
    case file(InputFile)
    /// A variable of the program's environment.
    case variable(VariableName)
    /// A program that prints the token.
    case program(TokenProgram)
    /// The token itself, or a reference to it.
    case text(Secret<String>)
}

extension TokenSource: OneOf {
    package static var alternatives: [Alternative<Self>] {
        [
            Alternative(key: "file", "A file that holds the token, read again when it changes.") { .file($0) },
            Alternative(key: "env", "An environment variable that holds the token.") { .variable($0) },
            Alternative(key: "exec", "A program that prints the token, and optionally one that deletes it.") {
                .program($0)
            },
            Alternative(key: "value", "Push token, preferably as a reference.") { .text($0) },
        ]
    }
}

/// The source of a push token at run time.
package enum TokenHolder: String, Choice {
    case app

    package var help: String {
        switch self {
        case .app: "set by the app over the local API or in Swift"
        }
    }
}

/// A program that prints a token, and optionally one that deletes it.
package struct TokenProgram: Sendable {
    /// Prints the token.
    package let get: Command
    /// Makes the provider delete the token.
    package let delete: Command?
    /// The timeout of each program.
    package let timeout: Duration

    static let usualTimeout = Duration.seconds(10)
}

extension TokenProgram: SettingValue {
    package static var form: Form { .either(Command.form, TokenCommands.form) }

    package static var placeholder: Self { Self(get: .placeholder, delete: nil, timeout: usualTimeout) }

    package var literal: Literal {
        .mapping(
            [("get", get.literal)] + (delete.map { [("delete", $0.literal)] } ?? []) + [("timeout", timeout.literal)]
        )
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.document.kind(node) == .mapping else {
            return Command.read(node, with: reader).map { Self(get: $0, delete: nil, timeout: usualTimeout) }
        }
        return TokenCommands.read(node, with: reader)
            .map { Self(get: $0.get, delete: $0.delete, timeout: $0.timeout) }
    }
}

/// The mapping form of a ``TokenProgram``.
struct TokenCommands: Record {
    @Setting var get: Command
    @Setting var delete: Command?
    @Setting var timeout: Duration

    init(_ keys: inout Keys) {
        _get = keys.required("get", "Program that prints the token.", .example("[fcm-token, print]"))
        _delete = keys.optional(
            "delete",
            "Program that deletes the token at the provider.",
            .example("[fcm-token, delete]")
        )
        _timeout = keys.value(
            "timeout",
            "Timeout of each program.",
            or: TokenProgram.usualTimeout,
            .in(.milliseconds(100) ... .seconds(300))
        )
    }
}

/// The name of an environment variable.
package struct VariableName: Sendable, Hashable {
    package let text: String
}

extension VariableName: TextValue {
    package static var textForm: TextForm {
        TextForm("the name of an environment variable", example: "APNS_TOKEN", pattern: "^[A-Za-z_][A-Za-z0-9_]*$")
    }

    package init(parsing text: String) throws(Misread) {
        guard Self.isName(text) else {
            let bare = String(text.drop { $0 == "$" })
            guard text.hasPrefix("$"), Self.isName(bare) else { throw Misread(help: "letters, digits and '_'") }
            throw Misread(help: "write the name alone: \(bare)", fix: bare)
        }
        self.init(text: text)
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !first.isDigit else { return false }
        return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }

    /// The deployment must provide it, like anything a reference names; its value is a secret.
    package func record(at node: NodeID, with reader: Reader) {
        reader.record(Reference(kind: .environmentVariable, name: text, fallback: nil), at: node, isSecret: true)
    }

    package var description: String { text }
}
