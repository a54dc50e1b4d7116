import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

@testable import WireAuth

@Suite("Dialects of identity servers", .timeLimit(.minutes(1)))
struct DialectTests {
    @Test(
        "the issuer is built from the settings of the file",
        arguments: [
            ("provider: oidc\nurl: https://sso.example.com/op", "https://sso.example.com/op"),
            ("provider: oidc\nurl: https://SSO.example.com/op/", "https://SSO.example.com/op/"),
            (
                "provider: keycloak\nurl: https://sso.example.com/auth/\nrealm: tasks",
                "https://sso.example.com/auth/realms/tasks"
            ),
            (
                "provider: keycloak\nurl: https://sso.example.com\nrealm: Ward 3, küche",
                "https://sso.example.com/realms/Ward%203%2C%20k%C3%BCche"
            ),
            ("provider: auth0\nurl: https://tenant.eu.auth0.com", "https://tenant.eu.auth0.com/"),
            ("provider: auth0\nurl: https://tenant.eu.auth0.com/", "https://tenant.eu.auth0.com/"),
            ("provider: oidc\nurl: sso", "https://api.example.com/sso"),
            ("provider: halo\nurl: api", "https://api.example.com/api"),
        ]
    )
    func issuers(section: String, issuer: String) throws {
        let base = try WebURL(parsing: "https://api.example.com")
        let named = try SectionFile.read("\(section)\nclientId: tasks")
        let settings = try ServerSettings(named, environment: "dev", baseURL: base)
        #expect(settings.issuer == issuer && settings.clientID == "tasks")
        // The one built in stands for it, whatever the file has.
        let builtIn = ServerSettings.Embedded(issuer: "http://127.0.0.1:7430/realms/dev", clientID: "corewire")
        let own = try SectionFile.read(section)
        let embedded = try ServerSettings(own, environment: "dev", baseURL: base, embedded: builtIn)
        #expect(embedded.issuer == builtIn.issuer && embedded.clientID == "corewire")
    }

    @Test(
        "a missing or forbidden server is an error",
        arguments: [
            ("url: http://sso.example.com\nclientId: a", SignInFailure.Setting.url), ("clientId: a", .url),
            ("url: https://sso.example.com?a=b\nclientId: a", .url), ("url: https://sso.example.com", .clientID),
            ("provider: keycloak\nurl: https://sso.example.com\nclientId: a", .realm),
        ]
    )
    func nowhere(text: String, setting: SignInFailure.Setting) throws {
        let section = try SectionFile.read(text)
        let failure = #expect(throws: SignInFailure.self) {
            try ServerSettings(section, environment: nil, baseURL: nil)
        }
        #expect(failure?.setting == setting)
    }

    @Test(
        "a Keycloak with a blocked discovery document uses the well-known endpoints",
        arguments: [401, 403, 404]
    )
    func keycloakEndpoints(status: Int) async throws {
        let issuer = try ScriptedIssuer.start("/realms/tasks")
        let base = "\(issuer.issuer)/protocol/openid-connect"
        issuer.say(ScriptedIssuer.discovery, status, text: "")
        let visitor = try Visitor(issuer) { $0.dialect = .keycloak }
        let server = visitor.server()
        issuer.move("keys", to: "protocol/openid-connect/certs")
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        #expect(pending.url.hasPrefix("\(base)/auth?"))
        issuer.grant(visitor.claims(nonce: pending.nonce))
        issuer.move("token", to: "protocol/openid-connect/token")
        let grant = try await server.finish(pending, callback: Visitor.callback(pending))
        let metadata = try await server.metadata()
        #expect(
            [
                metadata.endSessionEndpoint, metadata.userinfoEndpoint, metadata.revocationEndpoint,
                metadata.deviceEndpoint,
            ] == [
                "\(base)/logout", "\(base)/userinfo", "\(base)/revoke", "\(base)/auth/device",
            ]
        )
        #expect(grant.user?.subject == "user-1")
        await issuer.stop()
        // Any other server is not guessed at.
        let other = try ScriptedIssuer.start()
        other.say(ScriptedIssuer.discovery, status, text: "")
        #expect(await failure { _ = try await Visitor(other).server().metadata() }?.kind == .wrongAnswer)
        await other.stop()
    }

    @Test(
        "roles come from the ID token, or from an access token signed by this realm for this user",
        arguments: [
            ("id", ["admin"], ["write"]), ("access", ["staff"], ["read"]), ("forged", [], []), ("other user", [], []),
            ("other issuer", [], []), ("opaque", [], []), ("nonsense", [], []),
        ]
    )
    func roles(way: String, realm: [String], client: [String]) async throws {
        func claims(_ realm: String, _ client: String) -> [(key: String, value: JSONValue)] {
            [
                ("realm_access", .members(["roles": .array([.string(realm)])])),
                ("resource_access", .members(["tasks": .members(["roles": .array([.string(client)])])])),
            ]
        }
        let issuer = try ScriptedIssuer.start("/realms/tasks")
        let visitor = try Visitor(issuer) { $0.dialect = .keycloak }
        let server = visitor.server()
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        let access = visitor.claims([("typ", .string("Bearer"))] + claims("staff", "read"))
        let token =
            switch way {
            case "access", "id": issuer.sign(access)
            case "forged": issuer.sign(access, by: try .init("one"))
            case "other user": issuer.sign(access.merging([("sub", .string("user-2"))]))
            case "other issuer": issuer.sign(access.merging([("iss", .string("https://evil.example.com"))]))
            case "nonsense":
                issuer.sign(access.merging([("realm_access", .integer(1)), ("resource_access", .array([]))]))
            default: "opaque"
            }
        let idToken = visitor.claims(way == "id" ? claims("admin", "write") : [], nonce: pending.nonce)
        issuer.grant(idToken, [("access_token", .string(token))])
        let user = try #require(try await server.finish(pending, callback: Visitor.callback(pending)).user)
        #expect(user.realmRoles == realm)
        #expect(user.roles(at: "tasks") == client)
        #expect(user.hasRealmRole("admin") == realm.contains("admin"))
        #expect(user.hasRole("read", at: "tasks") == client.contains("read"))
        #expect(!user.hasRole("read", at: "other"))
        await issuer.stop()
    }

    @Test("Auth0 gets the audience, the connection and the logout URL by its own parameter names")
    func auth0() async throws {
        let issuer = try ScriptedIssuer.start("/")
        issuer.publish(without: ["end_session_endpoint", "revocation_endpoint"])
        let visitor = try Visitor(issuer) {
            $0.dialect = .auth0
            $0.audience = "https://api.example.com"
            $0.parameters = [("connection", "staff"), ("organization", "org_1")]
            $0.postLogoutRedirectURI = "https://example.com/out"
        }
        let server = visitor.server()
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        let query = try #require(FormText.pairs(of: pending.url.drop { $0 != "?" }.dropFirst()))
        #expect(query["audience"] == "https://api.example.com")
        #expect(query["connection"] == "staff")
        #expect(query["organization"] == "org_1")
        let end = try await server.endOfSession(Grants.old(), state: "s")
        #expect(end == "\(issuer.base)/v2/logout?client_id=tasks&returnTo=https%3A%2F%2Fexample.com%2Fout")
        let staying = try Visitor(issuer) { $0.dialect = .auth0 }
        let plain = try await staying.server().endOfSession(Grants.old(), state: "s")
        #expect(plain == "\(issuer.base)/v2/logout?client_id=tasks")

        issuer.say("oauth/revoke") { request in
            let isRefresh = String(decoding: request.body, as: UTF8.self).contains("refresh-old")
            return isRefresh ? Response(.ok) : .json(400, RefusalTests.error("invalid_request", "no such token"))
        }
        #expect(try await server.revoke(Grants.old()) == .revoked)
        #expect(issuer.asked("oauth/revoke").count == 2)

        issuer.grant(visitor.claims())
        _ = try await server.signIn(name: "ada", password: Secret("p"))
        let form = issuer.asked("token").last?.form
        #expect(form?["grant_type"] == "http://auth0.com/oauth/grant-type/password-realm")
        #expect(form?["realm"] == "staff")
        await issuer.stop()
    }
}

@Suite("HALO's token endpoint", .timeLimit(.minutes(1)))
struct HaloTests {
    private func server(_ issuer: ScriptedIssuer, _ mode: AuthMode) throws -> (HaloServer, HandClock) {
        let visitor = try Visitor(issuer) {
            $0.dialect = .halo
            $0.mode = mode
            $0.clientSecret = Secret("secret-canary")
            $0.username = "ada"
            $0.password = Secret("password-canary")
        }
        let clock = visitor.clock.clockwork
        return (HaloServer(visitor.settings, visitor.client, clock, device: { "device-1" }), visitor.clock)
    }

    static let tokens = JSONValue.members([
        "access_token": .string("halo-access"), "refresh_token": .string("halo-refresh"),
        "token_type": .string("Bearer"), "expires_in": .integer(3_600_000), "scope": .string("user"),
    ])

    @Test("app tokens use the query '_app', with an expiry in milliseconds")
    func app() async throws {
        let issuer = try ScriptedIssuer.start("/api")
        issuer.say("oauth/token", json: Self.tokens)
        let (server, clock) = try server(issuer, .app)
        let grant = try await server.signInApp()
        #expect(grant.expires == clock.clockwork.wall() + 3_600_000)
        #expect(issuer.asked("oauth/token").map(\.query) == ["?_app"])
        #expect(
            issuer.asked("oauth/token").last?.form == [
                "grant_type": "client_credentials", "client_id": "tasks", "client_secret": "secret-canary",
            ]
        )
        _ = try await server.refresh(grant)
        #expect(
            issuer.asked("oauth/token").last?.form == [
                "grant_type": "refresh_token", "refresh_token": "halo-refresh", "client_id": "tasks",
                "client_secret": "secret-canary",
            ]
        )
        await issuer.stop()
    }

    @Test("an app with a rejected refresh token signs in with its secret again")
    func appAgain() async throws {
        let issuer = try ScriptedIssuer.start("/api")
        issuer.say("oauth/token") { request in
            let isRenewal = String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token")
            return isRenewal ? .json(401, "") : .json(200, Self.tokens.text())
        }
        let (server, _) = try server(issuer, .app)
        let renewed = try await server.refresh(try await server.signInApp())
        #expect(renewed.accessToken.reveal() == "halo-access")
        #expect(
            issuer.asked("oauth/token").map { $0.form["grant_type"] } == [
                "client_credentials", "refresh_token", "client_credentials",
            ]
        )
        await issuer.stop()
    }

    @Test("a user's password is sent in the form and by Basic, also for each refresh")
    func user() async throws {
        let issuer = try ScriptedIssuer.start("/api")
        issuer.say("oauth/token", json: Self.tokens)
        let (server, _) = try server(issuer, .user)
        let grant = try await server.signIn(name: "ada", password: Secret("password-canary"))
        #expect(grant.user?.subject == "ada")
        _ = try await server.refresh(grant)
        let asked = issuer.asked("oauth/token")
        #expect(asked.map(\.query) == ["?_user", "?_user"])
        #expect(
            asked.map { $0.fields["Authorization"] } == [
                "Basic YWRhOnBhc3N3b3JkLWNhbmFyeQ==", "Basic YWRhOnBhc3N3b3JkLWNhbmFyeQ==",
            ]
        )
        #expect(
            asked.allSatisfy {
                $0.form == ["grant_type": "password", "username": "ada", "password": "password-canary"]
            }
        )
        await issuer.stop()
    }

    /// A server that knows the app, and this user.
    private static func identifying(_ user: JSONValue) throws -> ScriptedIssuer {
        let issuer = try ScriptedIssuer.start("/api")
        issuer.say("oauth/token", json: tokens)
        let token = tokens.merging([("access_token", .string("identified"))])
        issuer.say("segmentation/identified/login", json: .members(["user": user, "token": token]))
        return issuer
    }

    @Test("an identified login sends the profile with the app token, and returns the user's token")
    func identified() async throws {
        let issuer = try Self.identifying(
            .members(["id": .string("u1"), "email": .string("ada@example.com"), "surname": .string("Lovelace")])
        )
        let (server, clock) = try server(issuer, .appPlus)
        let grant = try await server.signIn(name: "ada@example.com", password: Secret("password-canary"))
        let asked = try #require(issuer.asked("segmentation/identified/login").first)
        #expect(asked.fields["Authorization"] == "Bearer halo-access")
        #expect(
            asked.body
                == #"{"deviceId":"device-1","network":"halo","email":"ada@example.com","password":"password-canary"}"#
        )
        #expect(grant.accessToken.reveal() == "identified")
        #expect(grant.user?.subject == "u1")
        #expect(grant.user?.claims["family_name"]?.string == "Lovelace")
        #expect(grant.expires == clock.clockwork.wall() + 3_600_000)
        issuer.say("segmentation/identified/login", json: .members(["token": Self.tokens]))
        #expect(await failure { _ = try await server.signIn(name: "a", password: Secret("b")) }?.kind == .wrongAnswer)
        await issuer.stop()
    }

    @Test("credentials of another network are sent the same way, in appPlus mode only")
    func network() async throws {
        let issuer = try Self.identifying(.members(["id": .string("u1")]))
        let (server, _) = try server(issuer, .appPlus)
        let grant = try await server.signIn(network: "google", token: Secret("token-canary"))
        let asked = try #require(issuer.asked("segmentation/identified/login").first)
        #expect(asked.body == #"{"deviceId":"device-1","network":"google","token":"token-canary"}"#)
        #expect(grant.user?.subject == "u1")
        issuer.say("segmentation/identified/login", 401, text: "no token-canary")
        let refused = await failure { _ = try await server.signIn(network: "google", token: Secret("token-canary")) }
        #expect(refused?.kind == .invalidCredentials)
        #expect(!"\(String(describing: refused))".contains("canary"))
        let (other, _) = try self.server(issuer, .user)
        #expect(
            await failure { _ = try await other.signIn(network: "google", token: Secret("t")) }?.kind == .unsupported
        )
        await issuer.stop()
    }

    @Test("status 401 is a wrong password for users and a wrong secret for the app, without echoing texts")
    func refused() async throws {
        let issuer = try ScriptedIssuer.start("/api")
        let error = #"{"error":{"message":"no password-canary secret-canary","extra":{},"type":"HaloError"}}"#
        issuer.say("oauth/token", 401, text: error)
        let (server, _) = try server(issuer, .user)
        let user = await failure { _ = try await server.signIn(name: "ada", password: Secret("password-canary")) }
        #expect(user?.kind == .invalidCredentials)
        let app = await failure { _ = try await server.signInApp() }
        #expect(app?.kind == .invalidClient)
        issuer.say("oauth/token", 400, text: error)
        let other = await failure { _ = try await server.signIn(name: "ada", password: Secret("password-canary")) }
        #expect(other?.kind == .wrongAnswer)
        for failure in [user, app, other] { #expect(!"\(String(describing: failure))".contains("canary")) }
        await issuer.stop()
    }

    @Test("browser and device sign-in, and revocation, are not supported")
    func missing() async throws {
        let issuer = try ScriptedIssuer.start("/api")
        let (server, _) = try server(issuer, .user)
        #expect(await failure { _ = try await server.beginAuthorization(redirectURI: "a:b") }?.kind == .unsupported)
        #expect(await failure { _ = try await server.beginDevice() }?.kind == .unsupported)
        #expect(try await server.revoke(Grants.old()) == .notOffered)
        #expect(try await server.endOfSession(Grants.old(), state: "s") == nil)
        #expect(issuer.asked.isEmpty)
        await issuer.stop()
    }
}
