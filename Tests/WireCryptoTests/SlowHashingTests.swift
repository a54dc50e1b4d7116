import Testing
import WireBase
import WireCrypto
import WireSecrets

@Suite("scrypt hashes")
struct SlowHashingTests {
    let hashing = OpenSSLSlowHashing()

    /// RFC 7914, section 12.
    static let vectors: [(text: String, salt: String, cost: ScryptCost, result: String)] = [
        (
            "", "", ScryptCost(logN: 4, r: 1, p: 1),
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        (
            "password", "NaCl", ScryptCost(logN: 10, r: 8, p: 16),
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
        (
            "pleaseletmein", "SodiumChloride", ScryptCost(logN: 14, r: 8, p: 1),
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        ),
    ]

    @Test("the vectors of RFC 7914 match", arguments: vectors)
    func comesOut(text: String, salt: String, cost: ScryptCost, result: String) throws {
        let derived = try Scrypt.derive(64, from: Array(text.utf8), salt: Array(salt.utf8), cost)
        #expect(Hexadecimal.text(of: derived) == result)
    }

    @Test("a text matches its hash, another one does not")
    func knowsAgain() throws {
        let hash = try hashing.slowHash(of: Array("1234".utf8))
        #expect(hash.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
        #expect(try hashing.isSlowHash(hash, of: Array("1234".utf8)))
        let quick = try Self.quick("1234")
        #expect(try hashing.isSlowHash(quick, of: Array("1234".utf8)))
        #expect(try !hashing.isSlowHash(quick, of: Array("1235".utf8)))
        #expect(try !hashing.isSlowHash(quick, of: []))
    }

    /// A hash that takes little time, with a salt and a result of so many bytes.
    static func quick(_ text: String, salt: Int = 16, result: Int = 32) throws -> String {
        let cost = ScryptCost(logN: 1, r: 8, p: 4)
        let salt = [UInt8](repeating: 7, count: salt)
        let bytes = try Scrypt.derive(result, from: Array(text.utf8), salt: salt, cost)
        return "$scrypt$\(cost)$\(Base64.unpaddedText(of: salt))$\(Base64.unpaddedText(of: bytes))"
    }

    @Test(
        "a salt has 8 to 64 bytes, and a result 16 to 64",
        arguments: [(8, 16, true), (64, 64, true), (7, 16, false), (65, 64, false), (8, 15, false), (64, 65, false)]
    )
    func sizes(salt: Int, result: Int, isTaken: Bool) throws {
        let hash = try Self.quick("1234", salt: salt, result: result)
        if isTaken {
            #expect(try hashing.isSlowHash(hash, of: Array("1234".utf8)))
        } else {
            #expect(throws: Fault.self) { try hashing.isSlowHash(hash, of: Array("1234".utf8)) }
        }
    }

    @Test("two hashes of one text differ by their salt")
    func salts() throws {
        #expect(try hashing.slowHash(of: [1]) != hashing.slowHash(of: [1]))
    }

    @Test(
        "an invalid or too expensive hash is rejected without work",
        arguments: [
            "", "$", "$$$$", "1234", "$scrypt$ln=15,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=18,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=15,r=9,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=15,r=8,p=5$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=0,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=-1,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=99999999999999999999,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$r=8,ln=15,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=15,r=8,p=1$$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$",
            "$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA$",
            "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            String(repeating: "$", count: 1_000_000),
        ]
    )
    func refused(hash: String) {
        let failure = #expect(throws: Fault.self) { try hashing.isSlowHash(hash, of: [1]) }
        #expect(failure?.reason == "expected a hash by scrypt with parameters up to ln=17,r=8,p=4")
    }
}
