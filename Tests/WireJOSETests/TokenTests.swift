import Testing
import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

@Suite("JWTs")
struct TokenTests {
    @Test("a signed token verifies with its claims", arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let claims = JSONValue.members(["iss": .string("me"), "exp": .integer(1_772_323_199), "x": .array([.null])])
        let token = try SignedToken.signed(
            claims,
            type: "at+jwt",
            by: Forge.key(algorithm),
            id: "one",
            with: Forge.signatures
        )
        let verified = try SignedToken(parsing: token).verified(by: Forge.keySet(algorithm), with: Forge.signatures)
        #expect(verified.claims.text() == claims.text())
        #expect(verified.header == JOSEHeader(algorithm: algorithm, keyID: "one", type: "at+jwt"))
        #expect(verified.key == (try Forge.keySet(algorithm)).keys[0])
    }

    @Test(
        "'typ' is compared without case and without 'application/'",
        arguments: [
            ("JWT", "jwt"), ("application/AT+JWT", "at+jwt"), ("at+jwt", "at+jwt"),
            ("application/a/b", "application/a/b"),
            ("logout+jwt", "logout+jwt"),
        ]
    )
    func type(written: String, expected: String) throws {
        let token = try SignedToken(parsing: Forge.token(header: #"{"alg":"ES256","typ":"\#(written)"}"#))
        #expect(token.header.type == expected)
    }

    @Test(
        "a NumericDate is a number between 1970 and 9999, with or without fraction",
        arguments: [
            ("1772323199", 1_772_323_199_000), ("1772323199.5", 1_772_323_199_500),
            ("1.772323199e9", 1_772_323_199_000),
            ("0", 0), ("253402300799", 253_402_300_799_000), ("253402300800", nil), ("253402300799.5", nil),
            ("-1", nil), ("-0.5", nil),
            ("1e400", nil), ("-1e400", nil), ("99999999999999999999999999", nil), ("9223372036854775807", nil),
            (#""1772323199""#, nil), ("true", nil), ("null", nil), ("[1772323199]", nil), ("{}", nil),
        ] as [(String, Int64?)]
    )
    func moment(written: String, expected: Int64?) throws {
        let token = try SignedToken(parsing: Forge.token(payload: #"{"exp":\#(written)}"#))
        #expect(token.claims["exp"] != nil)
        #expect(token.claims["exp"]?.numericDate == expected)
    }

    @Test(
        "an audience is a text or a list of texts",
        arguments: [
            (#""a""#, ["a"]), (#"["a","b"]"#, ["a", "b"]), ("[]", []), (#"["a",["b"]]"#, nil), (#"["a",1]"#, nil),
            (#"{"a":"b"}"#, nil), ("1", nil), ("null", nil),
        ] as [(String, [String]?)]
    )
    func audience(written: String, expected: [String]?) throws {
        let token = try SignedToken(parsing: Forge.token(payload: #"{"aud":\#(written)}"#))
        #expect(token.claims["aud"]?.audiences == expected)
    }

    @Test("without a key id every key of the algorithm is tried, at most eight")
    func withoutName() throws {
        let token = try Forge.token(header: #"{"alg":"ES256"}"#)
        let own = JSONWebKey(try Forge.key().publicKey, id: "own")
        let others = try (0..<8).map { JSONWebKey(try Forge.signatures.makeKey(for: .es256).publicKey, id: "\($0)") }
        let foreign = JSONWebKey(try Forge.key(.rs256).publicKey, id: "rsa")
        #expect(Forge.failure(of: token, by: JSONWebKeySet([foreign, own])) == nil)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([foreign] + others.prefix(7) + [own])) == nil)
        #expect(Forge.failure(of: token, by: JSONWebKeySet(others + [own])) == .wrongSignature)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([foreign])) == .unknownKey)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([])) == .unknownKey)
    }

    @Test("keys with the same id are all tried, and an invalid one does not interfere")
    func sharedName() throws {
        let token = try Forge.token()
        let own = JSONWebKey(try Forge.key().publicKey, id: "one")
        let other = JSONWebKey(try Forge.signatures.makeKey(for: .es256).publicKey, id: "one")
        let stray = JSONWebKey(
            .ec(.p256, x: .init(repeating: 1, count: 32), y: .init(repeating: 1, count: 32)),
            id: "one"
        )
        #expect(Forge.failure(of: token, by: JSONWebKeySet([other, own])) == nil)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([stray, own])) == nil)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([stray, other])) == .wrongSignature)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([stray])) == .machine)
    }

    @Test("a key is used only with its algorithm, and ids are compared bytewise")
    func strictKeys() throws {
        let key = try Forge.key(.rs256).publicKey
        let token = try Forge.token(header: #"{"alg":"RS256","kid":"é"}"#, by: .rs256)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([JSONWebKey(key, id: "é", algorithm: .rs256)])) == nil)
        #expect(
            Forge.failure(of: token, by: JSONWebKeySet([JSONWebKey(key, id: "é", algorithm: .ps256)])) == .unknownKey
        )
        #expect(Forge.failure(of: token, by: JSONWebKeySet([JSONWebKey(key, id: "e\u{301}")])) == .unknownKey)
    }

    @Test("a key without an id is tried if no id matches, and one with another id never")
    func namelessKeys() throws {
        let (key, other) = (try Forge.key(.rs256).publicKey, try Forge.key(.es256).publicKey)
        let token = try Forge.token(header: #"{"alg":"RS256","kid":"one"}"#, by: .rs256)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([JSONWebKey(other), JSONWebKey(key)])) == nil)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([JSONWebKey(key, algorithm: .ps256)])) == .unknownKey)
        #expect(Forge.failure(of: token, by: JSONWebKeySet([JSONWebKey(key, id: "two")])) == .unknownKey)
        let stranger = try Forge.signatures.makeKey(for: .rs256).publicKey
        let named = JSONWebKeySet([JSONWebKey(key), JSONWebKey(stranger, id: "one")])
        #expect(Forge.failure(of: token, by: named) == .wrongSignature)
    }

    @Test("Ed25519 is accepted by both algorithm names")
    func ownName() throws {
        let key = try Forge.key(.eddsa).publicKey
        for name in ["EdDSA", "Ed25519"] {
            let token = try Forge.token(header: #"{"alg":"\#(name)"}"#, by: .eddsa)
            #expect(Forge.failure(of: token, by: JSONWebKeySet([JSONWebKey(key)])) == nil)
        }
        #expect(SignatureAlgorithm(named: "ed25519") == nil && SignatureAlgorithm(named: "Ed448") == nil)
    }

    @Test("claims that are not a JSON object are not signed")
    func unsignable() throws {
        for claims in [.string("x"), .members(["x": .number(.nan)]), .members(["x": .array([.number(.infinity)])])]
            as [JSONValue]
        {
            let failure = #expect(throws: JOSEFailure.self) {
                try SignedToken.signed(claims, by: Forge.key(), id: nil, with: Forge.signatures)
            }
            #expect(failure?.kind == .malformed)
        }
    }

    @Test(
        "base64url accepts exactly its alphabet",
        arguments: [
            ("", []), ("AA", [0]), ("AAA", [0, 0]), ("AAAA", [0, 0, 0]), ("-_-_", [0xfb, 0xff, 0xbf]), ("_w", [255]),
            ("A", nil), ("AAAAA", nil), ("AA==", nil), ("AB", nil), ("AAB", nil), ("+/+/", nil), ("A A", nil),
            ("AA\n", nil), (" AA", nil), ("AA\0", nil), ("AÁ", nil), ("=", nil),
        ] as [(String, [UInt8]?)]
    )
    func base64URL(text: String, bytes: [UInt8]?) {
        #expect(Base64URL.bytes(of: text) == bytes)
        if let bytes { #expect(Base64URL.text(of: bytes) == text) }
    }

    @Test("hexadecimal digits are pairs of either case")
    func hexadecimal() {
        #expect(Hexadecimal.text(of: [0, 9, 10, 0x7f, 255]) == "00090a7fff")
        #expect(Hexadecimal.bytes(of: "00090A7ffF") == [0, 9, 10, 0x7f, 255])
        for text in ["0", "0g", "0x00", " 00", "００"] { #expect(Hexadecimal.bytes(of: text) == nil) }
    }
}
