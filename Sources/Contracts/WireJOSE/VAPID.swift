package import WireBase
package import WireConfig
package import WireSecrets

/// The identification of a sender of Web Push (RFC 8292), with a verified signature.
package struct VAPID: Sendable, Hashable {
    /// The uncompressed point of the sender's key.
    package let publicKey: [UInt8]
    /// Where the sender can be reached: a URL of `mailto` or `https`.
    package let subject: String?

    /// The maximum lifetime of a token, in milliseconds (section 2).
    package static let longestLifetime: Int64 = 24 * 3_600 * 1_000

    /// Makes the value of `Authorization` for requests to a push service: `vapid t=…, k=…`.
    package static func header(
        for service: Origin,
        subject: String?,
        until expiry: Int64,
        by key: PrivateKey,
        with signatures: any Signatures
    ) throws(Fault) -> Secret<String> {
        guard key.algorithm == .es256, let point = key.publicKey.point else {
            throw Fault("the key cannot be used with VAPID: expected one of ES256")
        }
        let claims = JSONValue.members([
            "aud": .string(service.description), "exp": .integer(Int(expiry / 1_000)),
            "sub": subject.map(JSONValue.string),
        ])
        do throws(JOSEFailure) {
            let token = try SignedToken.signed(claims, by: key, id: nil, with: signatures)
            return Secret("vapid t=\(token), k=\(Base64URL.text(of: point))")
        } catch {
            throw Fault(error.reason)
        }
    }

    /// Verifies the value of `Authorization` of a request to a push service.
    ///
    /// `key` is the only sender that the subscription admits, or nil if it admits all; `now` is in milliseconds.
    package init(
        verifying header: String,
        for service: Origin,
        by key: [UInt8]? = nil,
        now: Int64,
        with signatures: any Signatures
    ) throws(Fault) {
        let parameters = try Self.parameters(of: header)
        guard let text = parameters["t"], let point = parameters["k"].flatMap(Base64URL.bytes(of:)),
            let publicKey = PublicKey(point: point)
        else { throw Fault("expected 'vapid' with a token 't' and a public key 'k' of P-256") }
        guard key == nil || key == point else { throw Fault("the subscription is for another sender") }
        let claims: JSONValue
        do throws(JOSEFailure) {
            let keys = JSONWebKeySet([JSONWebKey(publicKey, algorithm: .es256)])
            claims = try SignedToken(parsing: text).verified(by: keys, with: signatures).claims
        } catch {
            throw Fault(error.reason)
        }
        self.publicKey = point
        subject = try Self.subject(in: claims, for: service, now)
    }

    /// Checks the claims (section 2), and returns the subject.
    private static func subject(in claims: JSONValue, for service: Origin, _ now: Int64) throws(Fault) -> String? {
        guard let audiences = claims["aud"]?.audiences,
            audiences.contains(where: { $0.isExactly(service.description) })
        else { throw Fault("the token is for another push service") }
        guard let expiry = claims["exp"]?.numericDate else { throw Fault("'exp' is missing or not a number") }
        guard now < expiry else { throw Fault("the token has expired") }
        guard expiry - now <= longestLifetime else { throw Fault("the token expires in more than 24 hours") }
        guard let subject = claims["sub"] else { return nil }
        guard let text = subject.string, text.hasPrefix("mailto:") || text.hasPrefix("https:") else {
            throw Fault("'sub' is not a URL of mailto or https")
        }
        return text
    }

    /// Reads `vapid NAME=VALUE, NAME=VALUE` (RFC 9110, section 11.4), without quotes, and each name once.
    private static func parameters(of header: String) throws(Fault) -> [String: String] {
        let words = header.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "vapid" else { throw Fault("expected the scheme 'vapid'") }
        var parameters: [String: String] = [:]
        for part in words[1].split(separator: ",") {
            let pair = part.filter { $0 != " " && $0 != "\t" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { throw Fault("found a parameter of 'vapid' without a value") }
            guard parameters.updateValue(String(pair[1]), forKey: pair[0].lowercased()) == nil else {
                throw Fault("found a parameter of 'vapid' twice")
            }
        }
        return parameters
    }
}
