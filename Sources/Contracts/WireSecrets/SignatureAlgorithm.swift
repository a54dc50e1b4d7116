/// A signature algorithm (RFC 7518, section 3; RFC 8037).
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

    /// Finds an algorithm by its JOSE name; Ed25519 has two (RFC 9864).
    package init?(named name: String) {
        if name.utf8.elementsEqual("Ed25519".utf8) {
            self = .eddsa
        } else if let algorithm = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) {
            self = algorithm
        } else {
            return nil
        }
    }

    /// The digest used by the algorithm.
    package var digest: DigestAlgorithm {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .eddsa: .sha512
        }
    }
}

/// A SHA-2 digest, by its number of bits.
package enum DigestAlgorithm: Int, Sendable, Hashable, CaseIterable {
    case sha256 = 256
    case sha384 = 384
    case sha512 = 512

    /// The number of bytes of a digest.
    package var size: Int { rawValue / 8 }
}
