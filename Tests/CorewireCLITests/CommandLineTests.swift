import Foundation
import Support
import Testing

@Suite("The command line")
struct CommandLineTests {
    @Test(
        "an invalid command line exits with 64 and says what is expected",
        arguments: [
            (["validate-confg"], "did you mean 'validate-config'?"),
            (["validate-config", "--frmat", "json"], "did you mean '--format'?"),
            (["validate-config", "--format", "jsn"], "did you mean 'json'?"),
            (["validate-config", "--format"], "takes a value"),
            (["validate-config", "--strict=yes"], "takes no value"),
            (["validate-config", "a", "b"], "unexpected argument 'b'"),
            (["validate-config", "a", "--config", "b"], "expected one file, found an argument and --config"),
            (["run", "a", "--config", "b"], "expected one file, found an argument and --config"),
            (["env", "shw"], "did you mean 'show'?"), (["env", "diff", "stage"], "missing <other>"),
            (["explain"], "missing <path|code|rule>"),
            (["explain", "CW9999"], "unknown code 'CW9999'"),
            (["explain", "network.retires"], "did you mean 'network.retries'?"),
            (["schema", "netwrok"], "did you mean 'network'?"), (["completion", "tcsh"], "not for 'tcsh'"),
            (["env", "show", "prd"], "did you mean 'prod'?"),
            (["validate-config", "--env", "stge"], "did you mean 'stage'?"),
            (["help", "vlidate-config"], "did you mean 'validate-config'?"), ([], "USAGE: corewire"),
            (["env"], "USAGE: corewire env"),
            (["validate-config", "--env", "prod", "--env", "dev"], "given twice"),
            (["request", "/x", "-X"], "--method takes a value: --method <name>"),
            (["request", "/x", "-XPUT", "-X", "PUT"], "--method is given twice"),
            (["status", "--output", "json"], "did you mean '--format'?"),
            (["outbox", "drop", "x"], "did you mean 'remove'?"),
            (["downloads", "remove", "x"], "did you mean 'cancel'?"),
            (["downloads", "follow", "x"], "did you mean 'watch'?"),
            (["events", "--follow"], "did you mean '--watch'?"),
            (["help", "validate"], "did you mean 'validate-config'?"),
            (["help", "state", "lst"], "did you mean 'list'?"), (["help", "status", "now"], "unknown command 'now'"),
            (["backends", "list"], "did you mean 'status'?"), (["backends", "show"], "did you mean 'status'?"),
            (["content", "create", "{}"], "missing <module>: the values follow it"),
            (["content", "create", "x", "-"], "<values>: "), (["content", "update", "{}"], "missing <id>"),
            (["content", "create", "x"], "standard input: the text is empty, expected JSON"),
            (["push", "event", "opn"], "did you mean 'open'?"), (["push", "providers", "x"], "<providers>: found 'x'"),
            (["outbox", "post", "/x", "--attempts", "99999999999999999999"], "--attempts: the number is too large"),
            (["request", "/x", "-xPUT"], "unknown option '-xPUT'"), (["request", "/x", "--X"], "unknown option '--X'"),
        ]
    )
    func usage(arguments: [String], message: String) throws {
        let run = try Program.corewire(arguments)
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test(
        "with JSON output, the reason for a failure is JSON on standard error",
        arguments: [
            (["status", "--format", "json", "--socket", "/nowhere/api.sock"], "urn:corewire:problem:not-done", 69),
            (["status", "--format=json", "--sokcet", "x"], "urn:corewire:problem:usage", 64),
            (["sttus", "--format", "json"], "urn:corewire:problem:usage", 64),
            (["env", "list", "--format", "json", "-c", "nowhere.yaml"], "urn:corewire:problem:not-done", 66),
        ] as [([String], String, Int32)]
    )
    func errorsAsJSON(arguments: [String], type: String, status: Int32) throws {
        struct Told: Decodable {
            let type, title: String
            let exit: Int32
        }
        let run = try Program.corewire(arguments)
        #expect(run.status == status && run.output.isEmpty)
        let told = try JSONDecoder().decode(Told.self, from: Data(run.errors.utf8))
        #expect(told.type == type && !told.title.isEmpty && told.exit == status)
    }

    @Test("'--help' before the command name prints the help of the command")
    func helpBefore() throws {
        let status = try Program.corewire(["help", "status"]).output
        #expect(status.hasPrefix("OVERVIEW: Show the state"))
        #expect(try Program.corewire(["--help", "status"]).output == status)
        #expect(try Program.corewire(["--help", "sttus"]).output == Program.corewire(["help"]).output)
    }

    /// Those whose help is kept as a file.
    static let commands = [
        "", "validate-config", "env", "env list", "env show", "env diff", "env contract", "env use", "explain", "graph",
        "run", "status", "events", "reload", "plan", "confirm", "history", "diff", "rollback", "log-level", "request",
        "pin", "auth", "auth login", "auth logout", "auth status", "auth token", "auth user", "auth lock",
        "auth unlock", "auth callback", "auth scheme", "sync", "sync query", "sync mutate",
        "sync watch", "sync subscribe", "sync subscriptions", "sync refetch", "sync operations", "sync queue",
        "sync queue show",
        "sync queue remove", "sync queue resolve", "sync cache", "sync cache clear", "sync schema", "sync generate",
        "tasks", "tasks list", "tasks run",
        "tasks cancel",
        "tasks postpone", "outbox",
        "outbox list", "outbox show", "outbox retry", "outbox remove", "outbox move", "outbox pause", "outbox resume",
        "outbox post",
        "outbox watch", "push send", "push vapid-key", "store", "store migrate", "store status", "store export",
        "store import", "console", "doctor",
        "schema", "init", "import", "export",
        "completion", "help", "version",
    ]

    static func golden(_ command: String) -> String {
        "Tests/CorewireCLITests/Golden/help\(command.split(separator: " ").map { "-\($0)" }.joined()).txt"
    }

    @Test("the help of a command equals its golden file", arguments: commands)
    func help(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let golden = try Repository.text(of: Self.golden(command))
        #expect(try Program.corewire(["help"] + words).output == golden)
        #expect(try Program.corewire(words + ["--help"]).output == golden)
        #expect(try Program.corewire(words + ["-h"]).output == golden)
    }

    @Test("every golden help file belongs to a command")
    func helpFiles() {
        let files = Repository.files(below: "Tests/CorewireCLITests/Golden")
        #expect(files == Self.commands.map(Self.golden).sorted())
    }

    @Test(
        "a missing named file is an error, and is never replaced by defaults",
        arguments: [
            ["validate-config", "nowhere.yaml"], ["env", "list", "--config", "nowhere.yaml"], ["validate-config", "/"],
        ]
    )
    func missing(arguments: [String]) throws {
        let run = try Program.corewire(arguments)
        #expect(run.status == 66)
        #expect(run.errors.contains("cannot read"))
        let byVariable = try Program.corewire(["validate-config"], environment: ["COREWIRE_CONFIG": "nowhere.yaml"])
        #expect(byVariable.status == 66)
        #expect(byVariable.errors.contains("the variable COREWIRE_CONFIG names this file"), "\(byVariable.errors)")
    }

    @Test("the services file is found in the standard folders, the nearest first")
    func finding() throws {
        let folder = try TemporaryFolder()
        let text = "app: { id: com.example.one }\n"
        func found() throws -> String {
            try Program.corewire(
                ["validate-config"],
                in: folder.url,
                environment: ["XDG_CONFIG_HOME": folder.url.path + "/xdg"]
            ).everything
        }
        #expect(try found().contains("no services file found"))
        for name in [
            "xdg/corewire/mobile-services.yaml", "configs/mobile-services.json", "mobile-services.yml",
            "mobile-services.yaml",
        ] {
            try folder.write(name.hasSuffix("json") ? "{\"app\":{\"id\":\"com.example.one\"}}" : text, to: name)
            #expect(try found().contains("\(name): valid"))
        }
        let named = try Program.corewire(
            ["validate-config"],
            in: folder.url,
            environment: ["COREWIRE_CONFIG": "mobile-services.yml"]
        )
        #expect(named.output.contains("mobile-services.yml: valid"))
        let argument = try Program.corewire(
            ["validate-config", "configs/mobile-services.json"],
            in: folder.url,
            environment: ["COREWIRE_CONFIG": "mobile-services.yml"]
        )
        #expect(argument.output.contains("configs/mobile-services.json: valid"))
    }

    @Test("'-' reads YAML or JSON from standard input")
    func standardInput() throws {
        for text in ["app: { id: com.example.one }", "{ \"app\": { \"id\": \"com.example.one\" } }"] {
            #expect(
                try Program.corewire(["validate-config", "-"], input: Data(text.utf8)).output == "<stdin>: valid\n"
            )
        }
        #expect(try Program.corewire(["validate-config", "-"]).status == 1)
    }

    @Test("COREWIRE_ENV selects the environment, --env overrides it, and a URL runs the default environment there")
    func choosing() throws {
        func shown(_ arguments: [String], _ environment: [String: String]) throws -> String {
            try Program.corewire(["env", "show"] + arguments, environment: environment).output
        }
        #expect(try shown([], [:]).contains("environment: dev"))
        #expect(try shown([], ["COREWIRE_ENV": "qa"]).contains("environment: qa"))
        #expect(try shown(["--env", "prod"], ["COREWIRE_ENV": "qa"]).contains("environment: prod"))
        let custom = try shown(["--env", "https://my.example.com", "--set", "environment=int"], [:])
        #expect(custom.contains("baseUrl: https://my.example.com") && custom.contains("environment: int"))
    }

    @Test("warnings fail only with --strict")
    func strict() throws {
        let file = Data(
            "app: { id: com.example.one }\nauth: { url: https://h, clientId: a, clientSecret: s3cr3t }\n".utf8
        )
        let lenient = try Program.corewire(["validate-config", "-"], input: file)
        #expect(lenient.status == 0 && lenient.output.hasSuffix("\n<stdin>: valid, 1 warning\n"), "\(lenient.output)")
        let strict = try Program.corewire(["validate-config", "-", "--strict"], input: file)
        #expect(strict.status == 1, "\(strict.output)")
        #expect(strict.output.hasSuffix("\n<stdin>: not valid under --strict, 1 warning\n"), "\(strict.output)")
        let clean = Data("app: { id: com.example.one }\n".utf8)
        let run = try Program.corewire(["validate-config", "-", "--strict"], input: clean)
        #expect(run.status == 0 && run.output == "<stdin>: valid\n", "\(run.output)")
    }

    @Test("reported problems are limited, and the others are counted")
    func cap() throws {
        for (count, more) in [(1_000, nil), (1_002, "… and 2 more problems: only the first 1000 are shown\n")]
            as [(Int, String?)]
        {
            let file = "network:\n" + (0..<count).map { "  zz\($0)z: 1\n" }.joined()
            let run = try Program.corewire(["validate-config", "-"], input: Data(file.utf8))
            #expect(run.output.components(separatedBy: "error[CW0203]").count == 1_001)
            #expect(run.output.contains("… and ") == (more != nil))
            if let more { #expect(run.output.contains(more)) }
            #expect(run.output.contains("not valid, \(count) errors"))
        }
    }

    @Test("including a pipe, a folder or standard input is rejected without blocking")
    func strangeIncludes() throws {
        let folder = try TemporaryFolder()
        #expect(try Program.run("mkfifo", ["pipe"], in: folder.url).status == 0)
        for name in ["pipe", ".", "-", "nowhere.yaml"] {
            try folder.write("include: ['\(name)']\napp: { id: com.example.one }\n", to: "a.yaml")
            let run = try Program.corewire(["validate-config", "a.yaml"], in: folder.url)
            #expect(run.status == 1 && run.output.contains("CW0114"), "\(run.everything)")
        }
    }

    @Test("output that cannot be written is an error")
    func fullDisk() throws {
        let run = try Program.run("sh", ["-c", "'\(Program.corewire)' schema > /dev/full"])
        #expect(run.status == 74 && run.errors.contains("cannot write the output"))
    }
}
