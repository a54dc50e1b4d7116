import Foundation
import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

/// Checks signatures for a while and says how many a second: what the benchmark of signatures times.
///
/// `SignatureProcess check|verify ALGORITHM MILLISECONDS`
@main
enum SignatureProcess {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let algorithm = SignatureAlgorithm(rawValue: arguments[1]),
            let milliseconds = Int(arguments[2])
        else { throw Usage() }
        let signatures = OpenSSLSignatures()
        let key = try signatures.makeKey(for: algorithm)
        let token = try SignedToken.signed(claims, by: key, id: "key-1", with: signatures)
        let text = Array(token.utf8)
        let limit = Duration.milliseconds(milliseconds)
        switch arguments[0] {
        case "check":
            let parsed = try SignedToken(parsing: text)
            let (signature, signed) = (parsed.signature, parsed.signedBytes)
            try measure(for: limit) {
                try signatures.isValid(signature, of: signed, by: key.publicKey, algorithm)
            }
        case "verify":
            let published = JSONWebKeySet([JSONWebKey(key.publicKey, id: "key-1", algorithm: algorithm)])
            let keys = try JSONWebKeySet(parsing: Array(published.json.text().utf8))
            try measure(for: limit) {
                try SignedToken(parsing: text).verified(by: keys, with: signatures).header.keyID != nil
            }
        default: throw Usage()
        }
    }

    struct Usage: Error {}
    struct Refused: Error {}

    /// What an ID token usually claims.
    static let claims = JSONValue.members([
        "iss": .string("https://sso.example.com/auth/realms/tasks"),
        "sub": .string("8f6e5a2c-13b9-4f0e-9d3e-6f1c2b7a4d55"),
        "aud": .string("tasks-prod"), "exp": .integer(1_772_323_199), "iat": .integer(1_772_322_899),
        "auth_time": .integer(1_772_322_890), "nonce": .string("n-0S6_WzA2Mj"), "azp": .string("tasks-prod"),
        "email": .string("ada@example.com"), "preferred_username": .string("ada"),
    ])

    static func measure(for limit: Duration, _ check: () throws -> Bool) throws {
        let clock = ContinuousClock()
        for _ in 0..<20 { guard try check() else { throw Refused() } }
        let start = clock.now
        var count = 0
        repeat {
            for _ in 0..<20 { guard try check() else { throw Refused() } }
            count += 20
        } while start.duration(to: clock.now) < limit
        let rate = Double(count) / start.duration(to: clock.now).inSeconds
        FileHandle.standardOutput.write(Data("\(Int(rate))\n".utf8))
    }
}
