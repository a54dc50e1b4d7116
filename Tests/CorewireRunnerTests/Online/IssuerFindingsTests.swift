import Foundation
import Support
import Testing

/// What an identity server can be wrong about, each with the whole text that is told.
@Suite("validate-config --online: the identity server")
struct IssuerFindingsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        var behaviour = "{}"
        var auth = ""
        var url = "BASE"
        var status: Int32 = 1

        var testDescription: String { name }
    }

    private static let byPassword = "flow: password\n  username: ada\n  password: ${env:SECRET}"

    static let cases: [Case] = [
        // The discovery document.
        Case(name: "discovery-status", behaviour: #"{"discovery": [500, "text/plain", "broken"]}"#),
        Case(name: "discovery-page", behaviour: #"{"discovery": [200, "text/html", "<h1>Welcome</h1>"]}"#),
        Case(name: "discovery-no-json", behaviour: #"{"discovery": [200, "application/json", "{\"issuer\": "]}"#),
        Case(name: "discovery-member", behaviour: #"{"document": {"token_endpoint": null}}"#),
        Case(name: "discovery-plain", behaviour: #"{"document": {"token_endpoint": "http://sso.example.com/token"}}"#),
        Case(name: "discovery-large", behaviour: #"{"padding": 1048576}"#),
        Case(name: "discovery-redirect", behaviour: #"{"all": "away"}"#),
        Case(name: "discovery-garbage", behaviour: #"{"all": "garbage"}"#),
        Case(
            name: "realm",
            behaviour: #"{"discovery": [404, "application/json", "{}"]}"#,
            auth: "provider: keycloak\n  realm: tasks"
        ),
        Case(name: "issuer", behaviour: #"{"document": {"issuer": "{base}/"}}"#),
        Case(name: "issuer-other-name", behaviour: #"{"document": {"issuer": "http://sso.internal"}}"#),
        Case(
            name: "issuer-realm",
            behaviour: #"{"document": {"issuer": "https://sso.example.com/realms/Tasks"}}"#,
            auth: "provider: keycloak\n  realm: tasks"
        ),
        // Keys.
        Case(name: "keys-status", behaviour: #"{"keys": [503, "later"]}"#),
        Case(name: "keys-no-json", behaviour: #"{"keys": [200, "<keys/>"]}"#),
        Case(name: "keys-none", behaviour: #"{"keys": [200, "{\"keys\": [{\"kty\": \"oct\", \"k\": \"AAAA\"}]}"]}"#),
        Case(name: "keys-algorithm", behaviour: #"{"document": {"id_token_signing_alg_values_supported": ["HS256"]}}"#),
        // What the file asks for.
        Case(name: "device", auth: "flow: device"),
        Case(
            name: "logout",
            behaviour: #"{"document": {"end_session_endpoint": null}}"#,
            auth: "postLogoutRedirectUri: com.example.tasks://out"
        ),
        Case(name: "pkce-none", behaviour: #"{"document": {"code_challenge_methods_supported": ["plain"]}}"#),
        Case(name: "pkce-untold", behaviour: #"{"document": {"code_challenge_methods_supported": null}}"#, status: 0),
        Case(name: "scopes", auth: "scopes: [openid, offline_access, profil]", status: 0),
        Case(name: "grants", behaviour: #"{"document": {"grant_types_supported": ["implicit"]}}"#, status: 0),
        Case(
            name: "client-authentication",
            behaviour: #"{"document": {"token_endpoint_auth_methods_supported": ["private_key_jwt"]}}"#,
            auth: "clientSecret: ${env:SECRET}"
        ),
        Case(
            name: "public-client",
            behaviour: #"{"document": {"token_endpoint_auth_methods_supported": ["client_secret_basic"]}}"#,
            status: 0
        ),
        Case(
            name: "unnamed-answers",
            behaviour: #"{"document": {"authorization_response_iss_parameter_supported": null}}"#,
            status: 0
        ),
        // The client.
        Case(name: "client-page", behaviour: #"{"authorize": [400, "<p>Client not found.</p>"]}"#),
        Case(name: "client-redirect", behaviour: #"{"authorize": [400, "<p>Invalid parameter: redirect_uri</p>"]}"#),
        Case(name: "client-unauthorized", behaviour: #"{"authorize": "redirect:unauthorized_client"}"#),
        Case(name: "client-scope", behaviour: #"{"authorize": "redirect:invalid_scope"}"#),
        Case(name: "client-sign-in-page", behaviour: #"{"authorize": "page"}"#, status: 0),
        Case(name: "client-sent-on", behaviour: #"{"authorize": "away"}"#, status: 0),
        Case(
            name: "client-password",
            behaviour: #"{"token": [401, "invalid_client"], "document": {"grant_types_supported": null}}"#,
            auth: Self.byPassword
        ),
        Case(
            name: "client-password-forbidden",
            behaviour: #"{"token": [400, "unauthorized_client"], "document": {"grant_types_supported": null}}"#,
            auth: Self.byPassword
        ),
        Case(
            name: "client-password-untold",
            behaviour:
                #"{"token": [400, "invalid_request"], "same": true, "document": {"grant_types_supported": null}}"#,
            auth: Self.byPassword,
            status: 0
        ),
        // The clock.
        Case(name: "clock", behaviour: #"{"date": "Sun, 06 Nov 1994 08:49:37 GMT"}"#, status: 0),
    ]

    @Test("a server that contradicts the file is reported with the expected message", arguments: cases)
    func finding(_ one: Case) throws {
        let server = try TestServer(one.behaviour)
        let checkup = try OnlineCheckup(
            Self.file(one.auth, url: one.url),
            base: "http://127.0.0.1:\(server.port)",
            port: server.port
        )
        let run = try checkup.run()
        #expect(run.status == one.status)
        try OnlineCheckup.expect(OnlineCheckup.settled(run.everything, port: server.port), is: one.name)
    }

    @Test("a matching server gets each request once, and nothing is reported")
    func agreeing() throws {
        let server = try TestServer()
        let text = Self.file("clientSecret: ${env:SECRET}")
            .replacingOccurrences(
                of: "  dev: { baseUrl: BASE }",
                with: "  dev: { baseUrl: BASE }\n  qa: { extends: dev }\n  prod: { extends: qa }"
            )
            .replacingOccurrences(of: "{ dev: tasks }", with: "{ dev: tasks, qa: tasks-qa, prod: tasks-prod }")
        let checkup = try OnlineCheckup(text, base: "http://127.0.0.1:\(server.port)", port: server.port)
        let run = try checkup.run("--strict", environment: ["SECRET": "canary-of-the-client"])
        #expect(run.everything == "a.yaml: valid in 3 environments (dev, qa, prod)\n")
        #expect(
            try server.questions == [
                "GET /.well-known/openid-configuration", "GET /authorize", "GET /authorize", "GET /authorize",
                "GET /keys",
            ]
        )
        let log = try server.log
        #expect(!log.contains("canary") && !log.lowercased().contains("authorization:") && !log.contains("Cookie"))
        #expect(log.components(separatedBy: "prompt=none").count == 4 && log.contains("client_id=tasks-qa"))
    }

    @Test("a client known to the token endpoint passes, with or without a secret", arguments: [false, true])
    func password(hasSecret: Bool) throws {
        let answer = hasSecret ? #"[401, "unauthorized_client"]"# : #"[400, "invalid_grant"]"#
        let server = try TestServer(#"{"token": \#(answer), "document": {"grant_types_supported": null}}"#)
        let auth = Self.byPassword + (hasSecret ? "\n  clientSecret: ${env:SECRET}" : "")
        let checkup = try OnlineCheckup(Self.file(auth), base: "http://127.0.0.1:\(server.port)", port: server.port)
        let run = try checkup.run(environment: ["SECRET": "canary-of-the-client"])
        #expect(run.everything.hasSuffix("a.yaml: valid in 1 environment (dev), 1 warning\n"), "\(run.everything)")
        #expect(!run.everything.contains("CW102") && !run.everything.contains("CW1033"), "\(run.everything)")
        let log = try server.log
        #expect(log.contains("grant_type=password&client_id=tasks"), "\(log)")
        #expect(!log.contains("canary") && !log.contains("ada") && !log.contains("password="))
    }

    @Test("an unexpected authorization code counts as success, and is not redeemed")
    func code() throws {
        let server = try TestServer(#"{"authorize": "code"}"#)
        let checkup = try OnlineCheckup(Self.file(), base: "http://127.0.0.1:\(server.port)", port: server.port)
        #expect(try checkup.run().everything == "a.yaml: valid in 1 environment (dev)\n")
        #expect(!(try server.log.contains("POST")))
    }

    @Test("a redirect to this machine is not followed, whatever its port")
    func loopbackRedirect() throws {
        let server = try TestServer()
        let text = Self.file().replacingOccurrences(
            of: "com.example.tasks://restore",
            with: "http://127.0.0.1/callback"
        )
        let checkup = try OnlineCheckup(text, base: "http://127.0.0.1:\(server.port)", port: server.port)
        #expect(try checkup.run("--strict").everything == "a.yaml: valid in 1 environment (dev)\n")
    }

    static func file(_ auth: String = "", url: String = "BASE") -> String {
        """
        version: 1
        app: { id: com.example.tasks, name: Tasks }
        environment: dev
        environments:
          dev: { baseUrl: BASE }
        auth:
          url: \(url)
          clientIds: { dev: tasks }
        \(auth.contains("flow: ") ? "" : "  redirectUri: com.example.tasks://restore\n")  \(auth)

        """
    }
}
