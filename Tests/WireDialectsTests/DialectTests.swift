import Testing
import WireAuth
import WireBase
import WireConfig
import WireDialects
import WireMetrics
import WireNetwork
import WirePush
import WireSecurity
import WireSecurityContract
import WireService
import WireSync

@Suite("The AeroGear dialect")
struct DialectTests {
    @Test("the SDK's file is converted to a section per service")
    func sdkFile() throws {
        let file = try ReadFile(fixture: "services/sdk.json")
        #expect(file.loaded.dialect == "aerogear")
        #expect(
            file.problems == [
                "CW2504:61:15 services.5: unsupported type 'fh-sync-server'",
                "CW1106:75:17 network.pins has only one pin for 'sso.example.com'",
                "CW1106:79:17 network.pins has only one pin for '*.example.com'",
            ]
        )
        let auth = try file.section(AuthSection.self)
        #expect(auth.provider == .keycloak)
        #expect(auth.url?.text == "https://sso.example.com/auth")
        #expect(auth.realm?.text == "secure-app")
        #expect(auth.clientID?.text == "client-app")
        #expect(try file.section(MetricsSection.self).url.text == "https://metrics.example.com/metrics")
        #expect(try file.section(SyncSection.self).url.text == "https://server.example.com/graphql")
        let rule = try #require(try file.section(SecuritySection.self).rules.appVersion)
        #expect(rule.url.text == "https://security.example.com")
        #expect(rule.reaction.action == .stop)
        let pins = try file.section(NetworkSection.self).pins
        #expect(pins.map(\.host).map { "\($0)" } == ["sso.example.com", "*.example.com"])
    }

    @Test("the sample app's file is converted to the same sections, despite missing ids and spellings")
    func sampleFile() throws {
        let file = try ReadFile(fixture: "services/sample-app.json")
        #expect(file.problems == [])
        #expect(try file.section(AuthSection.self).realm?.text == "example-app-realm")
        let sync = try file.section(SyncSection.self)
        #expect(sync.url.text == "https://server.example.com/graphql")
        #expect(sync.webSocketURL?.description == "wss://server.example.com/graphql")
        let push = try file.section(PushSection.self)
        #expect(push.registrars.items.map(\.name) == ["push"])
        let account = try #require(push.registrars["push"]?.settings(UnifiedPushRegistrar.self))
        #expect(account.variantID.text == "1234456-234320")
    }

    @Test("every spelling of the first version is version 1", arguments: ["1", "1.0", "\"1.0\"", "\"1\"", "\"1.0.0\""])
    func versions(written: String) throws {
        #expect(ReadFile("{\"version\": \(written), \"services\": []}").problems == [])
    }

    @Test("sync sends no token if the file has no identity server")
    func syncAlone() throws {
        let sync = "{\"type\": \"sync\", \"url\": \"https://s.example.com\"}"
        let alone = ReadFile("{\"services\": [\(sync)]}")
        #expect(alone.problems == [])
        #expect(try !alone.section(SyncSection.self).authenticated)
        let keycloak =
            "{\"type\": \"keycloak\", \"url\": \"https://k.example.com\", \"config\": {\"realm\": \"r\", \"resource\": \"c\"}}"
        #expect(try ReadFile("{\"services\": [\(sync), \(keycloak)]}").section(SyncSection.self).authenticated)
    }

    @Test("service types are case-insensitive", arguments: ["Keycloak", "KEYCLOAK", "keycloak"])
    func typeCase(type: String) throws {
        let file = ReadFile(
            """
            {"services": [{"type": "\(type)", "url": "https://s.example.com", "config": {"realm": "r", "clientId": "c"}}]}
            """
        )
        #expect(file.problems == [])
        #expect(try file.section(AuthSection.self).url?.text == "https://s.example.com")
        #expect(try file.section(AuthSection.self).clientID?.text == "c")
    }

    @Test("a service without a type uses its id, its name, or its key in a mapping")
    func inferred() throws {
        let metrics = #""url": "https://m.example.com/metrics""#
        for text in [
            #"[{"id": "metrics", \#(metrics)}]"#, #"[{"id": "17", "name": "Metrics", "type": null, \#(metrics)}]"#,
            #"{"metrics": {\#(metrics)}}"#, #"{"main": {"type": "metrics", \#(metrics)}}"#,
        ] {
            let file = ReadFile("{\"services\": \(text)}")
            #expect(file.problems == [])
            #expect(try file.section(MetricsSection.self).url.text == "https://m.example.com/metrics")
        }
    }

    @Test("a misspelt top-level key is reported, other unknown keys are kept")
    func topKeys() {
        let file = ReadFile(
            #"{"services": [], "clusterNmae": "c", "cluster_name": "d", "made": {"by": 1}, "netwrok": {}}"#
        )
        #expect(
            file.problems == [
                "CW2505:1:18 clusterNmae is not used", "CW2505:1:78 netwrok is not used",
            ]
        )
    }

    @Test("help uses the layout of the file")
    func advice() throws {
        let aeroGear = try ReadFile(fixture: "refused/push-without-variant.json").report
        #expect(aeroGear.contains(#"write "variantId": "1234456-234320" in 'config.ios', "#), "\(aeroGear)")
        let client = ReadFile(
            #"{"services": [{"type": "keycloak", "url": "https://k.example.com", "config": {"realm": "r"}}]}"#
        ).report
        #expect(client.contains(#"write "resource": "…" in 'config' of the service 'keycloak', or "#), "\(client)")
        let own = #"{"auth": {"provider": "keycloak", "url": "https://k.example.com", "clientId": "c"}}"#
        #expect(ReadFile(own).report.contains(#"help: write "realm": "…""#))
        let yaml = ReadFile("auth: { provider: keycloak, url: https://k.example.com, clientId: c }", name: "a.yaml")
        #expect(yaml.report.contains("help: write 'realm: …'\n"), "\(yaml.report)")
    }

    @Test("null in config counts as absent")
    func nulls() throws {
        let file = ReadFile(
            """
            {"services": [
              {"id": null, "name": null, "type": "keycloak", "url": "https://s.example.com",
               "config": {"auth-server-url": null, "realm": "r", "resource": null, "clientId": "c", "x": [null], "y": null}},
              {"type": "metrics", "url": "https://m.example.com", "config": null}
            ], "https": null, "clusterName": null}
            """
        )
        #expect(file.problems == [])
        #expect(try file.section(AuthSection.self).clientID?.text == "c")
    }

    @Test("the platform is the first of ios, android, web_push and config")
    func platforms() throws {
        func variant(_ config: String) throws -> String? {
            let file = ReadFile(
                "{\"services\": [{\"type\": \"push\", \"url\": \"https://p.example.com\", \"config\": \(config)}]}"
            )
            #expect(file.problems == [])
            let push = try file.section(PushSection.self)
            return push.registrars["push"]?.settings(UnifiedPushRegistrar.self)?.variantID.text
        }
        let secret = "\"variantSecret\": \"${env:S}\""
        #expect(
            try variant("{\"android\": {\"variantId\": \"a\", \(secret)}, \"ios\": {\"variantID\": \"i\", \(secret)}}")
                == "i"
        )
        #expect(
            try variant(
                "{\"ios\": null, \"web_push\": {\"variantId\": \"w\", \(secret)}, \"android\": {\"variantId\": \"a\", \(secret)}}"
            ) == "a"
        )
        #expect(
            try variant(
                "{\"ios\": {\"variantId\": null}, \"web_push\": {\"variantId\": \"w\", \(secret), \"appServerKey\": \"k\"}}"
            ) == "w"
        )
        #expect(try variant("{\"variantId\": \"c\", \(secret)}") == "c")
    }

    @Test("a second service of a type is reported with both places, and the first one is used")
    func duplicates() throws {
        let file = ReadFile(
            """
            {"services": [
              {"id": "a", "type": "sync", "url": "https://one.example.com"},
              {"id": "a", "type": "SYNC-APP", "url": "https://two.example.com"},
              {"id": "b", "type": "other", "url": "https://three.example.com"},
              {"id": "c", "type": "Other", "url": "https://four.example.com"}
            ]}
            """
        )
        #expect(
            file.problems == [
                "CW2503:3:10 services.1.id: 'a' is also the id of another service",
                "CW2503:3:23 services.1: the service 'sync' is a duplicate",
                "CW2504:4:23 services.2: unsupported type 'other'",
                "CW2503:5:23 services.3: the type 'Other' is a duplicate",
            ]
        )
        let problem = try #require(
            file.result.problems.sorted(files: file.loaded.sources).first { $0.path == "services.1" }
        )
        #expect(problem.related.map(\.place.start) == [TextPosition(line: 2, column: 23)])
        #expect(try file.section(SyncSection.self).url.text == "https://one.example.com")
        #expect(
            try file.section(AeroGearSection.self).services.items.map(\.value.isKnown) == [true, false, false, false]
        )
    }

    @Test("a misspelt key is reported")
    func slips() {
        let file = ReadFile(
            """
            {"services": [{"type": "sync-app", "url": "https://s.example.com", "config": {"webSocketURL": "wss://s.example.com"}}]}
            """
        )
        #expect(file.problems == ["CW2505:1:79 services.0.config.webSocketURL is not used"])
        let config = "\"websocketUrl\": \"wss://s.example.com\", \"webSocketURL\": \"wss://s.example.com\""
        let both = ReadFile(
            "{\"services\": [{\"type\": \"sync\", \"url\": \"https://s.example.com\", \"config\": {\(config)}}]}"
        )
        #expect(both.problems == [], "the key that is used is there")
    }

    @Test(
        "an invalid file is rejected with the place in it",
        arguments: [
            ("services-not-a-list", "CW2501:1:17 services: expected a list, found a mapping"),
            ("service-not-a-mapping", "CW2501:1:17 services.0: expected a mapping, found a single value"),
            ("type-missing", "CW2502:1:17 missing 'type' in services.0"),
            ("type-not-text", "CW2502:1:27 services.0.type: expected text, found a list"),
            ("url-missing", "CW2502:1:27 missing 'url' in services.0"),
            ("config-not-a-mapping", "CW2502:1:80 services.0.config: expected a mapping, found a single value"),
            ("pins-not-a-list", "CW2506:1:49 https.certificatePins: expected a list, found a mapping"),
            ("pin-without-hash", "CW2506:1:51 missing 'certificateHash' in https.certificatePins.0"),
            (
                "version-two",
                "CW0209:1:14 version 2 of the format is not supported; this version of corewire reads version 1"
            ),
            ("version-a-word", "CW0201:1:14 version: expected a whole number, found 'newest'"),
            ("pin-not-a-hash", "CW0201:3:49 network.pins.1.sha256: expected the base64 of 32 bytes, found 'nonsense'"),
        ]
    )
    func refused(name: String, problem: String) throws {
        let problems = try ReadFile(fixture: "refused/\(name).json").problems
        #expect(problems == [problem])
    }

    @Test("a missing variant is reported at the service")
    func missingVariant() throws {
        #expect(
            try ReadFile(fixture: "refused/push-without-variant.json").problems == [
                "CW0204:1:27 missing 'variantId' in push.registrars.push",
                "CW0204:1:27 missing 'variantSecret' in push.registrars.push",
            ]
        )
    }

    @Test("keys beside the services are corewire's, and override them")
    func environments() throws {
        let file = try ReadFile(fixture: "services/with-environments.json")
        #expect(file.problems == [])
        #expect(try file.section(AuthSection.self, in: "int").realm?.text == "tasks")
        #expect(try file.section(AuthSection.self, in: "prod").realm?.text == "tasks-prod")
        #expect(try file.environment("bare").configuration[SyncSection.self] == nil)
    }

    @Test("an AeroGear file can be included by a file in corewire's layout, which overrides it")
    func included() throws {
        let inner = String(decoding: try Fixture.bytes("services/sample-app.json"), as: UTF8.self)
        let file = ReadFile(
            "include: [mobile-services.json]\nauth: { realm: mine }\n",
            name: "corewire.yaml",
            plus: ["mobile-services.json": inner]
        )
        #expect(file.problems == [])
        #expect(file.loaded.sources.map(\.name) == ["corewire.yaml", "mobile-services.json"])
        #expect(try file.section(AuthSection.self).realm?.text == "mine")
        #expect(try file.section(AuthSection.self).clientID?.text == "example-app-client")
    }

    @Test(
        "a text without a known extension is JSON if it begins with '{'",
        arguments: [
            ("{\"version\": 1,}", true), ("\n\t\r {\n\t\r \"version\": 1,}", true), ("{version: 1,}", false),
            ("\n{\"version\": 1,}", true), (" \r\n{\"version\": 1,}", true),
            ("{'version': 1,}", false), ("\n{\n version: 1,}", false),
        ]
    )
    func telling(text: String, isJSON: Bool) {
        // YAML allows the comma before the brace.
        #expect(ReadFile(text, name: "services").problems.count == (isJSON ? 1 : 0))
        #expect(ReadFile(text, name: "services.JSON").problems.count == 1)
    }

    @Test("a file in corewire's layout is unchanged")
    func otherFiles() {
        #expect(ReadFile("{\"version\": 1}").loaded.dialect == nil)
    }

    @Test("every code of the dialect has an explanation and a unique number")
    func codes() {
        let codes = AeroGearSection.codes
        #expect(!codes.isEmpty && Set(codes.map(\.id)).count == codes.count)
        #expect(codes.allSatisfy { $0.id.hasPrefix("CW25") && $0.explanation.count > 80 })
    }

    @Test("deep or large files cannot crash the reader")
    func hostile() {
        let deep = String(repeating: "[", count: 58) + String(repeating: "]", count: 58)
        let service = "{\"type\": \"x\", \"url\": \"https://x.example.com\", \"config\": {\"a\": \(deep)}}"
        #expect(ReadFile("{\"services\": [\(service)]}").problems.count == 1)
        let deeper = String(repeating: "[", count: 100_000)
        #expect(ReadFile("{\"services\": [\(deeper)").problems.count == 1)
        // What aliases bring adds to the depth: 2,500 lists in one another are past the limit.
        let nested = (1...50).map { index in
            let (open, close) = (String(repeating: "[", count: 50), String(repeating: "]", count: 50))
            return "x-\(index): &a\(index) \(open)\(index == 1 ? "0" : "*a\(index - 1)")\(close)\n"
        }
        let aliased = ReadFile(
            nested.joined() + "services: [{ type: x, url: https://x.example.com, config: { a: *a50 } }]",
            name: "services.yaml"
        )
        #expect(aliased.problems.count == 1 && aliased.problems.allSatisfy { $0.hasPrefix("CW0113") })
        let many = Array(repeating: "{\"type\": \"x\", \"url\": \"https://x.example.com\"}", count: 5_000).joined(
            separator: ","
        )
        #expect(ReadFile("{\"services\": [\(many)]}").result.problems.warningCount == 5_000)
    }
}
