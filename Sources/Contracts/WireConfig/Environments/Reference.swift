package import WireBase

/// A mention of something that only the deployment has: `${env:NAME}`, `${env:NAME:-default}`, `${file:path}`,
/// `${credential:name}`.
///
/// A default may hold references of its own, and braces in pairs.
package struct Reference: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case environmentVariable = "env"
        case file
        case credential
    }

    package let kind: Kind
    package let name: String
    /// What holds when an environment variable is unset or empty.
    package let fallback: ReferringText?

    package init(kind: Kind, name: String, fallback: ReferringText? = nil) {
        self.kind = kind
        self.name = name
        self.fallback = fallback
    }
}

/// The text of a scalar, taken apart into what is written and what is referred to.
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

    /// The references in it and in their defaults, each before those it falls back on.
    package var allReferences: [Reference] {
        references.flatMap { [$0] + ($0.fallback?.allReferences ?? []) }
    }

    /// The text, if every reference in it has a default; nil when only the deployment knows it.
    package var textFromDefaults: String? {
        try? text { reference throws(Fault) in
            guard let text = reference.fallback?.textFromDefaults else { throw Fault("no default") }
            return text
        }
    }

    /// The text with a value for each of its references.
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

    /// Whether any part of it is written in the file itself: text of its own, or a default.
    package var holdsTextOfItsOwn: Bool {
        pieces.contains { piece in
            switch piece {
            case .text(let text): !text.isEmpty
            case .reference(let reference): reference.fallback?.holdsTextOfItsOwn ?? false
            }
        }
    }

    /// The text as a file writes it.
    package var spelling: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): Self.escaped(text)
            case .reference(let reference):
                reference.fallback.map { "\(reference.spelling.dropLast()):-\($0.spelling)}" } ?? reference.spelling
            }
        }.joined()
    }

    /// By bytes: a `$` with a combining mark is no `$` to Swift, and is one to the file.
    private static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), escaped.last == UInt8(ascii: "$") { escaped.append(UInt8(ascii: "$")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Why a text with `${` in it is not a text with references.
    package struct Malformed: Error {
        package let message: String
        package let help: String
    }

    /// `$${` stands for `${` itself; a `$` that no brace follows is a plain character.
    package init(parsing text: String) throws(Malformed) {
        var parser = ReferenceParser(text)
        self = try parser.text(insideDefaults: 0)
    }
}

extension Reference {
    /// The reference as a file writes it, without its default.
    package var spelling: String { "${\(kind.rawValue):\(name)}" }
}
