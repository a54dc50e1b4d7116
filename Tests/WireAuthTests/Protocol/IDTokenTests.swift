import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireJOSE
import WireSecrets
import WireService

@testable import WireAuth

@Suite("ID tokens", .timeLimit(.minutes(1)))
struct IDTokenTests {
    /// A rule, and a token that breaks it or keeps it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var kind: SignInFailure.Kind?
        var settings: @Sendable (inout ServerSettings) -> Void = { _ in }
        var without: [String] = []
        let changes: @Sendable (Int) -> [(key: String, value: JSONValue)]

        init(
            _ name: String,
            _ kind: SignInFailure.Kind?,
            without: [String] = [],
            settings: @escaping @Sendable (inout ServerSettings) -> Void = { _ in },
            _ changes: @escaping @Sendable (Int) -> [(key: String, value: JSONValue)]
        ) {
            testDescription = name
            self.kind = kind
            self.without = without
            self.settings = settings
            self.changes = changes
        }
    }

    static let texts: @Sendable ([String]) -> JSONValue = { .array($0.map(JSONValue.string)) }

    static let cases: [Case] = [
        Case("a token that keeps every rule is believed", nil) { _ in [] },
        Case("another issuer", .wrongIssuer) { _ in [("iss", .string("https://evil.example.com"))] },
        Case("no issuer", .wrongIssuer, without: ["iss"]) { _ in [] },
        Case("no subject", .wrongToken, without: ["sub"]) { _ in [] },
        Case("an empty subject", .wrongToken) { _ in [("sub", .string(""))] },
        Case("a subject of 256 characters", .wrongToken) { _ in [("sub", .string(String(repeating: "s", count: 256)))]
        },
        Case("a subject of 255 characters is believed", nil) { _ in
            [("sub", .string(String(repeating: "s", count: 255)))]
        },
        Case("a subject that is a number", .wrongToken) { _ in [("sub", .integer(1))] },
        Case("no audience", .wrongToken, without: ["aud"]) { _ in [] },
        Case("another audience", .wrongToken) { _ in [("aud", .string("other"))] },
        Case("an audience within a list is believed", nil) { _ in [("aud", texts(["tasks"]))] },
        Case("a second audience nobody knows", .wrongToken) { _ in [("aud", texts(["tasks", "other"]))] },
        Case("a second audience the file names is believed", nil, settings: { $0.audience = "https://api.example.com" })
        {
            _ in [("aud", texts(["tasks", "https://api.example.com"]))]
        },
        Case("an audience within an object", .wrongToken) { _ in [("aud", .array([.array([.string("tasks")])]))] },
        Case("another authorized party", .wrongToken) { _ in [("azp", .string("other"))] },
        Case("an authorized party that is no text", .wrongToken) { _ in [("azp", .integer(1))] },
        Case("an authorized party that is a list with this client", .wrongToken) { _ in [("azp", texts(["tasks"]))] },
        Case("an authorized party that is this client is believed", nil) { _ in [("azp", .string("tasks"))] },
        Case("no end", .wrongToken, without: ["exp"]) { _ in [] },
        Case("over for longer than the leeway", .wrongToken) { now in [("exp", .integer(now - 61))] },
        Case("over since the leeway, to the second", .wrongToken) { now in [("exp", .integer(now - 60))] },
        Case("over for less than the leeway is believed", nil) { now in [("exp", .integer(now - 59))] },
        Case("an end that is text", .wrongToken) { now in [("exp", .string("\(now + 300)"))] },
        Case("an end before 1970", .wrongToken) { _ in [("exp", .integer(-1))] },
        Case("an end too far to be counted", .wrongToken) { _ in [("exp", .number(1e300))] },
        Case("an end with a fraction is believed", nil) { now in [("exp", .number(Double(now) + 300.5))] },
        Case("no beginning", .wrongToken, without: ["iat"]) { _ in [] },
        Case("made in the future, past the leeway", .wrongClock) { now in [("iat", .integer(now + 61))] },
        Case("made in the future within the leeway is believed", nil) { now in [("iat", .integer(now + 60))] },
        Case("made longer ago than a day and the leeway", .wrongClock) { now in [("iat", .integer(now - 86_461))] },
        Case("made a day and the leeway ago is believed", nil) { now in [("iat", .integer(now - 86_460))] },
        Case("not good yet, past the leeway", .wrongToken) { now in [("nbf", .integer(now + 61))] },
        Case("good from within the leeway on is believed", nil) { now in [("nbf", .integer(now + 60))] },
        Case("a begin that is text", .wrongToken) { _ in [("nbf", .string("0"))] },
        Case("no nonce", .wrongToken, without: ["nonce"]) { _ in [] },
        Case("another nonce", .wrongToken) { _ in [("nonce", .string("other"))] },
        Case("a nonce that is a number", .wrongToken) { _ in [("nonce", .integer(1))] },
        Case("an access token's hash of another token", .wrongToken) { _ in
            [("at_hash", .string("AAAAAAAAAAAAAAAAAAAAAA"))]
        },
        Case("a logout token's event", .wrongToken) { _ in [("events", .object([]))] },
        Case("Keycloak's access token", .wrongToken) { _ in [("typ", .string("Bearer"))] },
        Case("Keycloak's ID token is believed", nil) { _ in [("typ", .string("ID"))] },
        Case(
            "no time of signing in where max_age was asked for",
            .wrongToken,
            without: ["auth_time"],
            settings: {
                $0.parameters = [("max_age", "100")]
            }
        ) { _ in [] },
        Case("signed in longer ago than max_age", .wrongToken, settings: { $0.parameters = [("max_age", "100")] }) {
            now in
            [("auth_time", .integer(now - 161))]
        },
        Case("signed in within max_age is believed", nil, settings: { $0.parameters = [("max_age", "100")] }) { now in
            [("auth_time", .integer(now - 160))]
        },
        Case("a time of signing in that is text", .wrongToken) { _ in [("auth_time", .string("now"))] },
        Case(
            "none of the classes asked for",
            .wrongToken,
            settings: { $0.parameters = [("acr_values", "gold silver")] }
        ) {
            _ in [("acr", .string("0"))]
        },
        Case(
            "one of the classes asked for is believed",
            nil,
            settings: { $0.parameters = [("acr_values", "gold silver")] }
        ) {
            _ in [("acr", .string("silver"))]
        },
        Case(
            "another organization",
            .wrongToken,
            settings: {
                $0.dialect = .auth0
                $0.parameters = [("organization", "org_1")]
            }
        ) { _ in [("org_id", .string("org_2"))] },
        Case(
            "the organization asked for is believed",
            nil,
            settings: {
                $0.dialect = .auth0
                $0.parameters = [("organization", "Acme")]
            }
        ) { _ in [("org_name", .string("acme"))] },
    ]

    @Test("an ID token is accepted only if every claim is valid", arguments: cases)
    func claims(example: Case) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer, example.settings)
        // To a whole second, so that claims can be at a limit exactly.
        visitor.clock.pass(.milliseconds(1))
        let failure = await failure {
            let grant = try await visitor.signIn { nonce in
                visitor.claims(example.changes(visitor.now), nonce: nonce).without(example.without)
            }
            #expect(grant.user?.issuer == issuer.issuer)
            #expect(grant.user?.claims["name"]?.string == "Ada")
        }
        #expect(failure?.kind == example.kind)
        #expect(failure?.endsSession != true)
        await issuer.stop()
    }

    @Test(
        "every supported algorithm is accepted, with the matching at_hash",
        arguments: SignatureAlgorithm.allCases
    )
    func algorithms(algorithm: SignatureAlgorithm) async throws {
        let issuer = try ScriptedIssuer.start(key: .init("one", algorithm))
        let visitor = try Visitor(issuer)
        let hash = try algorithm.leftHalfHash(of: "access-canary", with: ScriptedIssuer.Key.signatures)
        let grant = try await visitor.signIn { visitor.claims([("at_hash", .string(hash))], nonce: $0) }
        #expect(grant.user?.subject == "user-1")
        await issuer.stop()
    }

    @Test("an issuer that differs by a slash or in case is rejected")
    func almostIssuer() async throws {
        let issuer = try ScriptedIssuer.start()
        for name in [issuer.issuer + "/", issuer.issuer.uppercased()] {
            let visitor = try Visitor(issuer)
            let failure = await failure {
                _ = try await visitor.signIn { visitor.claims([("iss", .string(name))], nonce: $0) }
            }
            #expect(failure?.kind == .wrongIssuer, "\(name)")
        }
        await issuer.stop()
    }

    @Test("an algorithm that the server does not announce is rejected")
    func unannounced() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.publish([("id_token_signing_alg_values_supported", .array([.string("RS256"), .string("none")]))])
        let visitor = try Visitor(issuer)
        #expect(await failure { _ = try await visitor.signIn() }?.kind == .wrongToken)
        await issuer.stop()
    }

    @Test(
        "a token of another type, unsigned, or wrongly signed is rejected",
        arguments: [
            "at+jwt", "logout+jwt", "secevent+jwt", "dpop+jwt", "none", "other key", "cut", "changed", "encrypted",
            "missing",
            "number", "huge",
        ]
    )
    func forged(way: String) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        let claims = visitor.claims(nonce: pending.nonce)
        let right = issuer.sign(claims)
        let parts = right.split(separator: ".").map(String.init)
        let header = Base64URL.text(of: Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        let token: JSONValue? =
            switch way {
            case "none": .string("\(header).\(parts[1]).")
            case "other key": .string(issuer.sign(claims, by: try .init("one")))
            case "cut": .string(String(right.dropLast(4)))
            case "changed":
                .string(
                    "\(parts[0]).\(Base64URL.text(of: Array(claims.merging([("sub", .string("b"))]).text().utf8))).\(parts[2])"
                )
            case "encrypted": .string(right + ".a.b")
            case "missing": nil
            case "number": .integer(7)
            case "huge": .string(issuer.sign(claims.merging([("pad", .string(String(repeating: "a", count: 70_000)))])))
            default: .string(issuer.sign(claims, type: way))
            }
        issuer.say("token", json: ScriptedIssuer.tokens.merging(token.map { [("id_token", $0)] } ?? []))
        let failure = await failure { _ = try await server.finish(pending, callback: Visitor.callback(pending)) }
        #expect(failure?.kind == (["number", "huge"].contains(way) ? .wrongAnswer : .wrongToken))
        #expect(failure?.endsSession == false)
        await issuer.stop()
    }
}

extension JSONValue {
    func without(_ names: [String]) -> JSONValue {
        .object((members ?? []).filter { !names.contains($0.key) })
    }
}
