import Foundation
import Support
import Testing

@Suite("Output formats")
struct FormatTests {
    /// A file with a warning, an error with a second place, an error with a fix, and one of a single environment.
    static let file = """
        version: 1
        app: { id: com.example.one }
        environment: dev
        environments:
          dev: { baseUrl: "https://dev.example.com" }
          prod: { baseUrl: "https://api.example.com", network: { retries: 99 } }
        auth: { url: "https://sso.example.com", clientIds: { dev: a, prod: b }, clientSecret: s3cr3t }
        network: { timeuot: 3s }   # 🎉 ü
        device: { alias: x, alias: y }

        """

    static func run(_ format: String, environment: [String: String] = [:]) throws -> Run {
        let folder = try TemporaryFolder()
        try folder.write(file, to: "a b,c.yaml")
        return try Program.corewire(
            ["validate-config", "a b,c.yaml", "--format", format],
            in: folder.url,
            environment: environment
        )
    }

    /// Runs Debian's Python, which has Debian's libraries.
    static func python(_ script: String, _ input: String) throws -> Run {
        try Program.run("/usr/bin/python3", ["-c", script], input: Data(input.utf8))
    }

    @Test("JSON output matches its schema, and places point at the problem")
    func json() throws {
        let output = try Self.run("json").output
        let script = """
            import json, sys, jsonschema
            jsonschema.Draft7Validator(json.load(open("schemas/report.schema.json"))).validate(json.load(sys.stdin))
            """
        let checked = try Self.python(script, output)
        #expect(checked.status == 0, "\(checked.errors)")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        let problems = try #require(report["problems"] as? [[String: Any]])
        #expect(problems.compactMap { $0["code"] as? String } == ["CW0202", "CW0208", "CW0203", "CW0105"])
        let texts = try problems.map { problem in
            let place = try #require(problem["place"] as? [String: Any])
            let (offset, length) = (try #require(place["offset"] as? Int), try #require(place["length"] as? Int))
            return String(decoding: Array(Self.file.utf8)[offset..<offset + length], as: UTF8.self)
        }
        #expect(texts == ["99", "s3cr3t", "timeuot", "alias"])
        #expect(problems[0]["environments"] as? [String] == ["prod"])
        // The key that is there twice: the second is wrong, and the first is told beside it.
        let related = try #require(problems[3]["related"] as? [[String: Any]])
        let places: [Any?] = [problems[3]["place"]] + related.map { $0["place"] }
        #expect(places.map { ($0 as? [String: Any])?["column"] as? Int } == [21, 11])
        let fix = try #require(problems[2]["fix"] as? [String: Any])
        #expect(fix["summary"] as? String == "write 'timeout'")
    }

    @Test("SARIF output is valid, with rules, fingerprints, related places and fixes")
    func sarif() throws {
        let output = try Self.run("sarif").output
        let log = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let results = try #require(run["results"] as? [[String: Any]])
        // The worst come first, because services cut the end off.
        #expect(results.compactMap { $0["level"] as? String } == ["error", "error", "error", "warning"])
        #expect(results.allSatisfy { $0["partialFingerprints"] != nil })
        #expect(results.contains { $0["fixes"] != nil } && results.contains { $0["relatedLocations"] != nil })
        #expect(output.contains("\"uri\":\"a%20b%2Cc.yaml\""))
        let rules = try #require(
            ((run["tool"] as? [String: Any])?["driver"] as? [String: Any])?["rules"] as? [[String: Any]]
        )
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
        }
    }

    @Test("GitHub output uses workflow commands, escaped, errors first, ten per kind")
    func github() throws {
        let output = try Self.run("github").output
        let lines = output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(
            lines[0].hasPrefix(
                "::error file=a b%2Cc.yaml,line=6,col=67,endColumn=69,endLine=6,title=CW0202 out-of-range::"
            )
        )
        #expect(lines[3].hasPrefix("::warning "))
        let many =
            "app: { id: com.example.one }\nnetwork: {" + (0..<15).map { "zz\($0)z: 1" }.joined(separator: ", ") + "}\n"
        let cut = try Program.corewire(["validate-config", "-", "--format", "github"], input: Data(many.utf8)).output
        #expect(cut.split(separator: "\n").filter { $0.hasPrefix("::error") }.count == 10)
        #expect(cut.contains("::notice title=corewire::5 more problems"))
    }

    @Test("'auto' is github inside Actions, and text elsewhere")
    func auto() throws {
        #expect(try Self.run("auto", environment: ["GITHUB_ACTIONS": "true"]).output.hasPrefix("::error"))
        #expect(try Self.run("auto").output.hasPrefix("error[CW0202]"))
    }

    @Test("colours are printed on terminals, and on request")
    func colours() throws {
        let escape = "\u{1b}["
        #expect(try !Self.run("text").output.contains(escape))
        #expect(try Self.run("text", environment: ["FORCE_COLOR": "1"]).output.contains(escape))
        // A terminal of Python's making.
        let terminal = "import pty, sys; pty.spawn(sys.argv[1:])"
        func shown(_ environment: [String: String]) throws -> String {
            let words = ["-c", terminal, Program.corewire, "validate-config", "configs/broken/key-twice.yaml"]
            return try Program.run("/usr/bin/python3", words, environment: environment).output
        }
        #expect(try shown(["TERM": "xterm"]).contains(escape))
        #expect(try !shown(["TERM": "xterm", "NO_COLOR": "1"]).contains(escape))
        #expect(try !shown(["TERM": "dumb"]).contains(escape))
    }
}
