import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireJOSE
import WireSecrets

@Suite("Identification of senders of Web Push (VAPID)")
struct VAPIDTests {
    static let peer = Repository.root.appendingPathComponent("Tests/WireJOSETests/Peers/vapid.py").path
    static let hasPeer = ScriptedServer.hasModules("py_vapid")

    static let service = Origin(isSecure: true, host: "push.example", port: nil)
    static let now: Int64 = 1_772_323_200_000

    static func header(
        for service: Origin = service,
        subject: String? = "mailto:a@b.example",
        until expiry: Int64 = now + 3_600_000
    ) throws -> String {
        let key = try Forge.key(.es256)
        return try VAPID.header(for: service, subject: subject, until: expiry, by: key, with: Forge.signatures).reveal()
    }

    static func verify(_ header: String, by key: [UInt8]? = nil) throws(Fault) -> VAPID {
        try VAPID(verifying: header, for: service, by: key, now: now, with: Forge.signatures)
    }

    /// Why a header is refused; nil where it is not.
    static func failure(of header: String, by key: [UInt8]? = nil) -> String? {
        do throws(Fault) {
            _ = try verify(header, by: key)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("a sender proves its key")
    func proof() throws {
        let point = try Forge.key(.es256).publicKey.point
        let vapid = try Self.verify(Self.header(), by: point)
        #expect(vapid.publicKey == point)
        #expect(vapid.subject == "mailto:a@b.example")
        #expect(try Self.verify(Self.header(subject: nil)).subject == nil)
        #expect(try Self.verify(Self.header(subject: "https://b.example")).subject == "https://b.example")
        let header = try Self.header()
        let parts = header.dropFirst("vapid ".count).split(separator: ", ")
        for other in ["Vapid \(parts[1]),\(parts[0])", "VAPID  \(parts[0]) ,\t\(parts[1])", header + ", x=y"] {
            #expect(try Self.verify(other).publicKey == point)
        }
    }

    @Test("the claims must be for the push service, and for at most a day")
    func claims() throws {
        let day = VAPID.longestLifetime
        let other = Origin(isSecure: true, host: "push.example", port: 8_443)
        #expect(Self.failure(of: try Self.header(for: other)) == "the token is for another push service")
        #expect(Self.failure(of: try Self.header(until: Self.now)) == "the token has expired")
        #expect(Self.failure(of: try Self.header(until: Self.now + 1_000)) == nil)
        #expect(Self.failure(of: try Self.header(until: Self.now + day)) == nil)
        #expect(
            Self.failure(of: try Self.header(until: Self.now + day + 1_000))
                == "the token expires in more than 24 hours"
        )
        #expect(
            Self.failure(of: try Self.header(subject: "http://b.example")) == "'sub' is not a URL of mailto or https"
        )
        let point = Base64URL.text(of: try #require(try Forge.key(.es256).publicKey.point))
        for (payload, reason) in [
            (#"{"aud":"https://push.example"}"#, "'exp' is missing or not a number"),
            (#"{"aud":"https://push.example","exp":"x"}"#, "'exp' is missing or not a number"),
            (#"{"exp":1772323300}"#, "the token is for another push service"),
            (#"{"aud":"https://push.example","exp":1772323300,"sub":1}"#, "'sub' is not a URL of mailto or https"),
        ] {
            let token = try Forge.token(payload: payload)
            #expect(Self.failure(of: "vapid t=\(token), k=\(point)") == reason)
        }
    }

    @Test("the signature must be that of the key, and the key that of the subscription")
    func keys() throws {
        let header = try Self.header()
        let other = try Forge.signatures.makeKey(for: .es256).publicKey.point
        #expect(Self.failure(of: header, by: other) == "the subscription is for another sender")
        let token = header.dropFirst("vapid t=".count).prefix { $0 != "," }
        let point = Base64URL.text(of: try #require(other))
        #expect(Self.failure(of: "vapid t=\(token), k=\(point)") == "the signature does not match")
        // A key of another kind signs no token of VAPID, whatever the token says.
        let own = Base64URL.text(of: try #require(try Forge.key(.es256).publicKey.point))
        for algorithm in [SignatureAlgorithm.es384, .rs256, .eddsa] {
            let token = try Forge.token(header: #"{"alg":"\#(algorithm.rawValue)"}"#, by: algorithm)
            #expect(Self.failure(of: "vapid t=\(token), k=\(own)") == "none of the 1 keys can have signed the token")
            let key = try Forge.key(algorithm)
            #expect(throws: Fault("the key cannot be used with VAPID: expected one of ES256")) {
                try VAPID.header(for: Self.service, subject: nil, until: 0, by: key, with: Forge.signatures)
            }
        }
    }

    @Test("a header of another form is refused")
    func forms() throws {
        let header = try Self.header()
        let (token, point) = (
            header.split(separator: ", ")[0].dropFirst(8), header.split(separator: ", ")[1].dropFirst(2)
        )
        let stray = Base64URL.text(of: [4] + [UInt8](repeating: 1, count: 64))
        for other in [
            "", "vapid", "vapid ", "vapid t", "vapid t=", "vapid =", "vapid ,", "Bearer \(token)", "vapid \(token)",
            "vapid t=\(token)", "vapid k=\(point)", "vapid t=\(token), k=", "vapid t=\(token), k=\(point)=",
            "vapid t=\(token), k=\(point), k=\(point)", "vapid t=\(token), t=\(token), k=\(point)",
            "vapid t=\(token), k=\(point.dropLast())", "vapid t=\(token), k=\(stray)", "vapid t=x, k=\(point)",
            "vapid t=\(token)x, k=\(point)", "vapid t=\"\(token)\", k=\"\(point)\"",
        ] {
            let reason = try #require(Self.failure(of: other), "\(other)")
            #expect(!reason.contains(token.suffix(20)) && !reason.contains(point.suffix(20)))
        }
    }

    @Test("headers of py-vapid verify, and py-vapid verifies those of this code", .enabled(if: hasPeer, "no py-vapid"))
    func peers() throws {
        let signing = try Program.run(
            ScriptedServer.python,
            [Self.peer, "sign", "\(Self.service)", "\(Self.now / 1_000 + 60)"]
        )
        try #require(signing.status == 0, "\(signing.errors)")
        let theirs = signing.output.split(separator: "\n").joined()
        #expect(try Self.verify(theirs).subject == "mailto:sender@example.org")
        // The peer reads a list without spaces only.
        let ours = try Self.header().split(separator: ", ").joined(separator: ",")
        let checking = try Program.run(ScriptedServer.python, [Self.peer, "check", ours])
        try #require(checking.status == 0, "\(checking.errors)")
        let claims = try JSONValue(parsing: Array(checking.output.utf8), named: "claims")
        #expect(claims["aud"]?.string == "https://push.example")
        #expect(claims["exp"]?.integer == 1_772_326_800)
        #expect(claims["sub"]?.string == "mailto:a@b.example")
        let changed = try Program.run(
            ScriptedServer.python,
            [Self.peer, "check", ours.replacing(",k=B", with: "A,k=B")]
        )
        #expect(changed.status != 0, "the peer checks the signature")
    }
}
