import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

/// Tokens and keys of other programs, and ours with them.
@Suite("JWT interoperability")
struct InteroperabilityTests {
    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    static let peer = Repository.root.appendingPathComponent("Tests/WireJOSETests/Peers/peer.py").path
    static let hasPeer = (try? Program.run(python, ["-c", "import joserfc, cryptography"]).status) == 0

    @Test("tokens of joserfc verify, with its published keys", .enabled(if: hasPeer, "joserfc is not there"))
    func theirs() throws {
        let folder = try TemporaryFolder()
        let run = try Program.run(Self.python, [Self.peer, "sign", folder.url.path])
        try #require(run.status == 0, "\(run.errors)")
        let keys = try JSONWebKeySet(text: folder.text(of: "keys.json"))
        #expect(keys.keys.count == SignatureAlgorithm.allCases.count, "\(keys.passedOver)")
        for algorithm in SignatureAlgorithm.allCases {
            let token = try SignedToken(parsing: folder.text(of: "\(algorithm.rawValue).jwt"))
            let verified = try token.verified(by: keys, with: Forge.signatures)
            #expect(verified.header.algorithm == algorithm)
            #expect(verified.claims["aud"]?.audiences == ["a", "b"])
            #expect(verified.claims["nested"]?["text"]?.string == "é€😀")
            let encoded = try Data(contentsOf: folder.url.appendingPathComponent("\(algorithm.rawValue).p8"))
            let pair = try Forge.signatures.key(of: Secret(Array(encoded)), for: algorithm)
            #expect(pair.publicKey == verified.key.key)
        }
    }

    @Test(
        "joserfc verifies tokens and published keys of this code",
        .enabled(if: hasPeer, "joserfc is not there")
    )
    func ours() throws {
        let folder = try TemporaryFolder()
        var keys: [JSONWebKey] = []
        for algorithm in SignatureAlgorithm.allCases {
            let (key, id) = (try Forge.key(algorithm), "own-\(algorithm.rawValue)")
            keys.append(JSONWebKey(key.publicKey, id: id, algorithm: algorithm))
            let claims = JSONValue.members(["iss": .string("https://own.example")])
            let token = try SignedToken.signed(claims, by: key, id: id, with: Forge.signatures)
            try folder.write(token, to: "\(algorithm.rawValue).jwt")
            try folder.write(Data(key.encoded.reveal()), to: "\(algorithm.rawValue).p8")
        }
        try folder.write(JSONWebKeySet(keys).json.text(), to: "keys.json")
        let run = try Program.run(Self.python, [Self.peer, "check", folder.url.path])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.split(separator: "\n").map(String.init) == SignatureAlgorithm.allCases.map(\.rawValue))
    }

    @Test(
        "the openssl program signs and verifies the same",
        .enabled(if: Program.isInstalled("openssl"), "openssl is not there"),
        arguments: [SignatureAlgorithm.rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512]
    )
    func openssl(algorithm: SignatureAlgorithm) throws {
        let folder = try TemporaryFolder()
        let key = try Forge.key(algorithm)
        let message = Array("a statement".utf8)
        try folder.write(Data(message), to: "message")
        try folder.write(Data(key.encoded.reveal()), to: "key.p8")
        let padding =
            algorithm.rawValue.hasPrefix("PS")
            ? ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"] : []
        let digest = "-sha\(algorithm.digest.rawValue)"
        let common = ["dgst", digest, "-keyform", "DER"] + padding
        let signing = try Program.run(
            "openssl",
            common + ["-sign", "key.p8", "-out", "theirs", "message"],
            in: folder.url
        )
        try #require(signing.status == 0, "\(signing.errors)")
        var theirs = Array(try Data(contentsOf: folder.url.appendingPathComponent("theirs")))
        var ours = try Forge.signatures.sign(message, with: key)
        if case .ec(let curve, _, _) = key.publicKey {
            theirs = try Self.raw(theirs, curve)
            ours = AttackTests.der(
                Array(ours.prefix(curve.size).drop { $0 == 0 }),
                Array(ours.suffix(curve.size).drop { $0 == 0 })
            )
        }
        #expect(try Forge.signatures.isValid(theirs, of: message, by: key.publicKey, algorithm))
        try folder.write(Data(ours), to: "ours")
        let checking = try Program.run(
            "openssl",
            common + ["-prverify", "key.p8", "-signature", "ours", "message"],
            in: folder.url
        )
        #expect(checking.output.contains("Verified OK"), "\(checking.everything)")
    }

    /// Two numbers out of DER, side by side.
    static func raw(_ der: [UInt8], _ curve: EllipticCurve) throws -> [UInt8] {
        var rest = der.dropFirst(der[1] == 0x81 ? 3 : 2)
        return try (0..<2).flatMap { _ in
            let length = Int(try #require(rest.dropFirst().first))
            defer { rest = rest.dropFirst(2 + length) }
            let number = Array(rest.dropFirst(2).prefix(length).drop { $0 == 0 })
            return [UInt8](repeating: 0, count: curve.size - number.count) + number
        }
    }
}
