import Support
import Testing
import WireBase
import WireCrypto
import WireSecrets

@Suite("OpenSSL signatures")
struct SignatureTests {
    static let signatures = OpenSSLSignatures()
    static let message = Array("a statement".utf8)

    @Test("signatures of a new key verify, and nothing else does", arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let key = try Self.signatures.makeKey(for: algorithm)
        let signature = try Self.signatures.sign(Self.message, with: key)
        let isValid = { (signature: [UInt8], message: [UInt8]) throws in
            try Self.signatures.isValid(signature, of: message, by: key.publicKey, algorithm)
        }
        for _ in 0..<3 { #expect(try isValid(signature, Self.message)) }
        #expect(try !isValid(signature, Self.message + [0]))
        for index in [0, signature.count / 2, signature.count - 1] {
            var other = signature
            other[index] ^= 1
            #expect(try !isValid(other, Self.message))
        }
        for other in [[], signature + [0], Array(signature.dropLast()), [0] + signature] {
            #expect(try !isValid(other, Self.message))
        }
        #expect(try !isValid([UInt8](repeating: 0, count: signature.count), Self.message))
        #expect(try !isValid([UInt8](repeating: 255, count: signature.count), Self.message))
        #expect(try isValid(signature, Self.message), "a wrong signature leaves the key as it was")
    }

    @Test("a signature verifies with its own algorithm only", arguments: SignatureAlgorithm.allCases)
    func otherAlgorithm(algorithm: SignatureAlgorithm) throws {
        let key = try Self.signatures.makeKey(for: algorithm)
        let signature = try Self.signatures.sign(Self.message, with: key)
        for other in SignatureAlgorithm.allCases where other != algorithm {
            if key.publicKey.canCheck(other) {
                #expect(try !Self.signatures.isValid(signature, of: Self.message, by: key.publicKey, other))
            } else {
                #expect(throws: Fault.self) {
                    try Self.signatures.isValid(signature, of: Self.message, by: key.publicKey, other)
                }
            }
        }
    }

    @Test("a key pair round-trips as PKCS #8", arguments: SignatureAlgorithm.allCases)
    func keyText(algorithm: SignatureAlgorithm) throws {
        let key = try Self.signatures.makeKey(for: algorithm)
        let again = try Self.signatures.key(of: key.encoded, for: algorithm)
        #expect(again.publicKey == key.publicKey)
        let signature = try Self.signatures.sign(Self.message, with: again)
        #expect(try Self.signatures.isValid(signature, of: Self.message, by: key.publicKey, algorithm))
        for other in SignatureAlgorithm.allCases where !key.publicKey.canCheck(other) {
            #expect(throws: Fault.self) { try Self.signatures.key(of: key.encoded, for: other) }
            let mistaken = PrivateKey(algorithm: other, publicKey: key.publicKey, encoded: key.encoded)
            #expect(throws: Fault.self) { try Self.signatures.sign(Self.message, with: mistaken) }
        }
        let bytes = key.encoded.reveal()
        for broken in [[], Array(bytes.dropLast()), bytes + [0], [UInt8](repeating: 0x30, count: 20_000)] {
            #expect(throws: Fault.self) { try Self.signatures.key(of: Secret(broken), for: algorithm) }
        }
    }

    @Test("a private key does not print its secret")
    func redaction() throws {
        let key = try Self.signatures.makeKey(for: .eddsa)
        var dumped = ""
        dump(key, to: &dumped)
        let secret = key.encoded.reveal()
        for text in ["\(key)", dumped] {
            #expect(text.contains("[redacted]"))
            #expect(!text.contains(secret.suffix(4).map(String.init).joined(separator: ", ")))
        }
    }

    @Test("an RSA key has the requested size", arguments: [2_048, 3_072])
    func size(bits: Int) throws {
        guard
            case .rsa(let modulus, let exponent) = try Self.signatures.makeKey(for: .ps256, modulusBits: bits).publicKey
        else { throw Fault("no RSA key") }
        #expect(modulus.count * 8 == bits)
        #expect(exponent == [1, 0, 1])
    }

    @Test("a point off its curve is rejected")
    func strayPoint() throws {
        for (algorithm, curve) in [(SignatureAlgorithm.es256, EllipticCurve.p256), (.es384, .p384), (.es512, .p521)] {
            guard case .ec(_, let x, var y) = try Self.signatures.makeKey(for: algorithm).publicKey else {
                throw Fault("no key on a curve")
            }
            y[curve.size - 1] ^= 1
            let signature = [UInt8](repeating: 1, count: curve.size * 2)
            #expect(throws: Fault.self) {
                try Self.signatures.isValid(signature, of: Self.message, by: .ec(curve, x: x, y: y), algorithm)
            }
        }
    }

    @Test("more keys than the pool, used concurrently, verify their own signatures")
    func manyKeys() async throws {
        let keys = try (0..<40).map { _ in try Self.signatures.makeKey(for: .es256) }
        let signed = try keys.map { ($0.publicKey, try Self.signatures.sign(Self.message, with: $0)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask { () throws in
                    for round in 0..<60 {
                        let (key, signature) = signed[(worker * 7 + round) % signed.count]
                        let (_, wrong) = signed[(worker * 7 + round + 1) % signed.count]
                        #expect(try Self.signatures.isValid(signature, of: Self.message, by: key, .es256))
                        #expect(try !Self.signatures.isValid(wrong, of: Self.message, by: key, .es256))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(
        "a digest equals that of FIPS 180-4",
        arguments: [
            (DigestAlgorithm.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ]
    )
    func digests(algorithm: DigestAlgorithm, expected: String) throws {
        #expect(Hexadecimal.text(of: try Self.signatures.digest(Array("abc".utf8), algorithm)) == expected)
    }
}
