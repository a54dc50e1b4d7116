import Foundation
import Support
import Testing

@Suite("Environments on the command line")
struct EnvironmentTests {
    static let names = ["dev", "int", "qa", "stage", "prod"]

    @Test("the output of 'env show' loads again with the same settings, and is valid", arguments: names)
    func loadable(name: String) throws {
        let folder = try TemporaryFolder()
        let shown = try Program.corewire(["env", "show", name]).output
        try folder.write(shown, to: "shown.yaml")
        let again = try Program.corewire(["env", "show", "--config", "shown.yaml"], in: folder.url)
        #expect(again.output == shown)
        #expect(try Program.corewire(["validate-config", "shown.yaml"], in: folder.url).status == 0)
        let json = try Program.corewire(["env", "show", name, "--format", "json"]).output
        try folder.write(json, to: "shown.json")
        #expect(try Program.corewire(["env", "show", "--config", "shown.json"], in: folder.url).output == shown)
    }

    @Test("'env diff' shows only the differences, with both places")
    func diff() throws {
        let diff = try Program.corewire(["env", "diff", "stage", "prod"]).output
        #expect(
            diff == """
                baseUrl
                  stage: https://stage.example.com  (configs/mobile-services.yaml:16:34)
                  prod:  https://api.example.com  (configs/mobile-services.yaml:18:14)
                auth.clientIds
                  stage: tasks-stage  (configs/mobile-services.yaml:30:69)
                  prod:  tasks-prod  (configs/mobile-services.yaml:30:88)
                network.retries
                  stage: 2  (configs/mobile-services.yaml:36:12)
                  prod:  5  (configs/mobile-services.yaml:19:25)

                """
        )
        #expect(try Program.corewire(["env", "diff", "prod", "prod"]).output == "no difference\n")
    }

    @Test("a nested reference in a default is required and resolved only where the default is used")
    func nestedReferences() throws {
        let folder = try TemporaryFolder()
        let text = """
            app: { id: com.example.one, name: One, version: "${env:A:-${env:B}}" }
            environment: dev
            environments: { dev: { baseUrl: "https://h.example.com" } }
            """
        try folder.write(text, to: "a.yaml")
        let contract = try Program.corewire(["env", "contract", "dev", "--config", "a.yaml"], in: folder.url).output
        #expect(contract.contains("variable  A\n") && contract.contains("optional, default '${env:B}'"), "\(contract)")
        #expect(contract.contains("variable  B\n") && contract.contains("required where A is not set"), "\(contract)")
        func check(_ variables: [String: String]) throws -> Run {
            try Program.corewire(
                ["validate-config", "a.yaml", "--local"],
                in: folder.url,
                environment: variables
            )
        }
        #expect(try check(["A": "1"]).status == 0)
        #expect(try check(["B": "1"]).status == 0)
        #expect(try check([:]).everything.contains("the environment variable 'B' is not set"))
    }

    @Test("'env contract' lists the requirements of a deployment, also as a template of an .env file")
    func contract() throws {
        let json = try Program.corewire(["env", "contract", "prod", "--format", "json"]).output
        let items = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(
            items.compactMap { $0["name"] as? String } == [
                "tasks-client-secret", "UPS_SECRET", "HC_KEY", "ALTCRAFT_RTOKEN",
            ]
        )
        #expect(items.allSatisfy { $0["secret"] as? Bool == true })
        let file = try Program.corewire(["env", "contract", "prod", "--format", "env"]).output
        #expect(
            file.split(separator: "\n").filter { !$0.hasPrefix("#") } == ["UPS_SECRET=", "HC_KEY=", "ALTCRAFT_RTOKEN="]
        )
    }

    @Test("precedence is file, extends chain, environment, --set; 'explain' shows all, the effective value last")
    func precedence() throws {
        let folder = try TemporaryFolder()
        try folder.write("network: { timeout: 10s, retries: 1 }\n", to: "part.yaml")
        try folder.write(
            """
            include: [part.yaml]
            app: { id: com.example.one }
            environment: prod
            environments:
              int: { network: { retries: 3 } }
              qa: { extends: int, network: { retries: 4 } }
              prod: { extends: qa, network: { timeout: null } }
            network: { retries: 2 }

            """,
            to: "a.yaml"
        )
        func explain(_ path: String, _ more: String...) throws -> String {
            try Program.corewire(["explain", path, "--config", "a.yaml"] + more, in: folder.url).output
        }
        let retries = try explain("network.retries", "--set", "network.retries=9")
        let rows = retries.split(separator: "\n").filter {
            $0.contains("  ") && ($0.hasPrefix("  * ") || $0.hasPrefix("    "))
        }
        #expect(rows.count == 6)
        #expect(retries.hasPrefix("network.retries = 9 (in environment prod)"))
        #expect(retries.hasSuffix("\nType: a whole number, 0...10\nDefault: 0\n"), "\(retries)")
        let graph = try Program.corewire(["graph", "--config", "a.yaml"], in: folder.url).output
        #expect(graph.hasPrefix("step  service"), "\(graph)")
        #expect(rows[0].contains("default") && rows[1].contains("part.yaml:1:35") && rows[2].contains("a.yaml:8:21"))
        #expect(
            rows[3].contains("environment int") && rows[4].contains("a.yaml:6:43") && rows[5].hasPrefix("  * --set")
        )
        let told = try explain("network.retries", "--set", "network.retries=9", "--format", "json")
        let holds = told.components(separatedBy: "\"holds\": ").dropFirst().map { $0.hasPrefix("true") }
        #expect(holds == [false, false, false, false, false, true], "\(told)")
        #expect(try explain("network.timeout").hasPrefix("network.timeout = 30s"))
        #expect(try explain("network.timeout").contains("removed"))
        #expect(try explain("network.timeout", "--env", "qa").hasPrefix("network.timeout = 10s"))
    }

    @Test("lists are replaced whole, mappings merge, null removes")
    func overlay() throws {
        let file = """
            app: { id: com.example.one }
            environment: a
            environments:
              a: { auth: { scopes: [openid], lock: null, guidance: { offline: "x" } } }
            auth:
              url: https://h.example.com
              clientId: c
              scopes: [openid, profile, offline_access]
              lock: { after: 5m }
              guidance: { blocked: "y" }

            """
        let shown = try Program.corewire(["env", "show", "--config", "-"], input: Data(file.utf8)).output
        #expect(
            shown.contains("  scopes:\n    - openid\n  clientId: c\n  guidance:\n    blocked: \"y\"\n    offline: x\n")
        )
        #expect(!shown.contains("lock:"))
    }

    @Test("a problem of one environment names the environment; a problem of the file is reported once")
    func narrowing() throws {
        let file = """
            app: { id: com.example.one }
            environment: a
            environments:
              a: { baseUrl: https://a.example.com, network: { retries: 99 } }
              b: { baseUrl: https://b.example.com }
            network: { timeout: 5 }

            """
        let text = try Program.corewire(["validate-config", "-"], input: Data(file.utf8)).output
        #expect(text.components(separatedBy: "network.timeout").count == 2)
        #expect(text.components(separatedBy: "in environment: a").count == 2)
    }

    @Test("validation needs no variables or secrets, and checks references by their defaults")
    func withoutVariables() throws {
        let file = """
            app: { id: com.example.one }
            network: { retries: "${env:RETRIES:-99}", timeout: "${env:TIMEOUT}" }

            """
        let run = try Program.corewire(["validate-config", "-"], input: Data(file.utf8))
        #expect(run.output.contains("network.retries: expected 0...10, found"))
        #expect(!run.output.contains("network.timeout"))
    }

    @Test("--local resolves the references of the environment and checks their types")
    func local() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app: { id: com.example.one }\nnetwork: { timeout: '${env:T}', retries: '${file:r.txt}' }\n",
            to: "a.yaml"
        )
        try folder.write("3\n", to: "r.txt")
        func run(_ environment: [String: String]) throws -> Run {
            try Program.corewire(["validate-config", "a.yaml", "--local"], in: folder.url, environment: environment)
        }
        #expect(try run([:]).output.contains("the environment variable 'T' is not set"))
        #expect(
            try run(["T": "soon"]).output.contains(
                "expected a duration such as 30s; the reference has another value"
            )
        )
        #expect(try !run(["T": "soon"]).output.contains("soon"))
        #expect(try run(["T": "5s"]).status == 0)
    }

    @Test("null in an environment removes a value, whichever file declares the rest")
    func nullBetweenFiles() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "environments: { prod: { baseUrl: 'https://api.example.com', network: { retries: 3 } } }\n",
            to: "base.yaml"
        )
        try folder.write(
            """
            include: [base.yaml]
            app: { id: com.example.one }
            environment: prod
            environments: { prod: { device: null, network: { retries: null } } }
            device: { alias: x, register: never }
            network: { retries: 7, timeout: 5s }

            """,
            to: "a.yaml"
        )
        let shown = try Program.corewire(["env", "show", "--config", "a.yaml"], in: folder.url).output
        #expect(shown.contains("timeout: 5s") && !shown.contains("retries") && !shown.contains("device"))
    }

    static let fileCommands = [
        ["validate-config"], ["env", "list"], ["env", "show", "prod"], ["env", "show"],
        ["env", "diff", "stage", "prod"],
        ["env", "contract"], ["env", "contract", "prod"], ["explain", "app.name"], ["graph"], ["export"],
        ["export", "--format", "aerogear-json"], ["auth", "scheme"], ["run"],
    ]

    static let wrongSets: [(text: String, code: String, column: Int)] = [
        ("app.name=[1", "CW0103", 10), ("app.name", "CW0307", 9), ("=x", "CW0307", 1), ("app..name=x", "CW0307", 5),
        (".name=x", "CW0307", 1), ("app.nmae=x", "CW0203", 5), ("network.retries=many", "CW0201", 17),
        ("network.retries=50", "CW0202", 17), ("baseUrl=htps://x.example.com", "CW0210", 9),
        ("environments.prod.network.retries=7", "CW0307", 1), ("app.name={a: b", "CW0103", 10),
        ("app.name=#1 x", "CW0307", 10), ("app.name= #1", "CW0307", 11), ("app.name=x #1", "CW0307", 12),
        ("auth.scopes=[openid] # x", "CW0307", 22),
    ]

    @Test(
        "an invalid --set is rejected by every command, with its place in the argument",
        arguments: wrongSets
    )
    func wrongSet(text: String, code: String, column: Int) throws {
        for command in Self.fileCommands {
            let run = try Program.corewire(command + ["--config", "configs/mobile-services.yaml", "--set", text])
            #expect(run.status == (command == ["run"] ? 78 : 1), "\(command) \(run.everything)")
            #expect(run.everything.contains("error[\(code)]"), "\(command) \(run.everything)")
            #expect(run.everything.contains("--> --set:1:\(column)"), "\(command) \(run.everything)")
            #expect(command == ["validate-config"] || run.output.isEmpty, "\(command) \(run.output)")
        }
    }

    @Test("a --set whose value is cut by a comment says how to quote the value, without showing it")
    func commentInSet() throws {
        let command = ["env", "show", "--config", "configs/mobile-services.yaml", "--set"]
        let run = try Program.corewire(command + ["auth.clientSecret=hunter2 #canary"])
        #expect(run.status == 1 && run.everything.contains(#"--set 'auth.clientSecret="…#…"'"#), "\(run.everything)")
        #expect(!run.everything.contains("hunter2") && !run.everything.contains("canary"), "\(run.everything)")
        let quoted = try Program.corewire(command + [#"app.name="x #1""#])
        #expect(quoted.status == 0 && quoted.output.contains("x #1"), "\(quoted.everything)")
        let empty = try Program.corewire(command + ["app.name="])
        #expect(empty.status == 0, "an empty value removes what the file says: \(empty.everything)")
        for text in ["app.name=a#1", "app.name='#1'"] {
            #expect(try Program.corewire(command + [text]).output.contains("#1"), "\(text)")
        }
    }

    @Test("a --set without '=' shows nothing that could be a secret")
    func wrongSecret() throws {
        for text in ["auth.clientSecret:hunter2-canary", "auth..clientSecret=hunter2-canary"] {
            let run = try Program.corewire(["env", "show", "--config", "configs/mobile-services.yaml", "--set", text])
            #expect(run.status == 1 && !run.everything.contains("hunter2"), "\(run.everything)")
        }
    }

    @Test(
        "an --env that resembles a URL is rejected, with the probable URL",
        arguments: [
            ("htps://int.example.com", "did you mean https://int.example.com?"),
            ("https//int.example.com", "did you mean https://int.example.com?"),
            ("https:/int.example.com", "did you mean https://int.example.com?"),
            ("new.example.com", "did you mean https://new.example.com?"),
            ("localhost:8080", "did you mean http://localhost:8080?"), ("ftp://int.example.com", "write 'https://'"),
            ("https://int.example.com?tenant=1", "expected a URL without '?'"),
        ]
    )
    func wrongURL(choice: String, message: String) throws {
        for command in [["env", "show"], ["explain", "app.name"], ["validate-config"], ["graph"], ["run"]] {
            let run = try Program.corewire(command + ["--config", "configs/mobile-services.yaml", "--env", choice])
            #expect(run.status != 0 && run.everything.contains(message), "\(command) \(run.everything)")
        }
    }
}
