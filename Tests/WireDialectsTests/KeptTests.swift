import Foundation
import Testing
import WireBase
import WireConfig
import WireDialects
import WireNetwork

@Suite("Kept values of AeroGear files")
struct KeptTests {
    @Test("the section lists only values of no other section")
    func section() throws {
        let kept = try ReadFile(fixture: "services/sdk.json").section(AeroGearSection.self)
        #expect(kept.clusterName == "192.168.64.74:8443")
        #expect(kept.namespace == "myproject")
        #expect(kept.clientID == "example_client_id")
        #expect(kept.version == "1")
        #expect(kept.services.items.map(\.name) == ["keycloak", "metrics", "push", "sync", "mss", "fh"])
        let unknown = try #require(kept.services["fh"])
        #expect(!unknown.isKnown)
        #expect(unknown.url?.text == "https://fh.example.com")
        #expect(unknown.config?.literal.flowText.contains("\"interval\": 5") == true)
        #expect(kept.services(ofType: "FH-Sync-Server").map(\.name) == ["fh"])
    }

    @Test("a file round-trips", arguments: ["sdk", "sample-app"])
    func roundTrip(name: String) throws {
        let original = String(decoding: try Fixture.bytes("services/\(name).json"), as: UTF8.self)
        let file = ReadFile(original)
        let written = try file.exported().text(indented: true)
        #expect(try json(written) == (try json(original)))
        #expect(try ReadFile(written).exported().text() == (try file.exported().text()))
    }

    @Test("every value of a real file is preserved", arguments: try Fixture.names(in: "real"))
    func realFiles(name: String) throws {
        let original = String(decoding: try Fixture.bytes("real/\(name)"), as: UTF8.self)
        let file = ReadFile(original)
        #expect(file.result.problems.errorCount == 0, "\(file.problems)")
        let written = try file.exported().text().replacing(/\$\{env:[A-Za-z_]+\}/, with: "secret")
        let expected = original.replacing(/canary-[a-z-]+/, with: "secret").replacing(
            "${env:PUSH_SECRET}",
            with: "secret"
        )
        #expect(try json(written) == (try json(expected)))
    }

    @Test(
        "pins of every form are converted",
        arguments: [("android-pins-list", 3), ("android-sdk", 1), ("confidential-client", 0), ("ios-sdk", 0)]
    )
    func pins(name: String, count: Int?) throws {
        let file = try ReadFile(fixture: "real/\(name).json")
        let network = try file.environment().configuration[NetworkSection.self]
        #expect(network?.pins.count ?? 0 == count)
        if count == 3 {
            let hex = try #require(network?.pins.last).sha256.base64
            #expect(hex == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        }
    }

    @Test("a changed setting is written wherever the file has the value")
    func changed() throws {
        let hash = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let file = ReadFile(
            """
            {"services":[{"type":"keycloak","url":"https://a.example.com","config":{"url":"https://a.example.com","realm":"r","resource":"c","clientId":"c"}}],
            "https":[{"host":"a.example.com","certificateHash":"n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=","since":2019}],
            "auth":{"url":"https://b.example.com","clientId":"d"},
            "network":{"pins":[{"host":"b.example.com","sha256":"\(hash)"}]}}
            """
        )
        #expect(file.result.problems.errorCount == 0, "\(file.problems)")
        #expect(
            try file.exported().text() == """
                {"services":[{"type":"keycloak","url":"https://b.example.com","config":{"url":"https://b.example.com","realm":"r","resource":"d","clientId":"d"}}],\
                "https":[{"host":"b.example.com","certificateHash":"\(hash)"}]}
                """
        )
    }

    @Test("imports of older versions without 'file' are still exported")
    func earlierImports() throws {
        let file = ReadFile(
            """
            version: 1
            metrics: { url: https://m.example.com }
            aerogear:
              version: "1.0"
              clusterName: c
              services:
                m: { id: m, type: metrics, url: null, known: true, config: {} }
                x: { id: x, type: other, url: https://x.example.com, known: false, config: { a: 1 } }
            """,
            name: "services.yaml"
        )
        #expect(file.result.problems.errorCount == 0, "\(file.problems)")
        #expect(
            try file.exported().text() == """
                {"version":"1.0","clusterName":"c","services":[{"id":"m","type":"metrics","url":"https://m.example.com","config":{}},\
                {"id":"x","type":"other","url":"https://x.example.com","config":{"a":1}}]}
                """
        )
    }

    @Test("a file keeps its order and version")
    func order() throws {
        let text = """
            {"version":1.0,"services":[{"url":"https://k.example.com","config":{"b":1,"resource":"c","a":2,"realm":"r"},"type":"Keycloak"}]}
            """
        #expect(try ReadFile(text).exported().text() == text)
    }

    @Test("an environment's overrides are written, with absolute URLs")
    func environment() throws {
        let file = try ReadFile(fixture: "services/with-environments.json")
        let prod = try file.exported("prod").text()
        #expect(
            prod == """
                {"services":[{"type":"keycloak","url":"https://sso.example.com/auth/","config":{"realm":"tasks-prod","clientId":"tasks-app"}},\
                {"type":"sync","url":"https://prod.example.com/graphql","config":{"websocketUrl":"wss://prod.example.com/graphql"}}]}
                """
        )
        #expect(try !file.exported("bare").text().contains("sync"))
    }

    @Test(
        "an environment's additions to a variant are written beside it",
        arguments: [
            (#""android":{"variantId":"v"}"#, #""android":{"variantId":"v","variantSecret":"${env:S}"}"#),
            (#""web_push":{"variantID":"v"}"#, #""web_push":{"variantID":"v","variantSecret":"${env:S}"}"#),
            (#""ios":{"variantID":"v"}"#, #""ios":{"variantID":"v","variantSecret":"${env:S}"}"#),
            (#""variantId":"v""#, #""variantId":"v","variantSecret":"${env:S}""#),
        ]
    )
    func platforms(config: String, written: String) throws {
        let service = #"{"id":"a","type":"push","url":"https://p.example.com","config":{\#(config)}}"#
        let prod =
            #"{"baseUrl":"https://prod.example.com","push":{"registrars":{"a":{"variantSecret":"${env:S}"}}}}"#
        let file = ReadFile(
            #"{"version":1,"services":[\#(service)],"environment":"prod","environments":{"prod":\#(prod)}}"#
        )
        #expect(file.result.problems.errorCount == 0, "\(file.problems)")
        let exported = try file.exported("prod").text()
        #expect(
            exported
                == #"{"version":1,"services":[{"id":"a","type":"push","url":"https://p.example.com","config":{\#(written)}}]}"#
        )
    }

    @Test("a file in corewire's layout is exported in a form that the SDKs read")
    func export() throws {
        let file = ReadFile(
            """
            version: 1
            environment: dev
            environments: { dev: { baseUrl: https://dev.example.com }, prod: { baseUrl: "${env:BASE:-https://p.example.com}" } }
            auth:
              provider: keycloak
              url: https://sso.example.com/auth
              realm: tasks
              clientIds: { dev: tasks-dev, prod: tasks-prod }
              clientSecret: hunter2-client
            push:
              tokens: { apns: app }
              registrars:
                ups: { type: unifiedPush, url: https://push.example.com, variantId: v, variantSecret: "${env:S:-hunter2-default}" }
            sync: { url: graphql }
            metrics: { url: /metrics }
            security: { rules: { appVersion: { url: https://mss.example.com, action: stop } } }
            network: { pins: [{ host: api.example.com, sha256: "n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=" }] }
            device: { systemTags: true }
            """,
            name: "corewire.yaml"
        )
        #expect(file.result.problems.errorCount == 0, "\(file.problems)")
        let written = try file.exported("prod").text()
        #expect(
            written == """
                {"version":1,"services":[\
                {"id":"keycloak","name":"keycloak","type":"keycloak","url":"https://sso.example.com/auth","config":\
                {"auth-server-url":"https://sso.example.com/auth","realm":"tasks","resource":"tasks-prod","credentials":{"secret":"${env:clientSecret}"}}},\
                {"id":"sync","name":"sync","type":"sync","url":"${env:BASE:-https://p.example.com}/graphql","config":{}},\
                {"id":"ups","name":"ups","type":"push","url":"https://push.example.com","config":{"ios":{"variantId":"v","variantSecret":"${env:S}"}}},\
                {"id":"metrics","name":"metrics","type":"metrics","url":"${env:BASE:-https://p.example.com}/metrics","config":{}},\
                {"id":"security","name":"security","type":"security","url":"https://mss.example.com","config":{}}],\
                "https":{"certificatePins":[{"host":"api.example.com","certificateHash":"n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE="}]}}
                """
        )
        #expect(ReadFile(written).result.problems.errorCount == 0)
        #expect(try file.export("dev").keysLeftOut(of: file.environment("dev").written) == ["device"])
    }

    @Test("omitted parts of a section are listed")
    func leftOut() throws {
        let file = ReadFile(
            """
            version: 1
            app: { id: com.example.tasks }
            baseUrl: https://p.example.com
            auth: { provider: auth0, url: https://sso.example.com, clientId: tasks }
            push:
              providers: [apns]
              registrars:
                ups: { type: unifiedPush, url: https://push.example.com, variantId: v, variantSecret: "${env:S}" }
                crm: { type: altcraft, url: https://crm.example.com, rToken: role }
            metrics: { url: /metrics }
            sync: null
            security: { rules: { root: { action: block }, appVersion: { url: https://mss.example.com, action: stop } } }
            network: { retries: 3, pins: [{ host: api.example.com, sha256: "n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=" }] }
            x-own: 1
            """,
            name: "corewire.yaml"
        )
        #expect(
            try file.export().keysLeftOut(of: file.environment().written)
                == ["app", "auth", "push.providers", "push.registrars.crm", "security.rules.root", "network.retries"]
        )
    }

    // MARK: Secrets

    static let canaries = """
        {"services": [
          {"type": "push", "url": "https://p.example.com", "config": {
            "ios": {"variantId": "v", "variantSecret": "canary-1"},
            "android": {"variantId": "w", "variantSecret": "canary-2", "googleKey": "canary-3"}}},
          {"type": "keycloak", "url": "https://k.example.com", "config": {
            "realm": "r", "resource": "c", "credentials": {"secret": "canary-4", "jwt": {"x": "canary-5"}}}},
          {"type": "vault", "url": "https://ada:canary-6@v.example.com", "config": {
            "api-token": "canary-7", "list": [{"password": ["canary-8"]}], "region": "eu"}},
          {"type": "push", "url": "https://q.example.com", "config": {"ios": {"variantId": "v", "variantSecret": "canary-9"}},
           "clientSecret": "canary-10"}
        ]}
        """

    @Test("no secret in clear is written, kept, or shown in a report")
    func secrets() throws {
        let file = ReadFile(Self.canaries)
        let written = try file.exported().text()
        #expect(!written.contains("canary"))
        #expect(written.contains("\"region\":\"eu\""))
        var dumped = ""
        dump(try file.section(AeroGearSection.self), to: &dumped)
        #expect(!dumped.contains("canary"))
        let hidden = file.result.secrets.map { String(decoding: $0.file.bytes[$0.bytes], as: UTF8.self) }
        for number in 1...10 { #expect(hidden.contains { $0.contains("canary-\(number)") }, "canary-\(number)") }
        #expect(file.problems.allSatisfy { !$0.contains("canary") })
        #expect(file.problems.count { $0.hasPrefix("CW0208") } == 10)
    }

    @Test("all diagnostics point into one text, so that hidden values are hidden everywhere")
    func oneText() throws {
        let file = ReadFile(
            """
            {"services": [{"type": "push", "type": "push", "url": "https://p.example.com", "config": {"ios": {"variantId": "v",
              "variantSecret": "canary", "variantSecret": "canary"}}}]}
            """
        )
        let hiding = Set(file.result.secrets.map { ObjectIdentifier($0.file) })
        let places = file.result.problems.sorted(files: file.loaded.sources).flatMap {
            [$0.place].compactMap(\.self) + $0.related.map(\.place)
        }
        #expect(!places.isEmpty)
        #expect(file.loaded.sources.count == 1)
        #expect(places.allSatisfy { hiding.contains(ObjectIdentifier($0.file)) })
    }

    @Test(
        "no report shows a secret, however broken the file",
        arguments: [
            canaries,
            #"{"services": [{"config": {"ios": {"variantSecret": "canary-0"}}}]}"#,
            #"{"services": {"push": {"variantSecret": "canary-0"}}}"#,
            #"{"services": [[{"password": "canary-0"}]], "https": [{"token": "canary-1"}]}"#,
            #"{"services": [], "https": {"certificatePins": [{"host": "h", "password": "canary-0"}]}}"#,
            #"{"services": [{"type": "push", "config": {"ios": {"variantId": "v", "variantSecret": "canary-0"}}}]}"#,
            #"{"services": [{"type": "push", "url": "x y", "config": {"ios": {"variantId": "v", "variantSecret": "canary-0"}, "android": {"variantId": "v", "variantSecret": "canary-0"}}}]}"#,
            #"{"services": [{"type": "keycloak", "url": "x y", "config": {"clientSecret": "canary-0", "credentials": {"secret": "canary-0"}}}]}"#,
        ]
    )
    func reports(text: String) {
        for line in [text, text.split(separator: "\n").joined()] {
            let file = ReadFile(line)
            #expect(!file.report.isEmpty)
            #expect(!file.report.contains("canary"), "\(file.report)")
        }
    }

    @Test("a secret behind an alias is hidden where it is written")
    func aliases() {
        let file = ReadFile(
            """
            x-shared: &shared canary-0
            services:
              - { type: vault, url: https://v.example.com, config: { password: *shared } }
              - { type: keycloak, url: x y, config: { realm: r, resource: c, credentials: { secret: *shared } } }
            """,
            name: "services.yaml"
        )
        #expect(file.problems.count { $0.hasPrefix("CW0208:1:19") } == 1)
        #expect(!file.report.contains("canary"), "\(file.report)")
    }

    @Test("a kept reference is no requirement of the deployment")
    func references() throws {
        let file = try ReadFile(fixture: "services/sdk.json")
        let names = try file.environment().references.map(\.reference.name).sorted()
        #expect(names == ["UPS_SECRET", "UPS_VARIANT"])
    }
}
