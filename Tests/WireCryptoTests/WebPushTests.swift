import Support
import Testing
import WireBase
import WireCrypto
import WireSecrets

@Suite("Web Push encryption")
struct WebPushTests {
    static let crypto: any WebPushCrypto = OpenSSLSecrecy()

    static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.bytes(of: text)) }

    /// The subscription of RFC 8291, appendix A.
    static func keys() throws -> WebPushKeys {
        WebPushKeys(
            privateKey: Secret(try bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")),
            publicKey: try bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
            ),
            auth: Secret(try bytes("BTBZMqHH6r4Tts7J_aSIgg"))
        )
    }

    /// The message of RFC 8291, appendix A: 86 bytes of header, 41 of text, 17 of delimiter and tag.
    static func body() throws -> [UInt8] {
        try bytes(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
                + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
    }

    static let text = Array("When I grow up, I want to be a watermelon".utf8)

    /// Why a message is not decrypted; nil where it is.
    static func failure(of body: [UInt8], with keys: WebPushKeys) -> String? {
        do throws(Fault) {
            _ = try crypto.decrypt(body, with: keys)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("the example of RFC 8291 is decrypted")
    func example() throws {
        #expect(try Self.crypto.decrypt(try Self.body(), with: try Self.keys()) == Self.text)
    }

    @Test(
        "an encrypted message is decrypted, and differs each time",
        arguments: [0, 1, 15, 16, 17, 3_993, 4_079, 4_080, 65_536 - 103]
    )
    func roundTrip(count: Int) throws {
        let keys = try Self.crypto.newKeys()
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let body = try Self.crypto.encrypt(message, for: keys.publicKey, auth: keys.auth.reveal())
        #expect(body.count == count + 103)
        #expect(try Self.crypto.encrypt(message, for: keys.publicKey, auth: keys.auth.reveal()) != body)
        #expect(try Self.crypto.decrypt(body, with: keys) == message)
    }

    @Test("a message that is too long is refused")
    func tooLong() throws {
        let keys = try Self.keys()
        let message = [UInt8](repeating: 0, count: 65_536 - 102)
        #expect(throws: Fault("found a message of 65434 bytes, expected 65433 at most")) {
            try Self.crypto.encrypt(message, for: keys.publicKey, auth: keys.auth.reveal())
        }
        let body = try Self.body() + [UInt8](repeating: 0, count: 65_536)
        #expect(Self.failure(of: body, with: keys) == "found a message of 65680 bytes, expected 64KiB at most")
    }

    @Test("a message that is cut off anywhere is refused")
    func truncation() throws {
        let (keys, body) = (try Self.keys(), try Self.body())
        for count in 0..<body.count {
            let reason = Self.failure(of: Array(body.prefix(count)), with: keys)
            let expected =
                count < 103
                ? "found a message of \(count) bytes, expected 103 at least"
                : "the message was not encrypted for this subscription, or it was changed"
            #expect(reason == expected)
        }
    }

    @Test("a changed bit anywhere is refused, or is that of a larger record")
    func changes() throws {
        let (keys, body) = (try Self.keys(), try Self.body())
        for bit in 0..<(body.count * 8) {
            var changed = body
            changed[bit / 8] ^= 1 << (bit % 8)
            let size = changed[16..<20].reduce(0) { $0 << 8 | Int($1) }
            if (16..<20).contains(bit / 8), size >= body.count - 86 {
                #expect(try Self.crypto.decrypt(changed, with: keys) == Self.text)
            } else {
                #expect(throws: Fault.self, "bit \(bit)") { try Self.crypto.decrypt(changed, with: keys) }
            }
        }
    }

    @Test("a record size is refused below 18 bytes, and has no upper limit", arguments: Array(0...20) + [1 << 32 - 1])
    func recordSize(size: Int) throws {
        var body = try Self.body()
        body.replaceSubrange(16..<20, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) })
        let expected: String? =
            switch size {
            case 0..<18: "found records of \(size) bytes, expected 18 at least"
            case 18...20: "the message was not encrypted for this subscription, or it was changed"
            default: nil
            }
        #expect(Self.failure(of: body, with: try Self.keys()) == expected)
    }

    @Test("a header without the sender's public key is refused", arguments: [0, 1, 33, 64, 66, 255] as [UInt8])
    func keyID(size: UInt8) throws {
        var body = try Self.body()
        body[20] = size
        #expect(
            Self.failure(of: body, with: try Self.keys())
                == "the message has no public key of its sender in the header"
        )
    }

    @Test("only an uncompressed point on the curve is a key")
    func points() throws {
        let (keys, body) = (try Self.keys(), try Self.body())
        let point = keys.publicKey
        #expect(Self.crypto.isPoint(point))
        var stray = point
        stray[64] ^= 1
        // The hybrid form of the same point, which OpenSSL reads.
        let hybrid = [6 + point[64] % 2] + Array(point.dropFirst())
        let compressed = [2 + point[64] % 2] + Array(point[1...32])
        let (zeros, ones) = ([UInt8](repeating: 0, count: 64), [UInt8](repeating: 255, count: 64))
        let others: [[UInt8]] = [
            [], [0], [4], stray, hybrid, compressed, Array(point.dropLast()), point + [0], [4] + zeros, [4] + ones,
        ]
        for other in others {
            #expect(!Self.crypto.isPoint(other), "\(other)")
            #expect(throws: Fault("the key of the subscription is not a point of P-256")) {
                try Self.crypto.encrypt(Self.text, for: other, auth: keys.auth.reveal())
            }
            let mistaken = WebPushKeys(privateKey: keys.privateKey, publicKey: other, auth: keys.auth)
            #expect(throws: Fault.self) { try Self.crypto.decrypt(body, with: mistaken) }
            guard other.count == 65 else { continue }
            let forged = Array(body[..<21]) + other + Array(body[86...])
            #expect(Self.failure(of: forged, with: keys) == "the key of the sender is not a point of P-256")
        }
    }

    @Test("a message for another subscription is refused")
    func otherKeys() throws {
        let (keys, body, other) = (try Self.keys(), try Self.body(), try Self.crypto.newKeys())
        for mistaken in [
            WebPushKeys(privateKey: keys.privateKey, publicKey: keys.publicKey, auth: other.auth),
            WebPushKeys(privateKey: other.privateKey, publicKey: keys.publicKey, auth: keys.auth),
            WebPushKeys(privateKey: keys.privateKey, publicKey: other.publicKey, auth: keys.auth), other,
        ] {
            #expect(
                Self.failure(of: body, with: mistaken)
                    == "the message was not encrypted for this subscription, or it was changed"
            )
        }
    }

    @Test("a secret of another size, or a number outside the curve's order, is refused")
    func damagedKeys() throws {
        let (keys, body) = (try Self.keys(), try Self.body())
        let number = keys.privateKey.reveal()
        for damaged in [
            [], Array(number.dropFirst()), number + [0], [UInt8](repeating: 0, count: 32),
            [UInt8](repeating: 255, count: 32),
        ] {
            let mistaken = WebPushKeys(privateKey: Secret(damaged), publicKey: keys.publicKey, auth: keys.auth)
            #expect(throws: Fault.self) { try Self.crypto.decrypt(body, with: mistaken) }
        }
        for count in [0, 15, 17] {
            let auth = [UInt8](repeating: 1, count: count)
            let mistaken = WebPushKeys(privateKey: keys.privateKey, publicKey: keys.publicKey, auth: Secret(auth))
            let fault = Fault("found an auth secret of \(count) bytes, expected 16")
            #expect(throws: fault) { try Self.crypto.decrypt(body, with: mistaken) }
            #expect(throws: fault) { try Self.crypto.encrypt(Self.text, for: keys.publicKey, auth: auth) }
        }
    }

    @Test("new keys differ, and have their full size with leading zeros")
    func newKeys() throws {
        let keys = try (0..<1_000).map { _ in try Self.crypto.newKeys() }
        #expect(keys.allSatisfy { $0.privateKey.reveal().count == 32 && $0.auth.reveal().count == 16 })
        #expect(keys.allSatisfy { Self.crypto.isPoint($0.publicKey) })
        #expect(Set(keys.map(\.publicKey)).count == 1_000)
        #expect(Set(keys.map { $0.auth.reveal() }).count == 1_000)
        #expect(keys[0] == keys[0] && keys[0] != keys[1])
    }

    @Test("a private number with leading zeros is read")
    func smallNumber() throws {
        // The generator of P-256 belongs to the number 1.
        let generator = try #require(
            Hexadecimal.bytes(
                of: "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                    + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
            )
        )
        let keys = WebPushKeys(
            privateKey: Secret([UInt8](repeating: 0, count: 31) + [1]),
            publicKey: generator,
            auth: try Self.keys().auth
        )
        let body = try Self.crypto.encrypt(Self.text, for: generator, auth: keys.auth.reveal())
        #expect(try Self.crypto.decrypt(body, with: keys) == Self.text)
    }

    @Test("the keys of a subscription do not print their secrets")
    func redaction() throws {
        let keys = try Self.keys()
        var dumped = ""
        dump(keys, to: &dumped)
        #expect(dumped.split(separator: "[redacted]").count == 3)
        #expect("\(keys)".split(separator: "[redacted]").count == 3)
    }
}
