import Foundation
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

/// Tokens written by hand, so that each can break one rule.
enum Forge {
    static let signatures = OpenSSLSignatures()

    /// A key for each algorithm, made once.
    static let keys: [SignatureAlgorithm: PrivateKey] = {
        Dictionary(
            uniqueKeysWithValues: SignatureAlgorithm.allCases.compactMap { algorithm in
                (try? signatures.makeKey(for: algorithm)).map { (algorithm, $0) }
            }
        )
    }()

    static func key(_ algorithm: SignatureAlgorithm = .es256) throws -> PrivateKey {
        try #require(keys[algorithm])
    }

    static func keySet(_ algorithm: SignatureAlgorithm = .es256, id: String? = "one") throws -> JSONWebKeySet {
        JSONWebKeySet([JSONWebKey(try key(algorithm).publicKey, id: id)])
    }

    /// A token of these very texts, signed by the key there is for the algorithm.
    static func token(
        header: String = #"{"alg":"ES256","kid":"one"}"#,
        payload: String = #"{"iss":"me"}"#,
        by algorithm: SignatureAlgorithm = .es256
    ) throws -> String {
        try token(header: Array(header.utf8), payload: Array(payload.utf8), by: algorithm)
    }

    static func token(header: [UInt8], payload: [UInt8], by algorithm: SignatureAlgorithm) throws -> String {
        let signed = "\(Base64URL.text(of: header)).\(Base64URL.text(of: payload))"
        return "\(signed).\(Base64URL.text(of: try signatures.sign(Array(signed.utf8), with: try key(algorithm))))"
    }

    /// Why a token is not believed; nil where it is.
    static func failure(of token: String, by keys: JSONWebKeySet) -> JOSEFailure.Kind? {
        do throws(JOSEFailure) {
            _ = try SignedToken(parsing: token).verified(by: keys, with: signatures)
            return nil
        } catch {
            return error.kind
        }
    }
}

extension JSONWebKeySet {
    init(text: String) throws(JOSEFailure) {
        try self.init(parsing: Array(text.utf8))
    }
}
