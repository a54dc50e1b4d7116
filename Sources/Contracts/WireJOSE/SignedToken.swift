package import WireBase
package import WireConfig
package import WireSecrets

/// A parsed signed JWT (RFC 7519), not yet verified.
package struct SignedToken: Sendable {
    package typealias Header = JOSEHeader

    private let message: SignedMessage
    /// The claims: one JSON object without duplicate names.
    package let claims: JSONValue

    package var header: Header { message.header }
    /// The signed bytes: the first two parts as received.
    package var signedBytes: [UInt8] { message.signedBytes }
    package var signature: [UInt8] { message.signature }

    package init(parsing bytes: [UInt8], upTo limit: ByteCount = SignedMessage.usualLimit) throws(JOSEFailure) {
        message = try SignedMessage(parsing: bytes, upTo: limit)
        claims = try JSONObject.read(message.payload, named: "the payload of the token")
    }

    package init(parsing text: String, upTo limit: ByteCount = SignedMessage.usualLimit) throws(JOSEFailure) {
        try self.init(parsing: Array(text.utf8), upTo: limit)
    }

    /// Verifies the signature with one of the keys.
    ///
    /// The caller must still validate the claims: issuer, audience, expiry.
    package func verified(by keys: JSONWebKeySet, with signatures: any Signatures) throws(JOSEFailure) -> VerifiedToken
    {
        VerifiedToken(header: header, claims: claims, key: try message.signer(among: keys, with: signatures))
    }
}

/// A token with a verified signature; made only by ``SignedToken/verified(by:with:)``.
package struct VerifiedToken: Sendable {
    package let header: JOSEHeader
    package let claims: JSONValue
    /// The key that signed the token.
    package let key: JSONWebKey

    fileprivate init(header: JOSEHeader, claims: JSONValue, key: JSONWebKey) {
        self.header = header
        self.claims = claims
        self.key = key
    }
}
