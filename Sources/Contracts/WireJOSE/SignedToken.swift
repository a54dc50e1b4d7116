package import WireBase
package import WireConfig
package import WireSecrets

/// A JWT that is signed (RFC 7519), taken apart and not believed yet.
package struct SignedToken: Sendable {
    package typealias Header = JOSEHeader

    private let message: SignedMessage
    /// The claims: one JSON object without a name twice.
    package let claims: JSONValue

    package var header: Header { message.header }
    /// What was signed: the first two parts as they came.
    package var signedBytes: [UInt8] { message.signedBytes }
    package var signature: [UInt8] { message.signature }

    package init(parsing bytes: [UInt8], upTo limit: ByteCount = SignedMessage.usualLimit) throws(JOSEFailure) {
        message = try SignedMessage(parsing: bytes, upTo: limit)
        claims = try JSONObject.read(message.payload, named: "the payload of the token")
    }

    package init(parsing text: String, upTo limit: ByteCount = SignedMessage.usualLimit) throws(JOSEFailure) {
        try self.init(parsing: Array(text.utf8), upTo: limit)
    }

    /// The token, believed to be by the owner of one of these keys.
    ///
    /// What it claims (who made it, for whom, until when) is still for the caller to judge.
    package func verified(by keys: JSONWebKeySet, with signatures: any Signatures) throws(JOSEFailure) -> VerifiedToken
    {
        VerifiedToken(header: header, claims: claims, key: try message.signer(among: keys, with: signatures))
    }
}

/// A token that was signed by the owner of a key, which nothing but ``SignedToken/verified(by:with:)`` makes.
package struct VerifiedToken: Sendable {
    package let header: JOSEHeader
    package let claims: JSONValue
    /// The key it was signed by.
    package let key: JSONWebKey

    fileprivate init(header: JOSEHeader, claims: JSONValue, key: JSONWebKey) {
        self.header = header
        self.claims = claims
        self.key = key
    }
}
