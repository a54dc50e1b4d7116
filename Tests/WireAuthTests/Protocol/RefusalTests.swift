import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

@testable import WireAuth

@Suite("OAuth errors", .timeLimit(.minutes(1)))
struct RefusalTests {
    typealias Kind = SignInFailure.Kind

    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        /// What it means to a renewal, and to a sign-in with a password.
        let refresh: Kind
        let password: Kind

        init(_ status: Int, _ body: String, _ refresh: Kind, _ password: Kind? = nil) {
            self.status = status
            self.body = body
            self.refresh = refresh
            self.password = password ?? refresh
        }

        var testDescription: String { "\(status) \(body.prefix(110))" }
    }

    static func error(_ code: String, _ words: String? = nil) -> String {
        JSONValue.members(["error": .string(code), "error_description": words.map(JSONValue.string)]).text()
    }

    static let cases: [Case] = [
        Case(400, error("invalid_grant"), .sessionExpired, .invalidCredentials),
        Case(400, error("invalid_client"), .invalidClient), Case(401, error("invalid_client"), .invalidClient),
        Case(400, error("invalid_request"), .invalidRequest),
        Case(400, error("unauthorized_client"), .unauthorizedClient),
        Case(400, error("unsupported_grant_type"), .unsupportedGrantType),
        Case(400, error("invalid_scope"), .invalidScope), Case(400, error("invalid_target"), .invalidTarget),
        Case(400, error("access_denied"), .accessDenied), Case(400, error("login_required"), .loginRequired),
        Case(400, error("interaction_required"), .interactionRequired),
        Case(400, error("consent_required"), .consentRequired), Case(400, error("server_error"), .serverError),
        Case(400, error("temporarily_unavailable"), .temporarilyUnavailable),
        Case(400, error("invalid_token"), .sessionExpired, .invalidToken),
        // Auth0.
        Case(401, error("unauthorized", "user is blocked"), .blocked),
        Case(403, error("unauthorized", "User is Blocked."), .blocked),
        Case(401, #"{"code":"unauthorized","description":"user is blocked"}"#, .blocked),
        Case(401, error("unauthorized", "you may not"), .accessDenied),
        Case(403, error("invalid_grant", "Wrong email or password."), .invalidCredentials),
        Case(403, error("invalid_user_password"), .invalidCredentials),
        Case(403, error("mfa_required", "Multifactor authentication required"), .secondFactor),
        Case(403, error("a0.mfa_required"), .secondFactor),
        Case(403, error("invalid_grant", "Invalid otp_code."), .secondFactor),
        Case(403, error("expired_token", "mfa_token is expired"), .secondFactor),
        Case(
            429,
            error("too_many_attempts", "Your account has been blocked after multiple attempts"),
            .tooManyAttempts
        ),
        Case(403, error("requires_verification"), .unverified),
        Case(401, error("unauthorized", "Please verify your email before logging in."), .unverified),
        Case(403, error("password_leaked"), .passwordLeaked),
        Case(403, error("invalid_grant", "Unknown or invalid refresh token."), .sessionExpired),
        Case(
            403,
            error("invalid_grant", "The refresh_token was generated for a user who doesn't exist anymore."),
            .sessionExpired
        ),
        // Keycloak.
        Case(400, error("invalid_grant", "Account disabled"), .blocked),
        Case(400, error("invalid_grant", "User disabled"), .blocked),
        Case(400, error("user_temporarily_disabled"), .tooManyAttempts),
        Case(
            400,
            error("invalid_grant", "Account is temporarily disabled, contact admin or try again later."),
            .tooManyAttempts
        ),
        Case(401, error("invalid_grant", "Invalid user credentials"), .invalidCredentials),
        Case(401, error("invalid_user_credentials"), .invalidCredentials),
        Case(400, error("invalid_grant", "Account is not fully set up"), .interactionRequired),
        Case(400, error("invalid_grant", "Session not active"), .sessionExpired),
        Case(400, error("invalid_grant", "Token is not active"), .sessionExpired),
        // What is no clear word.
        Case(400, error("something_new"), .wrongAnswer), Case(400, "{}", .wrongAnswer),
        Case(400, "<html>", .wrongAnswer), Case(400, #"{"error":1}"#, .wrongAnswer),
        Case(400, #"{"error":"invalid_grant","error":"invalid_grant"}"#, .wrongAnswer),
        Case(401, "", .wrongAnswer), Case(404, "", .wrongAnswer), Case(413, "", .wrongAnswer),
        Case(302, "", .wrongAnswer), Case(429, "", .temporarilyUnavailable),
        Case(429, error("invalid_grant"), .temporarilyUnavailable),
        Case(500, error("invalid_grant"), .serverError), Case(502, "<html>", .serverError),
        Case(503, error("invalid_grant"), .temporarilyUnavailable), Case(504, "", .temporarilyUnavailable),
    ]

    static let ending: Set<Kind> = [.sessionExpired, .blocked, .loginRequired, .interactionRequired, .consentRequired]

    @Test(
        "an error is classified by code, description and context, and only a clear rejection ends a session",
        arguments: cases
    )
    func meaning(example: Case) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        issuer.say("token", example.status, text: example.body, type: nil)
        let refresh = await failure { _ = try await server.refresh(Grants.old()) }
        #expect(refresh?.kind == example.refresh)
        #expect(refresh?.endsSession == Self.ending.contains(example.refresh))
        #expect(refresh?.status?.code == example.status)
        let password = await failure { _ = try await server.signIn(name: "ada", password: Secret("p")) }
        #expect(password?.kind == example.password)
        await issuer.stop()
    }

    @Test(
        "Retry-After is reported, up to one day",
        arguments: [
            ("120", 120), ("99999999999999999999", 86_400), ("soon", nil), ("-5", nil),
        ] as [(String, Int?)]
    )
    func retryAfter(text: String, seconds: Int?) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("token") { _ in Response(Status(429), fields: ["Retry-After": text]) }
        let failure = await failure { _ = try await Visitor(issuer).server().refresh(Grants.old()) }
        #expect(failure?.retryAfter == seconds.map { .seconds($0) })
        await issuer.stop()
    }

    @Test("no text contains a secret that the server echoes", arguments: [400, 401, 429, 500, 200])
    func echo(status: Int) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("token") { request in
            let said = String(decoding: request.body, as: UTF8.self)
            let credentials = request.fields["Authorization"] ?? ""
            let values = FormText.pairs(of: said)?.values.joined(separator: " ") ?? ""
            let words = "you sent \(said) and \(credentials) and client-canary, in short: \(values)"
            return .json(status, RefusalTests.error("client-canary", words))
        }
        let visitor = try Visitor(issuer) { $0.clientSecret = Secret("client-canary") }
        let server = visitor.server()
        var texts: [String] = []
        for failure in [
            await failure { _ = try await server.refresh(Grants.old("canary-refresh")) },
            await failure { _ = try await server.signIn(name: "ada", password: Secret("pw")) },
            await failure { _ = try await server.signInApp() },
        ] {
            let failure = try #require(failure)
            texts += [failure.detail, failure.serverCode ?? "", "\(failure)", String(reflecting: failure)]
        }
        let text = texts.joined(separator: "\n")
        for secret in ["canary-refresh", "client-canary", " pw", "=pw", "dGFza3M6"] { #expect(!text.contains(secret)) }
        await issuer.stop()
    }

    @Test(
        "of a server's description only text that looks harmless is shown",
        arguments: [
            ("Account 123456 is\nclosed.", "Account 123456 is closed."),
            ("1234567 a1 abc123", "[redacted] [redacted] [redacted]"),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "[redacted]"),
            ("you typed secret word, secret%20word", "you typed [redacted] , [redacted]"),
        ]
    )
    func words(said: String, shown: String) {
        #expect(ServerText.shown(said, hiding: [Secret("secret word"), Secret("")]) == shown)
    }

    @Test("every kind has a guidance key, whose text the file can replace", arguments: Kind.allCases)
    func texts(kind: Kind) {
        #expect(kind.text.hasSuffix("."))
        #expect((20...140).contains(kind.text.count))
        #expect(Guidance().text(for: kind) == kind.text)
    }

    @Test("a text of the file replaces the default")
    func changedText() throws {
        let section = try SectionFile.read("guidance: { blocked: Write to us., server: It is down. }")
        #expect(section.guidance.text(for: .blocked) == "Write to us.")
        #expect(section.guidance.text(for: .wrongAnswer) == "It is down.")
        #expect(section.guidance.text(for: .offline) == Kind.offline.text)
    }

    @Test("every guidance key belongs to a kind")
    func classes() {
        #expect(Set(Kind.allCases.map(\.guidance)) == Set(Guidance.Failure.allCases))
    }

    @Test("no network failure ends a session")
    func wayToServer() {
        let kinds: [Kind] = [
            .offline, .untrusted, .serverError, .temporarilyUnavailable, .wrongAnswer, .wrongToken, .wrongIssuer,
            .noKey,
            .tooManyAttempts, .invalidClient, .abandoned, .cancelled, .unsupported,
        ]
        #expect(kinds.allSatisfy { !$0.endsSession })
    }
}

/// A grant of before.
enum Grants {
    static func old(_ refreshToken: String? = "refresh-old", user: GrantedUser? = nil) -> Grant {
        Grant(
            accessToken: Secret("access-old"),
            type: "Bearer",
            expires: 1,
            refreshToken: refreshToken.map { Secret($0) },
            refreshExpires: 2,
            idToken: Secret("id-old"),
            scopes: ["openid", "old"],
            user: user ?? GrantedUser(issuer: "", subject: "", claims: .object([]), authTime: nil)
        )
    }
}
