import Foundation
import Support
import Testing

@Suite("init, import, export")
struct ImportExportTests {
    @Test(
        "every template of init is valid, and init overwrites no file",
        arguments: ["minimal", "complete", "aerogear"]
    )
    func templates(name: String) throws {
        let folder = try TemporaryFolder()
        let file = name == "aerogear" ? "mobile-services.json" : "mobile-services.yaml"
        #expect(try Program.corewire(["init", "--template", name], in: folder.url).status == 0)
        let checked = try Program.corewire(["validate-config", file, "--strict"], in: folder.url)
        #expect(checked.status == 0, "\(checked.everything)")
        let text = try folder.text(of: file)
        try folder.write("# mine\n", to: file)
        let again = try Program.corewire(["init", "--template", name], in: folder.url)
        #expect(again.status == 73 && again.errors.contains("--force"))
        #expect(try folder.text(of: file) == "# mine\n")
        #expect(try Program.corewire(["init", "--template", name, "--force"], in: folder.url).status == 0)
        #expect(try folder.text(of: file) == text)
    }

    @Test("each section of the complete template has only known keys")
    func completeTemplate() throws {
        let text = try Program.corewire(["init", "--template", "complete", "--output", "-"]).output
        // A key that is off begins with its mark; prose has a mark, one space and a word.
        func isOff(_ line: Substring) -> Bool {
            let inside = line.dropFirst()
            let indentation = inside.prefix { $0 == " " }.count
            return line.hasPrefix("#") && indentation != 1 && !inside.dropFirst(indentation).hasPrefix("#")
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.filter(isOff).count > 150)
        let live = lines.map { isOff($0) ? $0.dropFirst() : $0 }.joined(separator: "\n")
        let run = try Program.corewire(["validate-config", "-"], input: Data(live.utf8))
        for code in ["CW0103", "CW0201", "CW0202", "CW0203", "CW0111"] {
            #expect(!run.output.contains("[\(code)"), "\(run.output)")
        }
    }

    @Test(
        "an AeroGear file is imported as a valid services file, and exported again",
        arguments: [
            "configs/examples/aerogear/mobile-services.json", "configs/examples/aerogear-sdk/mobile-services.json",
        ]
    )
    func aeroGear(path: String) throws {
        let folder = try TemporaryFolder()
        let imported = try Program.corewire(["import", path])
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output.contains("\n# app: { id: com.example.tasks }\n"), "\(imported.output)")
        try folder.write(imported.output, to: "mobile-services.yaml")
        let checked = try Program.corewire(["validate-config"], in: folder.url)
        #expect(checked.status == 0, "\(checked.everything)")
        let exported = try Program.corewire(["export", "--format", "aerogear-json"], in: folder.url)
        #expect(exported.status == 0, "\(exported.errors)")
        func types(_ data: Data) throws -> [String] {
            let services =
                (try JSONSerialization.jsonObject(with: data) as? [String: Any])?["services"] as? [[String: Any]]
            return (services ?? []).compactMap { $0["type"] as? String }.sorted()
        }
        let before = try types(Data(contentsOf: Repository.root.appendingPathComponent(path)))
        #expect(try types(Data(exported.output.utf8)) == before && !before.isEmpty)
    }

    static let realFiles = Repository.files(below: "Tests/WireDialectsTests/Fixtures/real", ending: ".json")

    @Test("an AeroGear file is unchanged after import and export, except for its secrets", arguments: realFiles)
    func realFile(path: String) throws {
        let folder = try TemporaryFolder()
        let original = try Repository.text(of: path)
        let imported = try Program.corewire(["import", path])
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output.contains("\n# app: { id: com.example.tasks }\n"), "\(imported.output)")
        try folder.write(imported.output, to: "mobile-services.yaml")
        let checked = try Program.corewire(["validate-config"], in: folder.url)
        #expect(checked.status == 0, "\(checked.everything)")
        let back = try Program.corewire(["export", "--format", "aerogear-json"], in: folder.url)
        let direct = try Program.corewire(["export", "--config", path, "--format", "aerogear-json"])
        for run in [back, direct] {
            #expect(run.status == 0, "\(run.errors)")
            #expect(Self.bare(run.output) == Self.bare(original))
            #expect(!run.errors.contains("left out"), "\(run.errors)")
        }
        #expect(![imported, checked, back, direct].contains { $0.everything.contains("canary") })
    }

    /// A JSON text without white space between its tokens, and with one word for every secret.
    private static func bare(_ json: String) -> String {
        let text = json.replacing(/\$\{env:[A-Z0-9_]+\}|canary-[a-z-]+/, with: "secret")
        var isText = false
        return text.split(separator: "\"", omittingEmptySubsequences: false).map { part in
            defer { isText.toggle() }
            return isText ? String(part) : part.filter { !$0.isWhitespace }
        }
        .joined(separator: "\"")
    }

    @Test("import reports the outcome of every value with its line, and the variable that replaces it")
    func importReport() throws {
        let path = "Tests/WireDialectsTests/Fixtures/real/android-sdk.json"
        let run = try Program.corewire(["import", path])
        for line in [
            "imported:", "  line 2: version -> version",
            "  line 8: services.0.config.android.variantId -> push.registrars.push.variantId",
            "  line 11: services.2.config.resource -> auth.clientId",
            "  line 15: https.certificatePins.0.certificateHash -> network.pins.0.sha256",
            "without effect:", "  line 3: clusterName (in aerogear.file)",
            "  line 9: services.1.config.ratio (in aerogear.file)",
            "secrets that became references:",
            "  line 8: services.0.config.android.variantSecret -> push.registrars.push.variantSecret: ${env:PUSH_REGISTRARS_PUSH_VARIANT_SECRET}; set PUSH_REGISTRARS_PUSH_VARIANT_SECRET where it runs",
        ] {
            #expect(run.errors.contains(line + "\n"), "\(line)\n\(run.errors)")
        }
        let variable = "PUSH_REGISTRARS_PUSH_VARIANT_SECRET"
        #expect(run.output.contains("(line 8): provide it as \(variable).\n"))
        #expect(run.output.split(separator: "\n").count { $0.hasSuffix("variantSecret: ${env:\(variable)}") } == 2)
        let report = try Program.corewire(["import", path, "--format", "json", "--output", "-"])
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(report.errors.utf8)) as? [String: Any]
        )
        let items = try #require(object["items"] as? [[String: Any]])
        #expect(object["complete"] as? Bool == true)
        #expect(Set(items.compactMap { $0["outcome"] as? String }) == ["taken", "kept", "reference"])
        #expect(items.first { $0["path"] as? String == "services.2.config.resource" }?["line"] as? Int == 11)
    }

    @Test("import reports corewire's own settings beside AeroGear's")
    func ownSettings() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            { "version": 1, "services": [ { "type": "keycloak", "url": "https://sso.example.com",
                "config": { "realm": "r", "resource": "tasks" } } ],
              "network": { "retries": 4 } }
            """,
            to: "old.json"
        )
        let run = try Program.corewire(["import", "old.json"], in: folder.url)
        #expect(run.status == 0 && run.output.contains("retries: 4"), "\(run.everything)")
        #expect(run.errors.contains("  line 3: network.retries -> network.retries\n"), "\(run.errors)")
    }

    @Test("a property list value without a counterpart is reported, and sets the exit status")
    func leftOut() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
            <key>CLIENT_ID</key><string>tasks</string><key>CLIENT_SECRET</key><string>canary</string>
            <key>SINCE</key><date>2024-01-01T00:00:00Z</date></dict></plist>
            """,
            to: "Halo.plist"
        )
        let run = try Program.corewire(["import", "Halo.plist"], in: folder.url)
        #expect(run.status == 1, "\(run.everything)")
        #expect(run.errors.contains("SINCE: a services file cannot hold a value of this type"), "\(run.errors)")
        #expect(run.errors.hasSuffix("; not complete\n"), "\(run.errors)")
    }

    @Test("secrets whose variable names collide get distinct variables")
    func variables() throws {
        let folder = try TemporaryFolder()
        let settings = "type: unifiedPush, url: https://push.example.com"
        try folder.write(
            """
            version: 1
            app: { id: com.example.tasks }
            push:
              tokens: { apns: app }
              registrars:
                a-b: { \(settings), variantId: v, variantSecret: one }
                a_b: { \(settings), variantId: w, variantSecret: two }

            """,
            to: "mobile-services.yaml"
        )
        let run = try Program.corewire(["export", "--format", "yaml"], in: folder.url)
        let variable = "PUSH_REGISTRARS_A_B_VARIANT_SECRET"
        #expect(run.status == 0, "\(run.everything)")
        for name in [variable, "\(variable)_2"] { #expect(run.output.contains("${env:\(name)}"), "\(run.everything)") }
    }

    @Test("a value that import cannot convert is reported with its place, and sets the exit status")
    func incomplete() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            { "services": [
              { "type": "keycloak", "url": "https://sso.example.com", "config": { "realm": "r" } },
              { "url": "https://a.example.com" } ],
              "https": [{ "host": "a.example.com" }] }
            """,
            to: "old.json"
        )
        let run = try Program.corewire(["import", "old.json", "--output", "new.yaml"], in: folder.url)
        #expect(run.status == 1 && run.output.isEmpty)
        for line in ["line 3:3: missing 'type' in services.1", "line 4:13: missing 'certificateHash' in https.0"] {
            #expect(run.errors.contains(line), "\(run.errors)")
        }
        #expect(run.errors.contains("problems to fix in the written file:\n"), "\(run.errors)")
        #expect(run.errors.hasSuffix("; not complete\n"), "\(run.errors)")
        #expect(try folder.text(of: "new.yaml").contains("a.example.com"))
    }

    @Test("a secret in clear is exported as a reference, and reported", arguments: ["yaml", "json", "aerogear-json"])
    func secretsInClear(format: String) throws {
        let folder = try TemporaryFolder()
        let text = """
            version: 1
            app: { id: com.example.tasks }
            push:
              tokens: { apns: app }
              registrars:
                ups: { type: unifiedPush, url: https://push.example.com, variantId: v, variantSecret: canary }
            network: { retries: 2 }
            auth: { provider: oidc, url: https://sso.example.com, clientId: tasks }

            """
        try folder.write(text, to: "mobile-services.yaml")
        let run = try Program.corewire(["export", "--format", format], in: folder.url)
        let variable = "PUSH_REGISTRARS_UPS_VARIANT_SECRET"
        #expect(run.status == 0 && run.output.contains("${env:\(variable)}"), "\(run.everything)")
        #expect(!run.everything.contains("redacted") && !run.everything.contains("canary"))
        #expect(run.errors.contains("replaced by ${env:\(variable)}: set \(variable) where the file is used\n"))
        guard format == "aerogear-json" else { return }
        #expect(run.errors.contains("left out, because the AeroGear format cannot express them"))
        #expect(
            run.errors.contains(
                "services.0.config.ios.variantSecret is ${env:\(variable)}, which AeroGear SDKs do not resolve"
            )
        )
        let report = try Program.corewire(["export", "--format", format, "--report", "json"], in: folder.url)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(report.errors.utf8)) as? [String: Any]
        )
        #expect(Set(try #require(object["leftOut"] as? [String])).isSuperset(of: ["app", "auth", "network.retries"]))
        #expect(report.output == run.output)
    }

    @Test(
        "the file of init names an existing schema, and matches it",
        arguments: ["minimal", "complete", "aerogear"]
    )
    func schemas(name: String) throws {
        let folder = try TemporaryFolder()
        let file = name == "aerogear" ? "mobile-services.json" : "mobile-services.yaml"
        #expect(try Program.corewire(["init", "--template", name], in: folder.url).status == 0)
        #expect(try !folder.text(of: file).contains("$schema="))
        let run = try Program.corewire(["init", "--template", name, "--schema", "--force"], in: folder.url)
        #expect(run.status == 0, "\(run.everything)")
        let start = name == "aerogear" ? "{\n  \"$schema\": \"" : "# yaml-language-server: $schema="
        #expect(try folder.text(of: file).hasPrefix("\(start)mobile-services.schema.json"))
        let checked = try Program.corewire(["validate-config", file, "--strict"], in: folder.url)
        #expect(checked.status == 0, "\(checked.everything)")
        let json = try Program.corewire(["export", "--config", file, "--format", "json"], in: folder.url)
        try folder.write(json.output, to: "exported.json")
        let files = name == "aerogear" ? [file, "exported.json"] : ["exported.json"]
        let script = """
            import json, sys, jsonschema
            schema = json.load(open("mobile-services.schema.json"))
            for file in sys.argv[1:]: jsonschema.Draft7Validator(schema).validate(json.load(open(file)))
            """
        let validated = try Program.run("/usr/bin/python3", ["-c", script] + files, in: folder.url)
        #expect(validated.status == 0, "\(validated.everything)")
    }

    @Test("a HALO property list is imported with its secrets as references")
    func halo() throws {
        let folder = try TemporaryFolder()
        let imported = try Program.corewire(["import", "configs/examples/halo.plist"])
        #expect(imported.status == 0, "\(imported.errors)")
        try folder.write(imported.output, to: "mobile-services.yaml")
        let checked = try Program.corewire(["validate-config"], in: folder.url)
        #expect(checked.status == 0, "\(checked.everything)")
        for line in [
            "clientSecret: ${env:HALO_CLIENT_SECRET}", "username: ${env:HALO_USERNAME}",
            "password: ${env:HALO_PASSWORD}",
        ] {
            #expect(imported.output.contains("  \(line)\n"), "\(line)")
        }
        for value in ["the-secret-of-the-client", "ada", "the-password-of-ada"] {
            #expect(!imported.output.contains(value), "\(value)")
        }
    }

    @Test(
        "a file of neither format is rejected with its name",
        arguments: [
            ("configs/mobile-services.yaml", "declares environments: it is a services file already"),
            ("Package.swift", "cannot be imported"),
            ("configs/broken/duplicate-key.json", "is neither an AeroGear mobile-services.json nor a HALO .plist"),
        ]
    )
    func others(path: String, reason: String) throws {
        let run = try Program.corewire(["import", path])
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains("error: '\(path)' \(reason)"), "\(run.errors)")
    }
}
