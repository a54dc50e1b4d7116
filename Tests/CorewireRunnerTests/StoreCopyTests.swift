import Foundation
import Support
import Testing
import WireConfig

/// Exported and imported stores, with the built program (BY-11).
@Suite("Exported stores", .timeLimit(.minutes(4)))
struct StoreCopyTests {
    static let json = ["Content-Type: application/json"]
    private static let key = Data(repeating: 7, count: 32).base64EncodedString()

    /// A services file, with a shared store where there is a server.
    static func file(
        _ server: PostgresServer? = nil,
        target: RecordingServer? = nil,
        app: String = "com.example.tasks",
        group: String = "com.example.shared",
        key: String = key
    ) -> String {
        let store = server.map { server in
            """
              store: { url: "postgresql://owner@127.0.0.1:\(server.port)/postgres", shares: [auth, state, outbox] }

            """
        }
        return """
            version: 1
            app: { id: \(app), group: \(group) }
            baseUrl: "\(target?.url ?? "http://127.0.0.1:1")"
            network: {}
            background: {}
            persistence:
              key: \(key)
              namespaces: { secret: { encrypted: true }, window: { in: device } }
            \(store ?? "")api: { socket: auto }

            """
    }

    /// Runs `corewire store …` with the services file and the folders of a runner.
    static func store(_ words: [String], _ home: TemporaryFolder, _ file: String, input: Data? = nil) throws -> Run {
        try corewire(["store"] + words, home, file, input: input)
    }

    static func corewire(_ words: [String], _ home: TemporaryFolder, _ file: String, input: Data? = nil) throws -> Run {
        try home.write(file, to: "store.yaml")
        return try Program.corewire(
            words + ["--config", home.path("store.yaml")],
            input: input,
            environment: variables(home)
        )
    }

    static func variables(_ home: TemporaryFolder) -> [String: String] {
        [
            "HOME": home.url.path, "XDG_STATE_HOME": home.path("state"), "XDG_RUNTIME_DIR": home.path("run"),
            "XDG_CACHE_HOME": home.path("cache"), "PATH": "/usr/bin:/bin",
        ]
    }

    private static func value(_ name: String, _ runner: RunningRunner) async throws -> (text: String, tag: String?) {
        let answer = try await runner.ask("GET", "/v1/state/\(name)")
        return (answer.status == 200 ? answer.text : "status \(answer.status)", answer["ETag"])
    }

    private static func queued(_ runner: RunningRunner) async throws -> [String] {
        let answer = try await runner.ask("GET", "/v1/outbox")
        let list = try JSONValue(parsing: answer.body, named: "outbox")["requests"]?.array ?? []
        return list.compactMap { $0["id"]?.string }
    }

    private static func version(_ tag: String?) -> Int64 { Int64((tag ?? "").filter(\.isNumber)) ?? 0 }

    @Test(
        "a store moves from a machine to a shared database and back, while it is used, with its versions and its queue"
    )
    func moves() async throws {
        let (server, target, home) = (try await PostgresServer(), try RecordingServer(), try TemporaryFolder())
        let (local, shared) = (Self.file(target: target), Self.file(server, target: target))
        var runner = try await RunningRunner(local, in: home)
        #expect(try await runner.ask("PUT", "/v1/state/notes/a", text: "one").status == 201)
        #expect(try await runner.ask("PUT", "/v1/state/secret/pin", text: "4711-hidden").status == 201)
        #expect(try await runner.ask("PUT", "/v1/state/window/a", text: "left").status == 201)
        #expect(try await runner.ask("POST", "/v1/outbox/pause", Self.json, text: "{}").status == 200)
        for id in ["r1", "r2", "r3"] {
            let text = #"{"path":"/orders/\#(id)","lane":"l","id":"\#(id)","text":"hidden-body"}"#
            #expect(try await runner.ask("POST", "/v1/outbox", Self.json, text: text).status == 202)
        }
        let tag = try await Self.value("notes/a", runner).tag
        let first = home.path("first.store")
        let export = try Self.store(["export", first], home, local)
        #expect(export.status == 0 && export.output.contains("3 queued items"), "\(export.everything)")
        #expect(try FileManager.default.attributesOfItem(atPath: first)[.posixPermissions] as? Int == 0o600)
        #expect(try Self.store(["export", first], home, local).status == 73)
        #expect(try Self.store(["import", first], home, local).status == 75)
        try await runner.stop()
        let text = try String(contentsOfFile: first, encoding: .utf8)
        for hidden in ["4711-hidden", "hidden-body"] {
            #expect(!text.contains(hidden) && !text.contains(Data(hidden.utf8).base64EncodedString()))
        }

        #expect(try Self.store(["migrate"], home, shared).status == 0)
        let moved = try Self.store(["import", first], home, shared)
        #expect(moved.status == 0 && moved.output.contains("belong to a machine"), "\(moved.everything)")
        let again = try Self.store(["import", first], home, shared)
        #expect(again.status == 1 && again.errors.contains("is not empty"), "\(again.everything)")
        let other = try TemporaryFolder()
        runner = try await RunningRunner(shared, in: other)
        #expect(try await Self.value("notes/a", runner) == ("one", tag))
        #expect(try await Self.value("secret/pin", runner).text == "4711-hidden")
        #expect(try await Self.value("window/a", runner).text == "status 404")
        #expect(try await Self.queued(runner) == ["r1", "r2", "r3"])
        let put = try await runner.ask("PUT", "/v1/state/notes/a", text: "two")
        #expect(Self.version(put["ETag"]) > Self.version(tag) + 1_000_000)
        let used = try Self.store(["import", first], home, shared)
        #expect(used.status == 75 && used.errors.contains("works in the group"), "\(used.everything)")
        let back = try Self.store(["export", "-"], home, shared)
        #expect(back.status == 0, "\(back.errors)")
        try await runner.stop()

        let last = try TemporaryFolder()
        let returned = try Self.store(["import", "-"], last, local, input: Data(back.output.utf8))
        #expect(returned.status == 0, "\(returned.everything)")
        runner = try await RunningRunner(local, in: last)
        #expect(try await Self.value("notes/a", runner) == ("two", put["ETag"]))
        #expect(try await Self.value("secret/pin", runner).text == "4711-hidden")
        #expect(target.asked == [])
        #expect(try await runner.ask("POST", "/v1/outbox/resume", Self.json, text: "{}").status == 200)
        #expect(
            await eventually { target.asked == ["r1", "r2", "r3"].map { "POST /orders/\($0)" } },
            "\(target.asked)"
        )
        try await runner.stop()
    }

    @Test("the machine that moves to a shared database sends its waiting requests once, and keeps what is its own")
    func movesAlong() async throws {
        let (server, target, home) = (try await PostgresServer(), try RecordingServer(), try TemporaryFolder())
        let (local, shared) = (Self.file(target: target), Self.file(server, target: target))
        var runner = try await RunningRunner(local, in: home)
        #expect(try await runner.ask("PUT", "/v1/state/notes/a", text: "one").status == 201)
        #expect(try await runner.ask("PUT", "/v1/state/window/a", text: "left").status == 201)
        #expect(try await runner.ask("POST", "/v1/outbox/pause", Self.json, text: "{}").status == 200)
        let request = #"{"path":"/orders/r1","lane":"l","id":"r1","text":"b"}"#
        #expect(try await runner.ask("POST", "/v1/outbox", Self.json, text: request).status == 202)
        try await runner.stop()
        let file = home.path("moved.store")
        #expect(try Self.store(["export", file], home, local).status == 0)
        #expect(try Self.store(["migrate"], home, shared).status == 0)
        #expect(try Self.store(["import", file], home, shared).status == 0)
        let folder = home.url.appendingPathComponent("state/corewire/com.example.shared")
        for name in ["state.db", "state.db-wal", "state.db-shm", "store.mark", "cache.db"] {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        let rest = try Self.store(["import", "--machine", file], home, shared)
        #expect(rest.status == 0 && rest.output.contains("0 queued items"), "\(rest.everything)")
        #expect(rest.output.contains("belong to the shared database"), "\(rest.everything)")
        // Its own backup has its own requests, though requests are shared.
        let own = try Self.store(["export", "--machine", "-"], home, shared)
        #expect(own.output.contains(#""elsewhere":["auth","outbox","state"]"#), "\(own.everything)")
        runner = try await RunningRunner(shared, in: home)
        #expect(try await Self.value("notes/a", runner).text == "one")
        #expect(try await Self.value("window/a", runner).text == "left")
        #expect(try await Self.queued(runner) == ["r1"])
        try await runner.stop()
    }

    @Test("an export without the key of the store is refused, and makes none")
    func keyless() async throws {
        let home = try TemporaryFolder()
        let file = Self.file().replacing("  key: \(Self.key)\n", with: "")
        let runner = try await RunningRunner(file, in: home)
        try await runner.stop()
        let key = home.path("state/corewire/com.example.shared/store.key")
        try FileManager.default.removeItem(atPath: key)
        let refused = try Self.store(["export", "-"], home, file)
        #expect(refused.status == 1 && refused.errors.contains("has no key for the store"), "\(refused.everything)")
        #expect(!FileManager.default.fileExists(atPath: key))
    }

    @Test("an export with another key than that of the encrypted data is refused, and leaves no file")
    func otherKey() async throws {
        let home = try TemporaryFolder()
        let runner = try await RunningRunner(Self.file(), in: home)
        #expect(try await runner.ask("PUT", "/v1/state/secret/pin", text: "4711").status == 201)
        try await runner.stop()
        let other = Self.file(key: Data(repeating: 8, count: 32).base64EncodedString())
        let refused = try Self.store(["export", home.path("one.store")], home, other)
        #expect(refused.status == 1 && refused.errors.contains("sealed with another key"), "\(refused.everything)")
        #expect(!FileManager.default.fileExists(atPath: home.path("one.store")))
        // Both keys, as while the key is changed.
        let both = other.replacing("  key: ", with: "  previousKey: \(Self.key)\n  key: ")
        let export = try Self.store(["export", home.path("one.store")], home, both)
        #expect(export.status == 0 && !export.errors.contains("warning: "), "\(export.everything)")
    }

    @Test("a group that has another key is neither exported nor imported into")
    func otherKeyOfGroup() async throws {
        let (server, machine) = (try await PostgresServer(), try TemporaryFolder())
        // Makes the group, and leaves it empty.
        var runner = try await RunningRunner(Self.file(server))
        try await runner.stop()
        let key = Data(repeating: 8, count: 32).base64EncodedString()
        let (local, shared) = (Self.file(key: key), Self.file(server, key: key))
        runner = try await RunningRunner(local, in: machine)
        #expect(try await runner.ask("PUT", "/v1/state/notes/a", text: "one").status == 201)
        try await runner.stop()
        let (file, copy) = (machine.path("machine.store"), machine.path("group.store"))
        #expect(try Self.store(["export", file], machine, local).status == 0)
        let contents = "SELECT key_check, (SELECT count(*) FROM corewire.entries) FROM corewire.groups"
        let before = try server.sql(contents)
        for words in [["export", copy], ["import", file]] {
            let refused = try Self.store(words, machine, shared)
            let reason = "the group's data is sealed with another key"
            #expect(refused.status == 1 && refused.errors.contains(reason), "\(words): \(refused.everything)")
        }
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try server.sql(contents) == before)
    }

    @Test("an export of a group whose encrypted data is all sealed with its former key asks for that key")
    func formerKey() async throws {
        let (server, home) = (try await PostgresServer(), try TemporaryFolder())
        let next = Data(repeating: 8, count: 32).base64EncodedString()
        for (group, key) in [("com.example.shared", Self.key), ("com.example.other", next)] {
            let runner = try await RunningRunner(Self.file(server, group: group, key: key), in: home)
            #expect(try await runner.ask("PUT", "/v1/state/secret/pin", text: "4711").status == 201)
            try await runner.stop()
        }
        // As when a runner has begun to change the key.
        try server.sql(
            """
            UPDATE corewire.groups
            SET key_check = (SELECT key_check FROM corewire.groups WHERE name = 'com.example.other')
            """
        )
        let file = Self.file(server, key: next)
        let refused = try Self.store(["export", "-"], home, file)
        #expect(refused.status == 1, "\(refused.errors)")
        let help = "set the key that it is sealed with as 'persistence.previousKey'"
        #expect(refused.errors.contains(help), "\(refused.errors)")
        let both = file.replacing("  key: ", with: "  previousKey: \(Self.key)\n  key: ")
        let export = try Self.store(["export", "-"], home, both)
        #expect(export.status == 0 && !export.errors.contains("warning: "), "\(export.errors)")
    }

    @Test("an export sees one moment, although a runner writes", arguments: [false, true])
    func consistent(isShared: Bool) async throws {
        let server = isShared ? try await PostgresServer() : nil
        let (file, home) = (Self.file(server), try TemporaryFolder())
        let runner = try await RunningRunner(file, in: home)
        func put(_ key: String, _ text: String) async throws {
            #expect(try await runner.ask("PUT", "/v1/state/notes/\(key)", text: text).status < 300)
        }
        try await put("a", "old")
        // More entries than are read at once, and more bytes than a pipe holds, between the two in question.
        for number in 0..<600 { try await put("m\(number)", String(repeating: "x", count: 1_000)) }
        try await put("z", "old")
        try home.write(file, to: "store.yaml")
        let words = ["store", "export", "-", "--config", home.path("store.yaml")]
        let export = try LiveCommand(words, in: home.url, environment: Self.variables(home))
        let first = try #require(export.line(holding: #""key":"a""#))
        // The export waits for its reader, and has not come to the last entry.
        for key in ["a", "z"] { try await put(key, "new") }
        let last = try #require(export.line(holding: #""key":"z""#))
        let old = "\"bytes\":\"\(Data("old".utf8).base64EncodedString())\""
        for line in [first, last] { #expect(line.contains(old), "\(line)") }
        while export.line() != nil {}
        #expect(try export.hangUp() == 0)
        try await runner.stop()
    }

    /// What is done to an exported file, and what the import says of it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let change: @Sendable (String) -> String
        var file: String = StoreCopyTests.file()

        static let all = [
            Change(testDescription: "empty", reason: "is empty", change: { _ in "" }),
            Change(testDescription: "another file", reason: "not a file of", change: { _ in "{}\n" }),
            Change(testDescription: "no JSON", reason: "line 1 is not JSON", change: { _ in "version: 1\n" }),
            Change(
                testDescription: "a later form",
                reason: "has form 9",
                change: { $0.replacing(#""corewireStore":1"#, with: #""corewireStore":9"#) }
            ),
            Change(
                testDescription: "a line of many values",
                reason: "line 2 is not JSON",
                change: { text in
                    let values = Array(repeating: "0", count: 200).joined(separator: ",")
                    return text.prefix { $0 != "\n" } + "\n{\"entry\":[\(values)]}\n"
                }
            ),
            Change(testDescription: "half", reason: "incomplete", change: { String($0.prefix($0.count / 2)) }),
            Change(
                testDescription: "without its last line",
                reason: "incomplete",
                change: { $0.split(separator: "\n").dropLast().joined(separator: "\n") + "\n" }
            ),
            Change(
                testDescription: "a changed value",
                reason: "was changed",
                change: { $0.replacing(#""bytes":"b25l""#, with: #""bytes":"dHdv""#) }
            ),
            Change(
                testDescription: "a removed line",
                reason: "was changed",
                change: { text in
                    text.split(separator: "\n").filter { !$0.contains("b25l") }.joined(separator: "\n") + "\n"
                }
            ),
            Change(testDescription: "an added line", reason: "was changed", change: { $0 + "{}\n" }),
            Change(
                testDescription: "another group",
                reason: "belongs to the group",
                change: { $0 },
                file: StoreCopyTests.file(group: "com.example.other")
            ),
            Change(
                testDescription: "another key",
                reason: "sealed with the key",
                change: { $0 },
                file: StoreCopyTests.file(key: Data(repeating: 8, count: 32).base64EncodedString())
            ),
        ]
    }

    @Test("a file that is damaged, of another app, or sealed with another key changes nothing", arguments: Change.all)
    func refused(change: Change) async throws {
        let home = try TemporaryFolder()
        let runner = try await RunningRunner(Self.file(), in: home)
        #expect(try await runner.ask("PUT", "/v1/state/notes/a", text: "one").status == 201)
        let export = try Self.store(["export", "-"], home, Self.file())
        try await runner.stop()
        let other = try TemporaryFolder()
        try other.write(change.change(export.output), to: "changed.store")
        let refused = try Self.store(["import", other.path("changed.store")], other, change.file)
        #expect(refused.status == 1 && refused.errors.contains(change.reason), "\(refused.everything)")
        #expect(try Self.store(["export", "-"], other, change.file).errors.contains("there is no store"))
        #expect(try Self.store(["import", "-"], other, Self.file(), input: Data(export.output.utf8)).status == 0)
    }
}

extension TemporaryFolder {
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
