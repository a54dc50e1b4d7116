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
    case eddsa = "EdDSA"
}

/// A SHA-2 digest, by its bits.
package enum DigestAlgorithm: Int, Sendable, Hashable {
    case sha256 = 256
    case sha384 = 384
    case sha512 = 512
}
