package import WireBase

/// A reference to a value of the deployment: `${env:NAME}`, `${env:NAME:-default}`, `${file:path}`,
/// `${credential:name}`.
///
/// A default may contain references and balanced braces.
package struct Reference: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case environmentVariable = "env"
        case file
        case credential
    }

    package let kind: Kind
    package let name: String
    /// The default for an unset or empty environment variable.
    package let fallback: ReferringText?

    package init(kind: Kind, name: String, fallback: ReferringText? = nil) {
        self.kind = kind
        self.name = name
        self.fallback = fallback
    }
}

/// The text of a scalar, split into literal parts and references.
package struct ReferringText: Sendable, Hashable {
    package enum Piece: Sendable, Hashable {
        case text(String)
        case reference(Reference)
    }

    package let pieces: [Piece]

    package init(_ pieces: [Piece]) {
        self.pieces = pieces
    }

    package var references: [Reference] {
        pieces.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    /// All references, including those in defaults, each before its fallbacks.
    package var allReferences: [Reference] {
        references.flatMap { [$0] + ($0.fallback?.allReferences ?? []) }
    }

    /// The text, if every reference has a default; otherwise nil.
    package var textFromDefaults: String? {
        try? text { reference throws(Fault) in
            guard let text = reference.fallback?.textFromDefaults else { throw Fault("no default") }
            return text
        }
    }

    /// The text with all references resolved.
    package func text(_ resolve: (Reference) throws(Fault) -> String) throws(Fault)
        -> String
    {
        var whole = ""
        for piece in pieces {
            switch piece {
            case .text(let text): whole += text
            case .reference(let reference): whole += try resolve(reference)
            }
        }
        return whole
    }

    /// Whether the file itself contains a part of the text: a literal part or a default.
    package var holdsTextOfItsOwn: Bool {
        pieces.contains { piece in
            switch piece {
            case .text(let text): !text.isEmpty
            case .reference(let reference): reference.fallback?.holdsTextOfItsOwn ?? false
            }
        }
    }

    /// The text as written in a file.
    package var spelling: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): Self.escaped(text)
            case .reference(let reference):
                reference.fallback.map { "\(reference.spelling.dropLast()):-\($0.spelling)}" } ?? reference.spelling
            }
        }.joined()
    }

    /// Works on bytes: Swift does not see a `$` with a combining mark as `$`.
    private static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), escaped.last == UInt8(ascii: "$") { escaped.append(UInt8(ascii: "$")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Parses a text; fails where a `${` does not form a reference.
    ///
    /// `$${` is an escaped `${`, and a `$` without a brace is a plain character.
    package init(parsing text: String) throws(Fault) {
        var parser = ReferenceParser(text)
        self = try parser.text(insideDefaults: 0)
    }
}

extension Reference {
    /// The reference as written in a file, without its default.
    package var spelling: String { "${\(kind.rawValue):\(name)}" }
}
