package import WireBase
import WireConfig
package import WireSecrets

/// A JWS in its compact form (RFC 7515), taken apart and not believed yet.
package struct SignedMessage: Sendable {
    package let header: JOSEHeader
    package let payload: [UInt8]
    /// What was signed: the first two parts as they came.
    package let signedBytes: [UInt8]
    package let signature: [UInt8]

    /// How large a token may be where nobody says otherwise.
    package static let usualLimit = ByteCount.kibibytes(16)

    package init(parsing bytes: [UInt8], upTo limit: ByteCount = usualLimit) throws(JOSEFailure) {
        guard bytes.count <= limit.bytes else {
            throw JOSEFailure(.malformed, "found a token of \(bytes.count) bytes, expected \(limit) at most")
        }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count != 5 else {
            throw JOSEFailure(
                .unsupported,
                "found five parts, as of an encrypted token, expected the three of a signed one"
            )
        }
        guard parts.count == 3 else {
            throw JOSEFailure(.malformed, "found \(parts.count) parts between dots, expected three")
        }
        header = try JOSEHeader(parsing: Self.decoded(parts[0], "header"))
        payload = try Self.decoded(parts[1], "payload")
        signature = try Self.decoded(parts[2], "signature")
        guard !signature.isEmpty else { throw JOSEFailure(.malformed, "the token has no signature") }
        signedBytes = Array(bytes[..<parts[1].endIndex])
    }

    private static func decoded(_ part: ArraySlice<UInt8>, _ name: String) throws(JOSEFailure) -> [UInt8] {
        guard let bytes = Base64URL.bytes(of: part) else {
            throw JOSEFailure(.malformed, "the \(name) of the token is not base64url without padding")
        }
        return bytes
    }

    /// The key of these that the message was signed by.
    ///
    /// Every key it may be by is tried, ``JSONWebKeySet/mostCandidates`` at most.
    package func signer(among keys: JSONWebKeySet, with signatures: any Signatures) throws(JOSEFailure) -> JSONWebKey {
        let candidates = keys.candidates(for: header)
        guard !candidates.isEmpty else {
            throw JOSEFailure(.unknownKey, "none of the \(keys.keys.count) keys can be the one it was signed by")
        }
        var failure: Fault?
        var isWrong = false
        for candidate in candidates {
            do throws(Fault) {
                if try signatures.isValid(signature, of: signedBytes, by: candidate.key, header.algorithm) {
                    return candidate
                }
                isWrong = true
            } catch {
                // One bad key of a set must not stand in the way of the good ones.
                failure = error
            }
        }
        if let failure, !isWrong { throw JOSEFailure(.machine, failure.reason) }
        throw JOSEFailure(.wrongSignature, "the signature is not by the owner of the key")
    }
}
