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

    private static func program(_ language: String, in folder: URL) throws -> [String] {
        let examples = Repository.root.appendingPathComponent("Examples/Connect").path
        guard language == "c" else {
            return language == "python"
                ? ["/usr/bin/python3", "\(examples)/python/connect.py"]
                : ["/usr/bin/node", "\(examples)/node/connect.mjs"]
        }
        let built = folder.appendingPathComponent("connect").path
        let compiled = try Program.run(
            "/usr/bin/cc",
            ["-Wall", "-Werror", "-o", built, "\(examples)/c/connect.c", "-lcurl"],
            in: folder
        )
        #expect(compiled.status == 0, "\(compiled.everything)")
        return [built]
    }

    private static let languages = ["python", "node", "c"].filter { language in
        let needed = ["python": "/usr/bin/python3", "node": "/usr/bin/node", "c": "/usr/bin/cc"][language] ?? ""
        return FileManager.default.isExecutableFile(atPath: needed)
    }

    @Test("store a value, read it and receive its event; say that no runner answers", arguments: languages)
    func connects(language: String) throws {
        let runner = try Services.running(Self.services)
        let folder = runner.home.folder.url
        let words = try Self.program(language, in: folder)
        let run = try Program.run(words[0], words.dropFirst() + [runner.home.socket()], in: folder)
        #expect(run.status == 0, "\(run.everything)")
        for line in ["no user is signed in", "stored a value", "hello", "state.cleared"] {
            #expect(run.everything.contains(line), "\(run.everything)")
        }
        let alone = try Program.run(words[0], words.dropFirst() + ["\(folder.path)/none.sock"], in: folder)
        #expect(alone.status == 1 && alone.errors.contains("no runner at"), "\(alone.everything)")
    }
}
