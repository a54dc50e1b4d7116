import WireBase

/// A name chosen by the author of a file and used in references.
package struct Identifier: Sendable, Hashable {
    /// The name.
    package let text: String
}

extension Identifier: TextValue {
    package static var textForm: TextForm {
        TextForm("a name", example: "main", pattern: FormSchema.namePattern)
    }

    package init(parsing text: String) throws(Misread) {
        guard Self.isName(text) else { throw Misread(help: "letters, digits, '-', '_' and '.', at most 64 of them") }
        self.init(text: text)
    }

    package static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isLetter || first.isDigit || first == UInt8(ascii: "_") else {
            return false
        }
        return text.utf8.count <= 64
            && text.utf8.allSatisfy {
                $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                    || $0 == UInt8(ascii: ".")
            }
    }

    /// The name.
    package var description: String { text }
}

/// The name of a declared environment.
package struct EnvironmentName: Sendable, Hashable {
    /// The name.
    package let text: String
}

extension EnvironmentName: TextValue {
    package static var textForm: TextForm {
        var form = TextForm("the name of an environment", example: "dev", pattern: FormSchema.namePattern)
        form.takesReferences = false
        return form
    }

    package init(parsing text: String) throws(Misread) {
        guard Identifier.isName(text) else { throw Misread() }
        self.init(text: text)
    }

    /// The name.
    package var description: String { text }
}

/// A scope of a token (RFC 6749, section 3.3).
package struct Scope: Sendable, Hashable {
    /// The scope; compared case-sensitively.
    package let text: String
}

extension Scope: TextValue {
    package static var textForm: TextForm { TextForm("a scope", example: "openid", pattern: "^[!#-\\[\\]-~]+$") }

    package init(parsing text: String) throws(Misread) {
        guard !text.isEmpty else { throw Misread() }
        if text.contains(" ") {
            throw Misread(
                expected: "one scope",
                help:
                    "a scope has no spaces; each is an item of its own: [\(text.split(separator: " ").joined(separator: ", "))]"
            )
        }
        guard text.utf8.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
            throw Misread()
        }
        self.init(text: text)
    }

    /// The scope.
    package var description: String { text }
}

/// The identifier of an app at the identity server (RFC 6749, section 2.2).
package struct ClientID: Sendable, Hashable {
    /// The identifier.
    package let text: String
}

extension ClientID: TextValue {
    package static var textForm: TextForm { TextForm("a client id", example: "tasks-app", pattern: "^[ -~]+$") }

    package init(parsing text: String) throws(Misread) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw Misread(help: "printable ASCII characters, at least one")
        }
        self.init(text: text)
    }

    /// The identifier.
    package var description: String { text }
}

/// The name of an HTTP header field (RFC 9110, section 5.1).
package struct HeaderName: Sendable, Hashable {
    /// The name, as written.
    package let text: String
}

extension HeaderName: TextValue {
    package static var textForm: TextForm { TextForm("the name of a header field", example: "x-api-key") }

    package init(parsing text: String) throws(Misread) {
        let isToken = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        guard !text.isEmpty, isToken else { throw Misread(help: "letters, digits and '-', without a colon") }
        self.init(text: text)
    }

    /// The name.
    package var description: String { text }
}

extension HeaderName {
    /// Whether a field of this name usually has a secret value.
    package static func seemsToCarrySecret(_ name: String) -> Bool {
        name.utf8.split { !$0.isLetter && !$0.isDigit }.contains { word in
            let word = word.map { $0.isLetter ? $0 | 0x20 : $0 }
            return telling.contains { word.suffix($0.count).elementsEqual($0) }
        }
    }

    /// The last words of secret names.
    private static let telling = ["authorization", "cookie", "secret", "token", "password", "key"].map {
        Array($0.utf8)
    }
}

/// The SHA-256 digest of a public key (SPKI), as in certificate pins.
package struct PinHash: Sendable, Hashable {
    /// The 32 bytes in base64.
    package let base64: String
}

extension PinHash: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "the base64 of 32 bytes",
            example: "n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=",
            pattern: "^(?:sha256//?)?[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$"
        )
    }

    /// Parses the digest, with an optional prefix `sha256/` (OkHttp) or `sha256//` (curl).
    package init(parsing text: String) throws(Misread) {
        for prefix in ["sha256//", "sha256/"] where text.hasPrefix(prefix) {
            try self.init(parsing: String(text.dropFirst(prefix.count)))
            return
        }
        let isHex = text.utf8.count == 64 && text.utf8.allSatisfy(\.isHexDigit)
        if isHex { throw Misread(help: "the digest is hexadecimal; convert it to base64 with 'xxd -r -p | base64'") }
        let digits = text.utf8.prefix {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        guard text.utf8.count == 44, digits.count == 43, text.hasSuffix("="), Self.endsCleanly(digits.last) else {
            throw Misread(
                help:
                    "44 characters, the last one '='; use 'openssl x509 -pubkey -noout' and 'openssl dgst -sha256 -binary'"
            )
        }
        self.init(base64: text)
    }

    /// The last digit has four significant bits; the other two must be zero.
    private static func endsCleanly(_ digit: UInt8?) -> Bool {
        "AEIMQUYcgkosw048".utf8.contains(digit ?? 0)
    }

    /// The hash.
    package var description: String { base64 }
}
