import WireConfig
package import WireSecrets

/// What a token says of how it was signed, read strictly: what is not understood is not waved through.
///
/// Keys it brings along, and addresses to fetch some from (`jwk`, `jku`, `x5c`, `x5u`), are never looked at.
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
            throw JOSEFailure(.malformed, "the header has no 'alg' that is text")
        }
        guard let algorithm = SignatureAlgorithm(named: name) else {
            // Not named: whoever sends it chooses what it says.
            let known = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw JOSEFailure(.unsupported, "found another 'alg', expected one of \(known)")
        }
        self.algorithm = algorithm
        keyID = try Self.text("kid", of: header)
        type = try Self.text("typ", of: header).map(Self.normalised)
    }

    private static let refused: KeyValuePairs = [
        "crit": "no extension is understood",
        "b64": "the payload is always base64url",
        "zip": "nothing is decompressed before it is believed",
        "enc": "the token would be an encrypted one",
    ]

    private static func text(_ name: String, of header: JSONValue) throws(JOSEFailure) -> String? {
        guard let value = header[name] else { return nil }
        guard let text = value.string else { throw JOSEFailure(.malformed, "the header's '\(name)' is not text") }
        return text
    }

    /// RFC 7515, section 4.1.9: `application/` may be left out where nothing else has a slash.
    private static func normalised(_ type: String) -> String {
        let type = type.lowercased()
        let prefix = "application/"
        guard type.hasPrefix(prefix), !type.dropFirst(prefix.count).contains("/") else { return type }
        return String(type.dropFirst(prefix.count))
    }
}
