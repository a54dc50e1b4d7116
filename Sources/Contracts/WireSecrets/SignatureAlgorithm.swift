/// A way to sign with a key pair (RFC 7518, section 3; RFC 8037).
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    /// Ed25519; Ed448 is not supported.
    case eddsa = "EdDSA"

    /// By a name it has in JOSE: Ed25519 has one of its own as well (RFC 9864).
    package init?(named name: String) {
        if name.utf8.elementsEqual("Ed25519".utf8) {
            self = .eddsa
        } else if let algorithm = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) {
            self = algorithm
        } else {
            return nil
        }
    }

    /// What is digested with it, before signing or inside of it.
    package var digest: DigestAlgorithm {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .eddsa: .sha512
        }
    }
}

/// A SHA-2 digest, by its bits.
package enum DigestAlgorithm: Int, Sendable, Hashable, CaseIterable {
    case sha256 = 256
    case sha384 = 384
    case sha512 = 512

    /// How many bytes a digest has.
    package var size: Int { rawValue / 8 }
}
