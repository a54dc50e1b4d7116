import Foundation
import Support
import Testing

/// The schema and the program judge files alike, as far as draft-07 can say what the program knows.
///
/// The validator is python3-jsonschema, which reads the schema and the files by itself.
@Suite("The schema of services files matches the parser")
struct SchemaAgreementTests {
    /// What a validator says of a text.
    private enum Verdict: Equatable {
        /// The reader of YAML or JSON refuses it before anything is judged.
        case unreadable
        case valid
        case refused
    }

    /// Broken files that the schema takes, by the reason why draft-07 cannot refuse them.
    private static let beyond: [String: [String]] = [
        "it is a rule across keys or sections, or about names that others declare": [
            "addon-variable.yaml", "altcraft-platform-without-provider.yaml", "altcraft-without-authorization.yaml",
            "api-key-in-authorization.yaml", "api-open-to-the-network.yaml", "api-without-door.yaml",
            "app-id-not-a-bus-name.yaml",
            "app-mode-without-secret.yaml", "backends-at-one-address.yaml", "backoff-turned-round.yaml",
            "claims-of-the-issuer.yaml", "connection-limits.yaml",
            "content-without-sign-in.yaml", "data-without-schema.yaml", "device-without-sign-in.yaml",
            "download-to-nowhere.yaml", "downloads-outside.yaml", "everybody-blocked.yaml",
            "halo-with-a-browser.yaml", "halo-without-device.yaml", "handler-sign-nothing.yaml",
            "handler-state-nowhere.yaml", "handler-without-action.yaml", "header-corewire-writes.yaml",
            "header-in-both-places.yaml", "header-of-the-protocol.yaml", "header-twice.yaml",
            "health-cloud-without-sign-in.yaml", "jwt-of-nobody.yaml",
            "link-program-without-link.yaml", "link-with-own-scheme.yaml", "module-twice.yaml",
            "namespace-beyond-the-store.yaml", "namespaces-beyond-all.yaml",
            "no-client-id.yaml", "no-issuer.yaml", "no-push-tokens.yaml", "open-without-tap.yaml",
            "password-flow-without-password.yaml", "pinned-plain-base.yaml", "pinned-plain-host.yaml",
            "present-on-remote.yaml", "profile-change-without-value.yaml",
            "push-events-without-id.yaml", "push-variable.yaml", "realm-for-another-provider.yaml",
            "reconnect-turned-round.yaml", "redirect-into-the-browser.yaml", "refetch-without-sync.yaml",
            "retries-turned-round.yaml", "services-list-empty.yaml", "rule-with-nothing-to-find.yaml",
            "scopes-without-openid.yaml", "store-without-key.yaml",
            "secret-in-push-header.yaml", "security-without-metrics.yaml", "store-key-too-short.yaml",
            "sync-only-declared.yaml", "sync-without-operation-files.yaml", "sync-without-sign-in.yaml",
            "tag-of-the-system.yaml", "task-flex-as-long-as-period.yaml", "task-named-as-of-a-service.yaml",
            "token-to-stranger.yaml", "task-with-template.yaml", "task-with-two-actions.yaml",
            "task-without-action.yaml",
            "template-in-addon.yaml", "too-many-streams.yaml", "unknown-button.yaml",
            "version-check-without-version.yaml", "web-push-without-notifications.yaml",
        ],
        "what a service lacks may stand in a section of the same file or of an environment": [
            "aerogear-keycloak-without-realm.json", "aerogear-misspelt-key.json",
            "aerogear-push-without-variant.json", "aerogear-websocket-over-http.json",
        ],
        "a reader of YAML or JSON keeps none of it: keys that stand twice, tags, aliases, encodings, depth": [
            "value-lost-to-a-comment.yaml", "value-lost-to-a-comment-in-braces.yaml", "version-with-a-fraction.yaml",
            "alias-bomb.yaml", "alias-inside-itself.yaml", "directive-of-another-version.yaml",
            "question-mark-in-braces.yaml", "duplicate-environment.yaml", "duplicate-key.json",
            "secret-twice.yaml",
            "duplicate-section.yaml", "key-twice.yaml", "not-a-number.json", "tag.yaml", "too-deep.yaml",
            "utf16.yaml",
        ],
        "it is in a file that is included": [
            "broken-include-no-cascade.yaml", "error-in-included-file.yaml", "include-folder.yaml",
            "include-in-a-circle.yaml", "include-itself.yaml", "include-missing-file.yaml",
            "include-of-a-query.yaml",
        ],
        "it depends on which environments there are and on what each lays over the file": [
            "client-for-unknown-environment.yaml", "client-ids-without-environments.yaml",
            "default-environment-not-declared.yaml", "device-never-registered.yaml",
            "embedded-mixed-with-remote.yaml", "embedded-with-base-url.yaml", "embedded-without-stand-in.yaml",
            "environment-not-covered.yaml", "environments-in-a-long-chain.yaml",
            "environment-without-environments.yaml", "extends-each-other.yaml",
            "extends-in-a-circle.yaml", "extends-itself.yaml", "extends-unknown.yaml", "no-base-url-at-all.yaml",
            "no-base-url.yaml", "no-default-environment.yaml", "null-removes-required-key.yaml",
            "same-problem-in-all-environments.yaml",
        ],
        "what may be sent without TLS depends on the hosts that the file lists": [
            "plain-http.yaml", "plain-web-socket.yaml",
        ],
        "a pattern cannot say what stands inside a reference, or what only looks like one": [
            "reference-inside-a-name.yaml", "secret-as-shell-variable.yaml", "secret-with-line-break.yaml",
        ],
        "the default of a reference has the type of its key": [
            "reference-default-of-wrong-type.yaml"
        ],
    ]

    @Test("every valid file in configs is valid by the schema, and every broken one is invalid by both")
    func files() throws {
        let broken = Repository.files(below: "configs/broken").filter { path in
            path.split(separator: "/").count == 3 && [".yaml", ".yml", ".json"].contains { path.hasSuffix($0) }
                // What is wrong there stands on the command line.
                && !ConfigFileTests.exists(path[..<(path.lastIndex(of: ".") ?? path.endIndex)] + ".args")
        }
        let listed = Set(Self.beyond.values.joined())
        let good = ConfigFileTests.goodFiles
        let verdicts = try Self.verdicts(of: (good + broken).map { ($0, nil) })
        for path in good { #expect(verdicts[path] == .valid, "the schema refuses \(path)") }
        for path in broken {
            let name = String(path.dropFirst("configs/broken/".count))
            let text = try Repository.text(of: path[..<(path.lastIndex(of: ".") ?? path.endIndex)] + ".txt")
            let isError = text.split(separator: "\n").contains { $0.hasPrefix("error[") }
            let verdict = verdicts[path]
            if listed.contains(name) {
                #expect(isError && verdict == .valid, "\(name) is refused by the schema too: take it off the list")
            } else {
                let agrees = verdict == .unreadable ? isError : (verdict == .refused) == isError
                #expect(agrees, "\(name): the schema says \(String(describing: verdict)), the program \(text)")
            }
        }
        let missing = listed.subtracting(broken.map { String($0.dropFirst("configs/broken/".count)) })
        #expect(missing.isEmpty, "listed, and not there: \(missing)")
    }

    private static let head = "version: 1\napp: { id: com.example.one }\n"
    private static let base = "baseUrl: https://api.example.com\n"

    private static let texts: [(isValid: Bool, text: String)] = [
        (true, "auth: { url: https://h, clientId: a, lock: null }"),
        (true, "security: { rules: { debugger: } }"), (true, "security: { rules: { debugger: null } }"),
        (true, "auth: { provider: keycloak, url: https://h, realm: 1, clientId: 7 }"),
        (true, "push: { tokens: { apns: { env: T } }, registrars: { x: { type: \"${env:T}\" } } }"),
        (true, "network: { timeout: \"${env:T}\", retries: null, x-mine: 1 }"),
        (true, "network: { timeout: 1m30s }"), (true, "network: { timeout: 90s }"),
        (true, "device: { alias: 17, register: never }"),
        (true, "baseUrl: https://h:8443/a/b"), (true, "metrics: { url: ./api.dev/items }\n\(base)"),
        (true, "metrics: { url: \"metrics?a=1\" }\n\(base)"),
        (true, "include: []\nenvironment: a\nenvironments: { a: null, x-b: 1 }"),
        (
            true,
            "environment: a\nenvironments: { a: { \(base.dropLast()), sync: { url: q } } }\nsync: { authenticated: false }"
        ),
        (false, "environment: a\nenvironments: { a: {} }\nsync: { authenticated: false }"),
        (false, "sync: { authenticated: false }"), (false, "version: 2"), (false, "network: { retires: 1 }"),
        (false, "network: { retries: 11 }"), (false, "network: { timeout: soon }"),
        (false, "network: { timeout: 2d }"),
        (false, "network: { timeout: 0s }"), (false, "network: { timeout: \"${ENV}\" }"),
        (false, "environment: a\nenvironments: { a: { netwrok: {} } }"),
        (false, "environment: a\nenvironments: { \"a b\": {} }"),
        (false, "push: { registrars: { x: { type: unifiedPush } } }"),
        (false, "push: { tokens: { apns: { env: T, value: x } }, registrars: {} }"),
        (false, "push: { tokens: { apns: {} }, registrars: {} }"),
        (false, "auth: { url: https://h, clientId: \"é\" }"),
        (false, "baseUrl: https//h"), (false, "baseUrl: h.example.com"), (false, "baseUrl: \"https://h?x\""),
        (false, "metrics: { url: htps://h }"), (false, "metrics: { url: ftp://h }"),
        (false, "metrics: { url: api.example.com/m }\n\(base)"),
        (false, "metrics: { url: \"localhost:80/m\" }\n\(base)"),
        (true, "network: { plainHosts: [h.example.com, \"::1\", \"${env:H}\"] }"),
        (true, "network: { proxy: \"http://p:1\", proxyUser: a, proxyPassword: null }"),
        (true, "network: { proxy: \"http://p:1\", proxyUser: null }"),
        (true, "auth: { url: https://h, clientId: a, clientIds: null }"),
        (false, "network: { proxy: none, proxyPassword: \"${env:P}\" }"),
        (false, "network: { proxy: null, proxyUser: a }"), (false, "network: { plainHosts: [https://h] }"),
        (false, "network: { plainHosts: [a..b] }"), (false, "network: { plainHosts: [\"*.h.example.com\"] }"),
        (false, "push: { providers: [apns, apns], tokens: { apns: app }, registrars: {} }"),
        (false, "allow: { plain-htp: \"because\" }"), (false, "allow: { secret-in-clear: \"\" }"),
    ]

    /// Of all texts at once: the validator takes far longer to start than to judge one.
    private static let verdictsOfTexts = Result { try verdicts(of: texts.map { (name(of: $0.text), file($0.text)) }) }

    private static func name(of text: String) -> String { text.replacing("\n", with: " ") + ".yaml" }

    private static func file(_ text: String) -> String { text.hasPrefix("version") ? text : head + text }

    @Test("the schema and the parser agree about every text", arguments: texts)
    func text(isValid: Bool, text: String) throws {
        let run = try Program.corewire(["validate-config", "-"], input: Data(Self.file(text).utf8))
        #expect((run.status == 0) == isValid, "\(run.everything)")
        #expect(try Self.verdictsOfTexts.get()[Self.name(of: text)] == (isValid ? .valid : .refused))
    }

    @Test("a services file in the README or docs is valid, or invalid, by both")
    func pages() throws {
        let pages = ["README.md"] + Repository.files(below: "docs", ending: ".md")
        var files: [String: String] = [:]
        for page in pages {
            let parts = try Repository.text(of: page).components(separatedBy: "```")
            for (index, part) in parts.enumerated() where part.hasPrefix("yaml\n") {
                files["\(page).\(index).yaml"] = String(part.dropFirst("yaml\n".count))
            }
        }
        #expect(files.count >= 20)
        let names = files.keys.sorted()
        let verdicts = try Self.verdicts(of: names.map { ($0, files[$0]) })
        var taken = 0
        for name in names {
            let run = try Program.corewire(["validate-config", "-"], input: Data((files[name] ?? "").utf8))
            if run.status == 0 { taken += 1 }
            let isShape = run.everything.contains("error[CW02")
            if run.status == 0 { #expect(verdicts[name] == .valid, "the schema refuses \(name)") }
            if isShape { #expect(verdicts[name] == .refused, "the schema takes \(name): \(run.everything)") }
        }
        #expect(taken >= 10)
    }

    /// What the validator says of each text, or of the file of that name: as YAML unless its name ends like JSON.
    private static func verdicts(of files: [(name: String, text: String?)]) throws -> [String: Verdict] {
        let script = """
            import json, re, sys, yaml, jsonschema
            class Core(yaml.SafeLoader): pass  # YAML 1.2: 'on' and 'no' are text
            Core.yaml_implicit_resolvers = {
                first: [(tag, rule) for tag, rule in rules if tag != "tag:yaml.org,2002:bool" and not tag.endswith(":timestamp")]
                for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
            }
            Core.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), "tf")
            schema = json.load(open("schemas/mobile-services.schema.json"))
            jsonschema.Draft7Validator.check_schema(schema)
            validator = jsonschema.Draft7Validator(schema)
            for name, text in json.load(sys.stdin):
                try:
                    text = open(name, "rb").read() if text is None else text
                    value = json.loads(text) if name.endswith(".json") else yaml.load(text, Core)
                except (ValueError, yaml.YAMLError, RecursionError):
                    print("unreadable", name)
                    continue
                print("valid" if validator.is_valid(value) else "refused", name)
            """
        let input = try JSONSerialization.data(withJSONObject: files.map { [$0.name, $0.text ?? NSNull()] as [Any] })
        let run = try Program.run("/usr/bin/python3", ["-c", script], input: input)
        #expect(run.status == 0, "\(run.errors)")
        var verdicts: [String: Verdict] = [:]
        for line in run.output.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            verdicts[String(words[1])] = words[0] == "valid" ? .valid : words[0] == "refused" ? .refused : .unreadable
        }
        return verdicts
    }
}
