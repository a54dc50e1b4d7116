import WireBase

/// A mention of something that only the deployment has: `${env:NAME}`, `${env:NAME:-default}`, `${file:path}`,
/// `${credential:name}`.
package struct Reference: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case environmentVariable = "env"
        case file
        case credential
    }

    package let kind: Kind
    package let name: String
    /// What holds when an environment variable is unset or empty.
    package let fallback: String?

    package init(kind: Kind, name: String, fallback: String?) {
        self.kind = kind
        self.name = name
        self.fallback = fallback
    }
}

/// The text of a scalar, taken apart into what is written and what is referred to.
package struct ReferringText: Sendable {
    package enum Piece: Sendable, Equatable {
        case text(String)
        case reference(Reference)
    }

    package private(set) var pieces: [Piece] = []

    package var references: [Reference] {
        pieces.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    /// The text, if every reference in it has a default; nil when only the deployment knows it.
    package var textFromDefaults: String? {
        var whole = ""
        for piece in pieces {
            switch piece {
            case .text(let text): whole += text
            case .reference(let reference):
                guard let fallback = reference.fallback else { return nil }
                whole += fallback
            }
        }
        return whole
    }

    /// Whether any part of it is written in the file itself: text of its own, or a default.
    package var holdsTextOfItsOwn: Bool {
        pieces.contains { piece in
            switch piece {
            case .text(let text): !text.isEmpty
            case .reference(let reference): reference.fallback.map { !$0.isEmpty } ?? false
            }
        }
    }

    /// Why a text with `${` in it is not a text with references.
    package struct Malformed: Error {
        package let message: String
        package let help: String
    }

    /// `$${` stands for `${` itself; a `$` that no brace follows is a plain character.
    ///
    /// Goes by bytes: a mark that combines with a brace does not make it another character here.
    package init(parsing text: String) throws(Malformed) {
        var rest = Array(text.utf8)[...]
        var written: [UInt8] = []
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            written += rest[..<dollar]
            rest = rest[dollar...]
            if rest.starts(with: "$${".utf8) {
                written += "${".utf8
                rest = rest.dropFirst(3)
            } else if rest.starts(with: "${".utf8) {
                takeText(&written)
                pieces.append(.reference(try Self.takeReference(from: &rest)))
            } else {
                written.append(UInt8(ascii: "$"))
                rest = rest.dropFirst()
            }
        }
        written += rest
        if !written.isEmpty || pieces.isEmpty { pieces.append(.text(String(decoding: written, as: UTF8.self))) }
    }

    private mutating func takeText(_ written: inout [UInt8]) {
        guard !written.isEmpty else { return }
        pieces.append(.text(String(decoding: written, as: UTF8.self)))
        written = []
    }

    private static func takeReference(from rest: inout ArraySlice<UInt8>) throws(Malformed) -> Reference {
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
            throw Malformed(
                message: "a reference is never closed",
                help: "write '}' at its end, or '$${' for the characters themselves"
            )
        }
        let inside = String(decoding: rest[..<end].dropFirst(2), as: UTF8.self)[...]
        rest = rest[(end + 1)...]
        let (scheme, colon, body) = inside.cut(at: UInt8(ascii: ":"))
        guard let kind = Reference.Kind(rawValue: String(scheme)) else {
            throw malformedKind(String(scheme), hasBody: colon)
        }
        guard colon, !body.isEmpty else {
            throw Malformed(
                message: "a reference names what it refers to",
                help: "write ${\(kind.rawValue):\(kind.sample)}"
            )
        }
        guard kind == .environmentVariable else {
            return Reference(kind: kind, name: String(body), fallback: nil)
        }
        let (name, fallback) = body.cutAtDefault()
        guard name.isVariableName else {
            throw Malformed(
                message: "what follows 'env:' is not a name of an environment variable",
                help: "letters, digits and underscores, not beginning with a digit; a default follows as ':-default'"
            )
        }
        return Reference(kind: kind, name: String(name), fallback: fallback.map(String.init))
    }

    private static func malformedKind(_ scheme: String, hasBody: Bool) -> Malformed {
        if !hasBody, scheme[...].isVariableName {
            return Malformed(
                message: "a reference says what kind of thing it names",
                help: "write ${env:\(scheme)} for an environment variable"
            )
        }
        let nearest = Nearest.name(to: scheme, among: Reference.Kind.allCases.map(\.rawValue))
        return Malformed(
            message: "what follows '${' is not a kind of reference",
            help: nearest.map { "did you mean '${\($0):…}'?" }
                ?? "write ${env:NAME}, ${file:path} or ${credential:name}, or '$${' for the characters themselves"
        )
    }
}

extension Reference {
    /// The reference as a file writes it, without its default.
    package var spelling: String { "${\(kind.rawValue):\(name)}" }
}

extension Reference.Kind {
    fileprivate var sample: String {
        switch self {
        case .environmentVariable: "NAME"
        case .file: "path"
        case .credential: "name"
        }
    }
}

extension Substring {
    fileprivate func cut(at separator: UInt8) -> (Substring, Bool, Substring) {
        guard let index = utf8.firstIndex(of: separator) else { return (self, false, "") }
        return (self[..<index], true, self[utf8.index(after: index)...])
    }

    fileprivate func cutAtDefault() -> (Substring, Substring?) {
        var rest = utf8
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[rest.index(after: colon)...]
            if rest.first == UInt8(ascii: "-") { return (self[..<colon], Substring(rest.dropFirst())) }
        }
        return (self, nil)
    }

    fileprivate var isVariableName: Bool {
        guard let first = utf8.first, first.isLetter || first == UInt8(ascii: "_") else { return false }
        return utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }
}
