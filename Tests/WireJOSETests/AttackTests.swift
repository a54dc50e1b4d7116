import Testing
import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

/// What RFC 8725 warns of, and what broke libraries, one attack a line.
@Suite("Attacks on JWTs")
struct AttackTests {
    /// A header that breaks one rule, and what it is refused as; every token is signed well.
    static let headers: [(header: String, kind: JOSEFailure.Kind)] = [
        (#"{"alg":"none","kid":"one"}"#, .unsupported),
        (#"{"alg":"None","kid":"one"}"#, .unsupported),
        (#"{"alg":"nOnE","kid":"one"}"#, .unsupported),
        (#"{"alg":"","kid":"one"}"#, .unsupported),
        (#"{"alg":"HS256","kid":"one"}"#, .unsupported),
        (#"{"alg":"HS512","kid":"one"}"#, .unsupported),
        (#"{"alg":"es256","kid":"one"}"#, .unsupported),
        (#"{"alg":"ES256 ","kid":"one"}"#, .unsupported),
        (#"{"alg":"ES256K","kid":"one"}"#, .unsupported),
        (#"{"alg":"Ed448","kid":"one"}"#, .unsupported),
        (#"{"alg":"RSA-OAEP","enc":"A256GCM","kid":"one"}"#, .unsupported),
        (#"{"alg":"PBES2-HS256+A128KW","p2c":2147483647,"kid":"one"}"#, .unsupported),
        (#"{"alg":"dir","enc":"A128GCM","kid":"one"}"#, .unsupported),
        (#"{"alg":null,"kid":"one"}"#, .malformed),
        (#"{"alg":["ES256"],"kid":"one"}"#, .malformed),
        (#"{"alg":256,"kid":"one"}"#, .malformed),
        (#"{"kid":"one"}"#, .malformed),
        (#"{}"#, .malformed),
        (#"[]"#, .malformed),
        (#"null"#, .malformed),
        (#""ES256""#, .malformed),
        (#""#, .malformed),
        (#"   "#, .malformed),
        (#"{"alg":"ES256","alg":"ES256","kid":"one"}"#, .malformed),
        (#"{"alg":"none","alg":"ES256","kid":"one"}"#, .malformed),
        (#"{"alg":"ES256","\u0061lg":"none","kid":"one"}"#, .malformed),
        (#"{"alg":"ES256","kid":"one","x":{"y":1,"y":2}}"#, .malformed),
        (#"{"alg":"ES256","kid":"one"}{}"#, .malformed),
        (#"{"alg":"ES256","kid":"one"} x"#, .malformed),
        (#"{"alg":"ES256","kid":"one",}"#, .malformed),
        (#"{"alg":"ES256","kid":"one"/**/}"#, .malformed),
        (#"{'alg':'ES256','kid':'one'}"#, .malformed),
        (#"{alg: ES256, kid: one}"#, .malformed),
        (#"{"alg":"ES256","kid":"one""#, .malformed),
        ("\u{feff}" + #"{"alg":"ES256","kid":"one"}"#, .malformed),
        (#"{"alg":"ES256","kid":1}"#, .malformed),
        (#"{"alg":"ES256","kid":["one"]}"#, .malformed),
        (#"{"alg":"ES256","kid":null}"#, .malformed),
        (#"{"alg":"ES256","kid":"one","typ":1}"#, .malformed),
        (#"{"alg":"ES256","kid":"one","crit":["exp"],"exp":1}"#, .unsupported),
        (#"{"alg":"ES256","kid":"one","crit":[]}"#, .unsupported),
        (#"{"alg":"ES256","kid":"one","crit":null}"#, .unsupported),
        (#"{"alg":"ES256","kid":"one","b64":false}"#, .unsupported),
        (#"{"alg":"ES256","kid":"one","b64":true}"#, .unsupported),
        (#"{"alg":"ES256","kid":"one","b64":false,"crit":["b64"]}"#, .unsupported),
        (#"{"alg":"ES256","kid":"one","zip":"DEF"}"#, .unsupported),
        (#"{"alg":"ES256","kid":"one","enc":"A256GCM"}"#, .unsupported),
        (#"{"alg":"ES256","kid":"two"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":""}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"ONE"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"one\u0000"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"../../../../dev/null"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"one' OR '1'='1"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"https://evil.example/key"}"#, .unknownKey),
        (#"{"alg":"ES384","kid":"one"}"#, .unknownKey),
        (#"{"alg":"RS256","kid":"one"}"#, .unknownKey),
        (#"{"alg":"PS256","kid":"one"}"#, .unknownKey),
        (#"{"alg":"EdDSA","kid":"one"}"#, .unknownKey),
    ]

    @Test("a header that violates a rule is rejected, whatever its signature", arguments: headers)
    func header(header: String, kind: JOSEFailure.Kind) throws {
        #expect(Forge.failure(of: try Forge.token(header: header), by: try Forge.keySet()) == kind)
    }

    @Test(
        "a header may have white space and unknown members",
        arguments: [
            #"{"alg":"ES256","kid":"one"}"#, #" { "alg" : "ES256" , "kid" : "one" } "#, "{\"alg\":\n\t\"ES256\"}",
            #"{"alg":"ES256","x":{"y":[1,2]}}"#, #"{"\u0061lg":"ES256"}"#,
        ]
    )
    func goodHeader(header: String) throws {
        #expect(Forge.failure(of: try Forge.token(header: header), by: try Forge.keySet()) == nil)
    }

    @Test("a key inside a token, or referenced by it, is never used", arguments: ["jwk", "jku", "x5u", "x5c"])
    func embeddedKey(name: String) throws {
        let attacker = try Forge.signatures.makeKey(for: .es256)
        let brought: JSONValue =
            name == "jwk" ? JSONWebKey(attacker.publicKey, id: "one").json : .string("https://evil.example/keys")
        let header = JSONValue.object([("alg", .string("ES256")), ("kid", .string("one")), (name, brought)]).text()
        let signed = [header, #"{"iss":"me"}"#].map { Base64URL.text(of: Array($0.utf8)) }.joined(separator: ".")
        let signature = try Forge.signatures.sign(Array(signed.utf8), with: attacker)
        let token = "\(signed).\(Base64URL.text(of: signature))"
        #expect(Forge.failure(of: token, by: try Forge.keySet()) == .wrongSignature)
        // Signed by the right key, the same header does no harm.
        #expect(Forge.failure(of: try Forge.token(header: header), by: try Forge.keySet()) == nil)
    }

    @Test(
        "claims are one JSON object without duplicate names",
        arguments: [
            "", "[]", "1", "null", #""claims""#, "foo", #"{"iss":"me","iss":"you"}"#, #"{"a":{"b":1,"b":1}}"#,
            #"{"iss":"me"}{}"#, #"{"iss":"me""#, #"{"iss":"me",}"#, #"{"exp":01}"#, #"{"exp":NaN}"#,
            #"{"exp":Infinity}"#, #"{"exp":0x10}"#, #"{"exp":+1}"#, "{\"a\":\"\u{1}\"}", #"{"a":"\ud800"}"#,
            String(repeating: "[", count: 5_000),
            #"{"a":"# + String(repeating: "[", count: 17)
                + String(repeating: "]", count: 17) + "}",
        ]
    )
    func payload(payload: String) throws {
        #expect(Forge.failure(of: try Forge.token(payload: payload), by: try Forge.keySet()) == .malformed)
    }

    @Test("invalid UTF-8 is rejected, in header and claims")
    func notUTF8() throws {
        let (header, payload) = (Array(#"{"alg":"ES256"}"#.utf8), Array(#"{"iss":"me"}"#.utf8))
        for bytes in [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]] as [[UInt8]] {
            let text = Array(#"{"alg":"ES256","x":""#.utf8) + bytes + Array(#""}"#.utf8)
            for token in [
                try Forge.token(header: text, payload: payload, by: .es256),
                try Forge.token(header: header, payload: text, by: .es256),
            ] {
                #expect(Forge.failure(of: token, by: try Forge.keySet()) == .malformed)
            }
        }
        let utf16 = Array("{}".utf16).flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let token = try Forge.token(header: header, payload: utf16, by: .es256)
        #expect(Forge.failure(of: token, by: try Forge.keySet()) == .malformed)
    }

    @Test("a token is exactly three parts of base64url")
    func shape() throws {
        let token = try Forge.token()
        let parts = token.split(separator: ".").map(String.init)
        let spoilt: [(String, JOSEFailure.Kind)] = [
            ("", .malformed), (".", .malformed), ("..", .malformed), ("...", .malformed), ("....", .unsupported),
            (parts[0], .malformed),
            ("\(parts[0]).\(parts[1])", .malformed),
            ("\(parts[0]).\(parts[1]).", .malformed),
            ("\(parts[0])..\(parts[2])", .malformed),
            (".\(parts[1]).\(parts[2])", .malformed),
            ("\(token).", .malformed), (".\(token)", .malformed),
            ("\(token).\(parts[1])", .malformed),
            ("\(token).\(parts[1]).\(parts[2])", .unsupported),
            ("\(token)=", .malformed), ("\(token)==", .malformed),
            ("\(parts[0])=.\(parts[1]).\(parts[2])", .malformed),
            (" \(token)", .malformed), ("\(token) ", .malformed), ("\(token)\n", .malformed),
            ("\(parts[0]).\n\(parts[1]).\(parts[2])", .malformed),
            ("\(parts[0]) .\(parts[1]).\(parts[2])", .malformed),
            ("\(parts[0])!.\(parts[1]).\(parts[2])", .malformed),
            ("\(token)\u{0}", .malformed), ("\(token)é", .malformed),
            (#"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#, .malformed),
        ]
        for (text, kind) in spoilt { #expect(Forge.failure(of: text, by: try Forge.keySet()) == kind, "\(text)") }
    }

    @Test("unused bits must be zero")
    func spareBits() throws {
        // 64 bytes of signature end in a letter with four spare bits.
        let token = try Forge.token()
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(token.last.flatMap(letters.firstIndex(of:)))
        #expect(last % 16 == 0)
        for spare in 1..<16 {
            let other = token.dropLast() + String(letters[last + spare])
            #expect(Forge.failure(of: String(other), by: try Forge.keySet()) == .malformed)
        }
    }

    @Test("a token over the limit is rejected before it is parsed")
    func oversized() throws {
        let kid = String(repeating: "k", count: 16 << 10)
        let token = try Forge.token(header: #"{"alg":"ES256","kid":"\#(kid)"}"#)
        let failure = #expect(throws: JOSEFailure.self) { try SignedToken(parsing: token) }
        #expect(failure?.kind == .malformed)
        #expect(failure?.reason == "found a token of \(token.utf8.count) bytes, expected 16KiB at most")
        let short = try Forge.token()
        #expect(throws: JOSEFailure.self) { try SignedToken(parsing: short, upTo: .bytes(short.utf8.count - 1)) }
        #expect(throws: Never.self) { try SignedToken(parsing: short, upTo: .bytes(short.utf8.count)) }
    }

    @Test("an ECDSA signature is two numbers of the curve's size, not DER, not zero, not too large")
    func ellipticSignatures() throws {
        let token = try Forge.token()
        let signed = token[..<(try #require(token.lastIndex(of: ".")))]
        let raw = try #require(Base64URL.bytes(of: String(token[signed.endIndex...].dropFirst())))
        let (r, s, zero) = (Array(raw[..<32]), Array(raw[32...]), [UInt8](repeating: 0, count: 32))
        let order = try #require(
            Hexadecimal.bytes(of: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        )
        let one = Array(zero.dropLast()) + [1]
        let der = Self.der(r, s)
        let forgeries: [[UInt8]] = [
            der, zero + zero, r + zero, zero + s, order + s, r + order, one + one, order + order, raw + [0], [0] + raw,
            Array(raw.dropLast()), Array(raw.dropFirst()), r, raw + raw, s + r, [0] + r + [0] + s,
            [UInt8](repeating: 0xff, count: 64),
        ]
        for signature in forgeries {
            let forged = "\(signed).\(Base64URL.text(of: signature))"
            #expect(Forge.failure(of: forged, by: try Forge.keySet()) == .wrongSignature)
        }
        #expect(Forge.failure(of: token, by: try Forge.keySet()) == nil)
    }

    /// As other protocols write a signature.
    static func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        let numbers = [r, s].flatMap { number in
            let padded = (number.first ?? 0) >= 0x80 ? [0] + number : number
            return [0x02, UInt8(padded.count)] + padded
        }
        return (numbers.count < 0x80 ? [0x30] : [0x30, 0x81]) + [UInt8(numbers.count)] + numbers
    }

    @Test("a public key is never used as a symmetric secret", arguments: ["HS256", "HS384", "HS512"])
    func symmetryConfusion(name: String) throws {
        let token = try Forge.token(header: #"{"alg":"\#(name)","kid":"one"}"#)
        for algorithm in SignatureAlgorithm.allCases {
            #expect(Forge.failure(of: token, by: try Forge.keySet(algorithm)) == .unsupported)
        }
    }

    @Test("an error contains nothing of the token")
    func quietFailures() throws {
        let canary = "canary-4711"
        for token in [
            try Forge.token(header: #"{"alg":"\#(canary)"}"#),
            try Forge.token(header: #"{"alg":"ES256","kid":"\#(canary)"}"#),
            try Forge.token(header: #"{"\#(canary)":1,"\#(canary)":2}"#),
            try Forge.token(payload: #"{"a":"\#(canary)" x}"#),
            try Forge.token(payload: canary), "\(canary).\(canary).\(canary)",
        ] {
            let keys = try Forge.keySet()
            let failure = #expect(throws: JOSEFailure.self) {
                try SignedToken(parsing: token).verified(by: keys, with: Forge.signatures)
            }
            #expect(failure.map { !"\($0)".contains(canary) && !$0.reason.isEmpty } ?? false)
        }
    }
}
