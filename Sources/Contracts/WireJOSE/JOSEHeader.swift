import WireConfig
package import WireSecrets

/// The header of a token, read strictly: unknown critical members are rejected.
///
/// Embedded keys and key addresses (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
package struct JOSEHeader: Sendable, Hashable {
    package let algorithm: SignatureAlgorithm
    package let keyID: String?
    /// `typ`, without `application/`, in lower case.
    package let type: String?

    package init(algorithm: SignatureAlgorithm, keyID: String?, type: String?) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.type = type
    }

    init(parsing bytes: [UInt8]) throws(JOSEFailure) {
        let header = try JSONObject.read(bytes, named: "the header of the token")
        for (name, why) in Self.refused where header[name] != nil {
            throw JOSEFailure(.unsupported, "found '\(name)' in the header, expected none: \(why)")
        }
        guard let name = header["alg"]?.string else {
            throw JOSEFailure(.malformed, "the header has no text 'alg'")
        }
        guard let algorithm = SignatureAlgorithm(named: name) else {
            // The value is not shown, because the sender chooses it.
            let known = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw JOSEFailure(.unsupported, "unsupported 'alg', expected one of \(known)")
        }
        self.algorithm = algorithm
        keyID = try Self.text("kid", of: header)
        type = try Self.text("typ", of: header).map(Self.normalised)
    }

    private static let refused: KeyValuePairs = [
        "crit": "extensions are not supported",
        "b64": "the payload must be base64url",
        "zip": "compressed tokens are not supported",
        "enc": "encrypted tokens are not supported",
    ]

    private static func text(_ name: String, of header: JSONValue) throws(JOSEFailure) -> String? {
        guard let value = header[name] else { return nil }
        guard let text = value.string else { throw JOSEFailure(.malformed, "the header's '\(name)' is not text") }
        return text
    }

    /// RFC 7515, section 4.1.9: `application/` may be omitted where there is no other slash.
    private static func normalised(_ type: String) -> String {
        let type = type.lowercased()
        let prefix = "application/"
        guard type.hasPrefix(prefix), !type.dropFirst(prefix.count).contains("/") else { return type }
        return String(type.dropFirst(prefix.count))
    }
}
