import Foundation
import Support
import Testing

/// A canary planted wherever a secret may stand must not be seen in any output, of any command, in any format.
@Suite("Secrets")
struct SecrecyTests {
    static let canary = "c4n4ry-s3cr3t-0815"

    static let file = """
        version: 1
        app: { id: com.example.one }
        environment: dev
        x-shared: &shared { clientSecret: \(canary) }
        x-urls: [&here "http://127.0.0.1:7", &socket "ws://127.0.0.1:7"]
        environments:
          dev:
            backend: embedded
            auth: { clientSecret: \(canary) }
            notifications: { streams: { phone: { url: *here }, live: { url: *socket }, lines: { url: *here } } }
          prod: { baseUrl: "https://api.example.com" }
        auth:
          url: https://sso.example.com
          clientIds: { dev: a, prod: b }
          clientSecret: "\(canary)"
          username: kiosk
          password: >-
            \(canary)
        push:
          providers: [apns, webPush]
          tokens:
            apns: { value: \(canary) }
            webPush: { type: ntfy, url: "https://ntfy.example.com", token: \(canary) }
          registrars:
            ups: { type: unifiedPush, url: "https://push.example.com", variantId: v, variantSecret: '\(canary)' }
            hc: { type: healthCloud, path: n, apiKey: "${env:HC:-\(canary)}" }
            crm: { type: altcraft, url: "https://pxl.example.com", rToken: \(canary) }
        notifications:
          streams:
            alerts: { type: ntfy, url: "https://ntfy.example.com", topics: [\(canary)], token: \(canary) }
            more: { type: ntfy, url: "https://ntfy.example.com", topics: [a, "\(canary)"], username: cart, password: '\(canary)' }
            phone: { type: gotify, url: "https://gotify.example.com", token: "\(canary)" }
            ward: { type: mqtt, url: "mqtts://broker.example.com", topics: ["wards/#"], username: cart, password: \(canary) }
            live: { type: webSocket, url: "wss://live.example.com", secretHeaders: { x-api-key: \(canary) } }
            lines: { type: jsonLines, url: "https://events.example.com", secretHeaders: { X-Key: "id=\(canary)" } }

        """

    static let commands: [[String]] =
        [
            ["validate-config"], ["validate-config", "--format", "json"], ["validate-config", "--format", "sarif"],
            ["validate-config", "--format", "github"], ["validate-config", "--local"], ["validate-config", "--strict"],
            ["env", "list"], ["env", "show", "dev"],
            ["env", "show", "prod", "--format", "json"], ["env", "diff", "dev", "prod"],
            ["env", "diff", "dev", "prod", "--format", "json"],
            ["env", "contract", "prod"], ["env", "contract", "prod", "--format", "json"],
            ["env", "contract", "prod", "--format", "env"],
            ["export"], ["export", "--format", "json"], ["export", "--format", "aerogear-json", "--env", "prod"],
        ]
        + [
            "auth.clientSecret", "auth.password", "auth", "push", "push.registrars", "push.registrars.crm.rToken",
            "push.tokens.apns.value", "push.tokens.apns", "push.tokens.webPush", "push.tokens.webPush.token",
            "notifications", "notifications.streams", "notifications.streams.alerts",
            "notifications.streams.alerts.topics",
            "notifications.streams.alerts.token", "notifications.streams.more.password",
            "notifications.streams.phone.token",
            "notifications.streams.ward.password", "notifications.streams.live.secretHeaders", "x-shared",
            "environments.dev.auth", "environments.dev",
        ].flatMap {
            [["explain", $0], ["explain", $0, "--format", "json"]]
        }

    @Test("no command shows a secret of a valid file", arguments: commands)
    func valid(command: [String]) throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.file, to: "a.yaml")
        let run = try Program.corewire(command + ["--config", "a.yaml"], in: folder.url)
        #expect(!run.everything.contains(Self.canary))
        // The secrets in clear are warnings; what is refused would show nothing anyway.
        #expect(run.status == (command.contains("--strict") ? 1 : 0), "\(run.everything)")
        #expect(!run.everything.isEmpty)
    }

    @Test(
        "no format shows a secret of a broken file, whatever is broken",
        arguments: ["text", "json", "sarif", "github"]
    )
    func broken(format: String) throws {
        let folder = try TemporaryFolder()
        let breakages: [(String, String)] = [
            ("clientSecret: \"", "clientSecret: \"\\q"), ("clientSecret: \"", "clientSecrt: \""),
            ("password: >-", "pasword: >-"),
            ("password: >-", "password:\n    - >-"), ("variantSecret: '", "variantSecret: \""),
            ("rToken: ", "rtoken: "), ("rToken: ", "rToken: @"),
            ("rToken: ", "rToken: {"), ("clientSecret: \"", "clientSecret: a: \""),
            ("apiKey: \"${env:HC:-", "apiKey: \"${evn:HC:-"),
            ("apiKey: \"${env:HC:-", "apiKey: \"${env:HC"), ("auth:\n", "auth: [\n"), ("auth:\n", "atuh:\n"),
            ("tokens:", "tokens: {{"), ("webPush: {", "webPush: [{"), ("token: ", "tokn: "), ("token: ", "token: @"),
            ("token: ", "token: {"), ("topics: [", "topic: ["), ("topics: [", "topics: [["), ("topics: [", "topics: {"),
            ("topics: [", "topics: [a b, "), ("topics: [\(Self.canary)]", "topics: \(Self.canary)/"),
            ("topics: [\(Self.canary)]", "topics: [\(Self.canary)/#]"), ("type: ntfy", "type: ntfi"),
            ("type: ntfy, ", ""),
            ("type: ntfy", "type: jsonLines"), ("type: ntfy", "type: autopush"), ("type: gotify", "type: ntfy"),
            ("type: mqtt", "type: sse"), ("username: cart, ", ""), ("username: cart", "username: 'a:b'"),
            ("secretHeaders: {", "secretHeader: {"), ("secretHeaders: {", "secretHeaders: [{"),
            ("secretHeaders: { x-api-key: ", "secretHeaders: { 'x api': "), ("X-Key: \"", "Host: \""),
            ("streams:\n", "stream:\n"), ("streams:\n", "streams: [\n"), ("notifications:\n", "notifcations:\n"),
            ("type: altcraft, ", ""), ("type: altcraft", "type: altcrat"), ("value: ", "vaule: "),
            ("username: kiosk", "\tusername: kiosk"),
            ("version: 1", "version: 2"), ("push:\n", "push: &p\n  <<: *p\n"),
        ]
        for (old, new) in breakages {
            let text = Self.file.replacing(old, with: new)
            #expect(text != Self.file)
            try folder.write(text, to: "a.yaml")
            let run = try Program.corewire(["validate-config", "a.yaml", "--format", format], in: folder.url)
            #expect(!run.everything.contains(Self.canary), "\(old) → \(new):\n\(run.everything)")
            #expect(run.status == 1)
        }
    }

    @Test("a secret from --set, a variable or a file stays hidden")
    func references() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app: { id: com.example.one }\nauth: { url: https://h.example.com, clientId: a, clientSecret: '${file:s}', password: '${env:P}', scopes: ['${env:P}'] }\n",
            to: "a.yaml"
        )
        try folder.write(Self.canary + "\n", to: "s")
        for command in [
            ["validate-config", "--local", "--set", "auth.clientSecret=\(Self.canary)"],
            ["validate-config", "--set", "auth.clientSecret=[\(Self.canary)]"], ["validate-config", "--local"],
            ["env", "show"], ["explain", "auth.password"],
        ] {
            let run = try Program.corewire(
                command + ["--config", "a.yaml"],
                in: folder.url,
                environment: ["P": Self.canary + " x"]
            )
            #expect(!run.everything.contains(Self.canary), "\(command): \(run.everything)")
        }
    }

    @Test(
        "a secret with an invalid reference stays hidden",
        arguments: ["${evn:P:-\(canary)}", "\(canary)${env:P"]
    )
    func malformed(secret: String) throws {
        let file = "auth: { url: https://h.example.com, clientId: a, clientSecret: '\(secret)' }\n"
        for path in ["auth.clientSecret", "auth"] {
            let run = try Program.corewire(["explain", path, "--config", "-"], input: Data(file.utf8))
            #expect(run.output.contains("[redacted]") && !run.everything.contains(Self.canary), "\(run.everything)")
        }
    }

    @Test("an overridden secret, and one that is not read, stay hidden")
    func superseded() throws {
        let folder = try TemporaryFolder()
        try folder.write("auth: { clientSecret: \(Self.canary), bogus: 1 }\n", to: "part.yaml")
        try folder.write("include: [part.yaml]\nauth: { clientSecret: '${env:X}' }\n", to: "included.yaml")
        try folder.write(
            "auth:\n  <<: { clientSecret: \(Self.canary), bogus: 1 }\n  clientSecret: '${env:X}'\n",
            to: "merged.yaml"
        )
        try folder.write("auth: {{x}: 1, clientSecret: \(Self.canary)}\n", to: "template.yaml")
        try folder.write("auth: { url: 'https://u:\(Self.canary)@h.example.com', clientId: a }\n", to: "url.yaml")
        try folder.write("push: { registrars: { crm: { type: altcrat, rToken: \(Self.canary) } } }\n", to: "type.yaml")
        for name in ["included", "merged", "template", "url", "type"] {
            for command in [["validate-config"], ["validate-config", "--format", "json"], ["env", "show"]] {
                let run = try Program.corewire(command + ["--config", "\(name).yaml"], in: folder.url)
                #expect(!run.everything.contains(Self.canary), "\(name) \(command): \(run.everything)")
            }
        }
        let kept =
            "{\"services\": [{\"type\": \"other\", \"url\": \"https://h.example.com\", \"config\": {\"apiKey\": \"\(Self.canary)\"}}]}"
        try folder.write(kept, to: "kept.json")
        #expect(try !Program.corewire(["import", "kept.json"], in: folder.url).everything.contains(Self.canary))
        #expect(
            try !Program.corewire(["env", "show", "--config", "kept.json"], in: folder.url).everything.contains(
                Self.canary
            )
        )
    }
}
