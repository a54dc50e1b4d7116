package import WireBase
import WireConfig
package import WireSecrets

/// A parsed JWS in compact form (RFC 7515), not yet verified.
package struct SignedMessage: Sendable {
    package let header: JOSEHeader
    package let payload: [UInt8]
    /// The signed bytes: the first two parts as received.
    package let signedBytes: [UInt8]
    package let signature: [UInt8]

    /// The default size limit of a token.
    package static let usualLimit = ByteCount.kibibytes(16)

    package init(parsing bytes: [UInt8], upTo limit: ByteCount = usualLimit) throws(JOSEFailure) {
        guard bytes.count <= limit.bytes else {
            throw JOSEFailure(.malformed, "found a token of \(bytes.count) bytes, expected \(limit) at most")
        }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count != 5 else {
            throw JOSEFailure(
                .unsupported,
                "found five parts (an encrypted token), expected three (a signed token)"
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

    /// The key that signed the message.
    ///
    /// Tries all candidate keys, at most ``JSONWebKeySet/mostCandidates``.
    package func signer(among keys: JSONWebKeySet, with signatures: any Signatures) throws(JOSEFailure) -> JSONWebKey {
        let candidates = keys.candidates(for: header)
        guard !candidates.isEmpty else {
            throw JOSEFailure(.unknownKey, "none of the \(keys.keys.count) keys can have signed the token")
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
                // A bad key in the set must not prevent trying the others.
                failure = error
            }
        }
        if let failure, !isWrong { throw JOSEFailure(.machine, failure.reason) }
        throw JOSEFailure(.wrongSignature, "the signature does not match")
    }
}
