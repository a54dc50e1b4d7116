import Foundation
import Support
import Testing

/// The programs that `docs/connect.md` shows, against a runner.
@Suite("Programs that connect to a runner", .timeLimit(.minutes(5)))
struct ConnectTests {
    private static let services = """
        version: 1
        app: { id: com.example.tasks }
        backend: embedded
        auth: { clientId: tasks }
        persistence: {}
        """

    /// What `connect.ts` uses of Node, for a machine whose Node comes without its types.
    private static let types = """
        declare module "node:http" {
          interface IncomingMessage extends AsyncIterable<string> {
            statusCode?: number;
            headers: { [name: string]: string | undefined };
            setEncoding(encoding: "utf8"): this;
          }
          interface ClientRequest {
            setTimeout(milliseconds: number, expired: () => void): this;
            on(event: "error", listener: (error: Error) => void): this;
            end(body?: string): this;
            destroy(error: Error): this;
          }
          interface Options {
            socketPath: string;
            method: string;
            path: string;
            headers: { [name: string]: string | number | undefined };
          }
          function request(options: Options, responded: (response: IncomingMessage) => void): ClientRequest;
        }
        declare const Buffer: { byteLength(text: string): number };
        declare const process: {
          argv: string[];
          env: { [name: string]: string | undefined };
          geteuid?: () => number;
          exit(status: number): never;
        };

        """

    private static func program(_ language: String, in folder: URL) throws -> [String] {
        let examples = Repository.root.appendingPathComponent("Examples/Connect").path
        switch language {
        case "python": return ["/usr/bin/python3", "\(examples)/python/connect.py"]
        case "node": return ["/usr/bin/node", "\(examples)/node/connect.mjs"]
        case "typescript":
            try compile(
                "/usr/bin/tsc",
                ["--project", "\(examples)/typescript", "--outDir", "."] + typeRoots(in: folder),
                in: folder
            )
            return ["/usr/bin/node", folder.appendingPathComponent("connect.js").path]
        default:
            try compile(
                "/usr/bin/cc",
                ["-Wall", "-Werror", "-o", "connect", "\(examples)/c/connect.c", "-lcurl"],
                in: folder
            )
            return [folder.appendingPathComponent("connect").path]
        }
    }

    private static func compile(_ compiler: String, _ arguments: [String], in folder: URL) throws {
        let run = try Program.run(compiler, arguments, in: folder)
        #expect(run.status == 0, "\(run.everything)")
    }

    /// Options of the TypeScript compiler: none where the types of Node are installed.
    private static func typeRoots(in folder: URL) throws -> [String] {
        if FileManager.default.fileExists(atPath: "/usr/share/nodejs/@types/node") { return [] }
        let node = folder.appendingPathComponent("types/node")
        try FileManager.default.createDirectory(at: node, withIntermediateDirectories: true)
        try types.write(to: node.appendingPathComponent("index.d.ts"), atomically: true, encoding: .utf8)
        return ["--typeRoots", "types"]
    }

    private static let languages = ["python", "node", "typescript", "c"].filter { language in
        let needed = [
            "python": "/usr/bin/python3", "node": "/usr/bin/node", "typescript": "/usr/bin/tsc", "c": "/usr/bin/cc",
        ]
        return FileManager.default.isExecutableFile(atPath: needed[language] ?? "")
    }

    @Test("a client stores a value, reads it and receives its event; it reports a missing runner", arguments: languages)
    func connects(language: String) throws {
        let runner = try Services.running(Self.services)
        let folder = runner.home.folder.url
        let words = try Self.program(language, in: folder)
        let run = try Program.run(words[0], words.dropFirst() + [runner.home.socket()], in: folder)
        #expect(run.status == 0, "\(run.everything)")
        for line in ["no user is signed in", "stored a value", "hello", "state.cleared"] {
            #expect(run.everything.contains(line), "\(run.everything)")
        }
        #expect(!run.output.contains("version \""), "the version has the quotes of its field: \(run.output)")
        let alone = try Program.run(words[0], words.dropFirst() + ["\(folder.path)/none.sock"], in: folder)
        #expect(alone.status == 1 && alone.errors.contains("no runner at"), "\(alone.everything)")
    }

    @Test("a Swift program embeds the services, stores a value, reads it and receives its event")
    func embeds() throws {
        let home = try RunnerHome()
        try home.write(Self.services)
        let program = Program.buildFolder.appendingPathComponent("ConnectExample").path
        let run = try Program.run(program, [], in: home.work, environment: home.environment)
        #expect(run.status == 0, "\(run.everything)")
        let lines = run.output.split(separator: "\n").map { $0.prefix { $0 != "," } }
        #expect(
            lines == [
                "started com.example.tasks", "no access token: no user is signed in: Sign in first.", "stored a value",
                #"read {"text":"hello"}"#, #"event state.cleared: {"namespace":"connect-swift""#,
            ],
            "\(run.everything)"
        )
    }

    @Test(
        "the page shows the examples",
        arguments: [
            "python/connect.py", "node/connect.mjs", "typescript/connect.ts", "c/connect.c", "swift/main.swift",
        ]
    )
    func shown(example: String) throws {
        let page = try Repository.text(of: "docs/connect.md")
        let program = try Repository.text(of: "Examples/Connect/\(example)")
        #expect(page.contains("\n\(program)```\n"), "copy Examples/Connect/\(example) into docs/connect.md")
    }
}
