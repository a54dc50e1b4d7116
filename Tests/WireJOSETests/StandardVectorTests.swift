import Testing
import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

/// The examples of the standards, letter by letter.
@Suite("Examples of the RFCs")
struct StandardVectorTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let key: String
        let token: String
    }

    static let claims = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    static let ed25519 = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#

    static let examples = [
        Example(
            testDescription: "RFC 7515, A.2: RS256",
            key: #"""
                {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
                """#,
            token: "eyJhbGciOiJSUzI1NiJ9.\(claims)."
                + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb"
                + "F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383"
                + "LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy"
                + "wlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        ),
        Example(
            testDescription: "RFC 7515, A.3: ES256",
            key: #"""
                {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                 "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """#,
            token: "eyJhbGciOiJFUzI1NiJ9.\(claims)."
                + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
        Example(
            testDescription: "RFC 8037, A.4: EdDSA",
            key: ed25519,
            token: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        ),
    ]

    @Test("a signature verifies, and not after any change", arguments: examples)
    func signature(example: Example) throws {
        let keys = try JSONWebKeySet(text: #"{"keys":[\#(example.key)]}"#)
        let message = try SignedMessage(parsing: Array(example.token.utf8))
        #expect(try message.signer(among: keys, with: Forge.signatures) == keys.keys[0])
        var other = Array(example.token.utf8)
        other[other.count - 20] = other[other.count - 20] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let spoilt = try SignedMessage(parsing: other)
        let failure = #expect(throws: JOSEFailure.self) { try spoilt.signer(among: keys, with: Forge.signatures) }
        #expect(failure?.kind == .wrongSignature)
    }

    @Test("Ed25519 signs as in RFC 8037, A.4, with the key of A.1")
    func ed25519Signature() throws {
        // PKCS #8 is 16 bytes that are always the same, and the 32 of the key.
        let prefix = try #require(Hexadecimal.bytes(of: "302e020100300506032b657004220420"))
        let secret = try #require(Base64URL.bytes(of: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
        let key = try Forge.signatures.key(of: Secret(prefix + secret), for: .eddsa)
        let keys = try JSONWebKeySet(text: #"{"keys":[\#(Self.ed25519)]}"#)
        #expect(key.publicKey == keys.keys[0].key)
        let example = Self.examples[2].token
        let signed = example[..<(try #require(example.lastIndex(of: ".")))]
        let signature = try Forge.signatures.sign(Array(signed.utf8), with: key)
        #expect("\(signed).\(Base64URL.text(of: signature))" == example)
    }

    @Test(
        "thumbprints equal RFC 7638, 3.1, and RFC 8037, A.3",
        arguments: [
            (
                #"""
                {"e":"AQAB","kty":"RSA","alg":"RS256","kid":"2011-04-29","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}
                """#,
                "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
            ), (ed25519, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
        ]
    )
    func thumbprint(key: String, expected: String) throws {
        let keys = try JSONWebKeySet(text: #"{"keys":[\#(key)]}"#)
        #expect(try keys.keys.first?.key.thumbprint(with: Forge.signatures) == expected)
    }

    @Test("at_hash equals OpenID Connect Core, appendix A.3")
    func accessTokenHash() throws {
        let hash = try SignatureAlgorithm.rs256.leftHalfHash(
            of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y",
            with: Forge.signatures
        )
        #expect(hash == "77QmUPtjPfzWtF2AnpK9RQ")
    }
}
