import Testing
import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

@Suite("JWK sets")
struct KeySetTests {
    @Test("published keys round-trip")
    func roundTrip() throws {
        let keys = try SignatureAlgorithm.allCases.map { algorithm in
            JSONWebKey(try Forge.key(algorithm).publicKey, id: "key-\(algorithm.rawValue)", algorithm: algorithm)
        }
        let read = try JSONWebKeySet(text: JSONWebKeySet(keys).json.text())
        #expect(read.keys == keys)
        #expect(read.passedOver.isEmpty)
    }

    /// A good key with members laid over it; nil takes one away.
    static func key(_ algorithm: SignatureAlgorithm, with members: KeyValuePairs<String, JSONValue?>) throws
        -> JSONValue
    {
        var all = JSONWebKey(try Forge.key(algorithm).publicKey, id: "spoilt").json.members ?? []
        for (name, value) in members {
            all.removeAll { $0.key == name }
            if let value { all.append((name, value)) }
        }
        return .object(all)
    }

    static func number(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.text(of: bytes)) }

    static func modulus() throws -> [UInt8] {
        guard case .rsa(let modulus, _) = try Forge.key(.rs256).publicKey else { throw JOSEFailure(.machine, "") }
        return modulus
    }

    @Test("unusable keys are skipped, each with a reason")
    func passedOver() throws {
        let modulus = try Self.modulus()
        let spoilt: [(JSONValue, String)] = try [
            (Self.key(.es256, with: ["use": .string("enc")]), "'use'"),
            (Self.key(.es256, with: ["use": .integer(1)]), "'use'"),
            (Self.key(.es256, with: ["key_ops": .array([.string("sign")])]), "'key_ops'"),
            (Self.key(.es256, with: ["key_ops": .array([])]), "'key_ops'"),
            (Self.key(.es256, with: ["key_ops": .string("verify")]), "'key_ops'"),
            (Self.key(.es256, with: ["kty": nil]), "'kty'"),
            (Self.key(.es256, with: ["kty": .string("oct"), "k": .string("AAAA")]), "'kty'"),
            (Self.key(.es256, with: ["kty": .string("RSA")]), "'n'"),
            (Self.key(.es256, with: ["crv": .string("P-384")]), "48 bytes"),
            (Self.key(.es256, with: ["crv": .string("secp256k1")]), "'crv'"),
            (Self.key(.es256, with: ["crv": nil]), "'crv'"),
            (Self.key(.es256, with: ["x": nil]), "'x'"),
            (Self.key(.es256, with: ["x": .string("A===")]), "'x'"),
            (Self.key(.es256, with: ["x": Self.number([1])]), "32 bytes"),
            (Self.key(.es256, with: ["x": Self.number([UInt8](repeating: 1, count: 33))]), "32 bytes"),
            (Self.key(.es256, with: ["d": Self.number([1])]), "private key"),
            (Self.key(.es256, with: ["alg": .string("ES384")]), "'alg'"),
            (Self.key(.es256, with: ["alg": .string("HS256")]), "'alg'"),
            (Self.key(.es256, with: ["alg": .string("none")]), "'alg'"),
            (Self.key(.es256, with: ["kid": .integer(1)]), "'kid'"),
            (Self.key(.eddsa, with: ["crv": .string("Ed448")]), "'crv'"),
            (Self.key(.eddsa, with: ["crv": .string("X25519")]), "'crv'"),
            (Self.key(.eddsa, with: ["x": Self.number([UInt8](repeating: 0, count: 32))]), "large order"),
            (
                Self.key(.eddsa, with: ["x": Self.number([1] + [UInt8](repeating: 0, count: 30) + [0x80])]),
                "large order"
            ),
            (Self.key(.eddsa, with: ["x": Self.number([1])]), "32 bytes"),
            (Self.key(.rs256, with: ["alg": .string("RSA-OAEP")]), "'alg'"),
            (Self.key(.rs256, with: ["e": Self.number([1])]), "65537"),
            (Self.key(.rs256, with: ["e": Self.number([3])]), "65537"),
            (Self.key(.rs256, with: ["e": Self.number([1, 0, 0])]), "65537"),
            (Self.key(.rs256, with: ["e": Self.number([1, 0, 2])]), "65537"),
            (Self.key(.rs256, with: ["e": Self.number([UInt8](repeating: 1, count: 9))]), "64 bits"),
            (Self.key(.rs256, with: ["e": .string("")]), "leading zeros"),
            (Self.key(.rs256, with: ["n": .string("")]), "leading zeros"),
            (Self.key(.rs256, with: ["n": Self.number(Array(modulus.dropFirst(128)))]), "2048 to 8192 bits"),
            (
                Self.key(.rs256, with: ["n": Self.number([1] + [UInt8](repeating: 1, count: 1_024))]),
                "2048 to 8192 bits"
            ),
            (Self.key(.rs256, with: ["n": Self.number([0x7f] + modulus.dropFirst())]), "found 2047"),
            (Self.key(.rs256, with: ["n": Self.number(modulus.dropLast() + [2])]), "odd modulus"),
            (.string("a key"), "'kty'"), (.null, "'kty'"), (.array([]), "'kty'"), (.object([]), "'kty'"),
        ]
        let good = try Self.key(.es256, with: [:])
        let set = try JSONWebKeySet(
            text: JSONValue.object([("keys", .array([good] + spoilt.map(\.0) + [good]))]).text()
        )
        #expect(set.keys.count == 2)
        #expect(set.passedOver.count == spoilt.count)
        for (reason, (key, words)) in zip(set.passedOver, spoilt) {
            #expect(reason.contains(words), "\(reason) of \(key.text().prefix(80))")
        }
    }

    @Test(
        "a point of small order is rejected, whatever its sign",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ]
    )
    func smallOrder(hex: String) throws {
        var point = try #require(Hexadecimal.bytes(of: hex))
        for sign in [0, 0x80] as [UInt8] {
            point[31] = (point[31] & 0x7f) | sign
            let key = try Self.key(.eddsa, with: ["x": Self.number(point)])
            let set = try JSONWebKeySet(text: #"{"keys":[\#(key.text())]}"#)
            #expect(set.keys.isEmpty)
            #expect(set.passedOver == ["the key is too weak: expected a point of large order"])
        }
    }

    @Test("a key may have use 'sig', leading zeros, and the maximum size")
    func forgiven() throws {
        let modulus = try Self.modulus()
        for key in [
            try Self.key(.es256, with: ["use": nil, "key_ops": .array([.string("sign"), .string("verify")])]),
            try Self.key(.rs256, with: ["n": Self.number([0] + modulus)]),
            try Self.key(.rs256, with: ["n": Self.number([UInt8](repeating: 0xff, count: 1_024))]),
            try Self.key(.rs256, with: ["e": Self.number([UInt8](repeating: 1, count: 8))]),
            try Self.key(.es256, with: ["x5t": .integer(1)]),
        ] {
            #expect(try JSONWebKeySet(text: #"{"keys":[\#(key.text())],"more":1}"#).keys.count == 1)
        }
    }

    @Test(
        "an invalid key set is rejected",
        arguments: [
            "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[}"#, "<html>",
            #"{"keys":[{"kty":"EC","kty":"RSA"}]}"#, #"{"keys":["#, "\u{feff}{\"keys\":[]}",
        ]
    )
    func malformed(text: String) {
        let failure = #expect(throws: JOSEFailure.self) { try JSONWebKeySet(text: text) }
        #expect(failure?.kind == .malformed)
    }

    @Test("a set has at most 100 keys and 1 MiB")
    func limits() throws {
        let key = try Self.key(.eddsa, with: [:]).text()
        let set = { (count: Int) in #"{"keys":[\#(Array(repeating: key, count: count).joined(separator: ","))]}"# }
        #expect(try JSONWebKeySet(text: set(100)).keys.count == 100)
        let tooMany = #expect(throws: JOSEFailure.self) { try JSONWebKeySet(text: set(101)) }
        #expect(tooMany?.reason == "found a set of 101 keys, expected 100 at most")
        let small = set(1)
        let spaces = String(repeating: " ", count: (1 << 20) - small.utf8.count)
        #expect(try JSONWebKeySet(text: small + spaces).keys.count == 1)
        let failure = #expect(throws: JOSEFailure.self) { try JSONWebKeySet(text: small + spaces + " ") }
        #expect(failure?.reason == "found a key set of 1048577 bytes, expected 1MiB at most")
    }
}
