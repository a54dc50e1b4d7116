import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireJOSE
import WireSecrets

/// Google's and C2SP's vectors of attacks that broke libraries, run where they have been fetched.
@Suite("Wycheproof vectors", .enabled(if: Wycheproof.isThere, "there are no vectors beside the project"))
struct WycheproofTests {
    /// Vectors that are valid, and refused here on purpose, each with its reason.
    static let refusedOnPurpose: [String: [Int: Refusal]] = [
        "json_web_signature_test": [
            1: .symmetric, 348: .symmetric, 352: .symmetric, 357: .symmetric, 358: .symmetric, 359: .symmetric,
            372: .symmetric, 373: .symmetric, 376: .symmetric, 377: .symmetric,
            346: .otherAlgorithm, 350: .otherAlgorithm,
            347: .unknownAlgorithm, 351: .unknownAlgorithm,
        ],
        "json_web_key_test": [2: .symmetric, 13: .symmetric, 14: .symmetric, 15: .symmetric],
        "json_web_crypto_test": [1: .symmetric, 48: .symmetric, 50: .encrypted, 67: .encrypted],
    ]

    enum Refusal {
        /// HS256, HS384, HS512: who can check could sign; a key that is shared is no key of an issuer.
        case symmetric
        /// Encrypted, which no server is ever asked for: what is not read cannot be made to decompress or to count for long.
        case encrypted
        /// The key says PS256 and the token PS384: a key is used with the algorithm it says, and no other.
        case otherAlgorithm
        /// The key says ES521, which is no algorithm (RFC 7518 calls it ES512); json_web_key_test 19 wants that refused.
        case unknownAlgorithm

        func explains(_ failure: JOSEFailure.Kind?) -> Bool {
            switch self {
            case .symmetric, .encrypted: failure == .unsupported || failure == .malformed
            case .otherAlgorithm, .unknownAlgorithm: failure == .unknownKey
            }
        }
    }

    @Test("valid vectors are accepted, all others rejected", arguments: Wycheproof.files)
    func vectors(file: String) throws {
        let vectors = try Wycheproof.vectors(of: file)
        let refusals = Self.refusedOnPurpose[file] ?? [:]
        var accepted = 0
        for vector in vectors {
            let failure = vector.failure()
            switch (vector.isValid, refusals[vector.id]) {
            case (true, nil):
                #expect(failure == nil, "\(file) \(vector.id), \(vector.comment)")
                accepted += 1
            case (true, let refusal?): #expect(refusal.explains(failure), "\(file) \(vector.id), \(vector.comment)")
            case (false, let refusal):
                #expect(failure != nil, "\(file) \(vector.id), \(vector.comment)")
                #expect(refusal == nil, "\(vector.id) is in the table of valid ones")
            }
        }
        let expected = [
            "json_web_signature_test": (401, 32), "json_web_key_test": (26, 1), "json_web_crypto_test": (83, 2),
        ]
        #expect(vectors.count == expected[file]?.0)
        #expect(accepted == expected[file]?.1)
    }
}

enum Wycheproof {
    static let files = ["json_web_signature_test", "json_web_key_test", "json_web_crypto_test"]

    static let folder =
        ProcessInfo.processInfo.environment["WYCHEPROOF"].map { URL(fileURLWithPath: $0) }
        ?? Repository.root.appendingPathComponent("../shared/testdata/wycheproof")

    static var isThere: Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("\(files[0]).json").path)
    }

    struct Vector {
        let id: Int
        let comment: String
        let isValid: Bool
        let keys: JSONWebKeySet?
        let token: String

        /// Why it is not believed; nil where it is.
        func failure() -> JOSEFailure.Kind? {
            do throws(JOSEFailure) {
                let message = try SignedMessage(parsing: Array(token.utf8))
                guard let keys else { return .unsupported }
                _ = try message.signer(among: keys, with: Forge.signatures)
                return nil
            } catch {
                return error.kind
            }
        }
    }

    static func vectors(of file: String) throws -> [Vector] {
        let data = try Data(contentsOf: folder.appendingPathComponent("\(file).json"))
        let groups = try #require(JSONValue(parsing: Array(data), named: file)["testGroups"]?.array)
        return try groups.flatMap { group in
            let keys = try #require(group["public"] ?? group["private"])
            let set = keys["keys"] == nil ? JSONValue.object([("keys", .array([keys]))]) : keys
            let read = try? JSONWebKeySet(parsing: Array(set.text().utf8))
            return try #require(group["tests"]?.array).map { test in
                let token = test["jws"] ?? test["jwe"]
                return Vector(
                    id: try #require(test["tcId"]?.integer),
                    comment: test["comment"]?.string ?? "",
                    isValid: test["result"]?.string == "valid",
                    keys: read,
                    token: token?.string ?? token?.text() ?? ""
                )
            }
        }
    }
}
