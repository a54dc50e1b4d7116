import Foundation
import Support
import Testing

@Suite("The log stream of an add-on")
struct AddonLogTests {
    private static let alone = """
        version: 1
        app: { id: com.example.tasks }
        api: { socket: auto }

        """
    private static let file = """
        \(alone)
        addons:
          talker: { exec: [./talker.py], required: true, hooks: [network] }

        """

    /// One that says how often it was started, and then almost half as many lines as are kept, where there is a file `loud`.
    private static let talker = """
        #!/usr/bin/python3
        import json, os, sys
        with open("starts", "a") as starts:
            starts.write("x")
        start = os.path.getsize("starts")
        print("start", start, file=sys.stderr, flush=True)
        if os.path.exists("loud"):
            for number in range(90):
                print("noise", start, number, file=sys.stderr, flush=True)
        for line in sys.stdin:
            if json.loads(line)["type"] == "hello":
                print('{"type":"ready","protocol":1}', flush=True)

        """

    private static func home() throws -> TemporaryFolder {
        let home = try TemporaryFolder()
        try home.write(talker, to: "talker.py")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755],
            ofItemAtPath: home.url.appendingPathComponent("talker.py").path
        )
        return home
    }

    /// Reads on to the line that holds a text; what is before it are lines as well.
    private func line(_ text: String, of stream: EventReader) async throws -> (id: String?, number: Int)? {
        var number = 0
        while let event = try await stream.next() {
            number += 1
            #expect(event.event == "line")
            if event.data.contains(#""text":"\#(text)""#) { return (event.id, number) }
        }
        return nil
    }

    private func restart(_ runner: RunningRunner) async throws {
        let status = try await runner.ask("POST", "/v1/addons/talker/restart", ["X-Corewire: 1"]).status
        #expect(status == 202)
    }

    @Test("stored lines come first, then new ones, and a resumed reader gets no line twice")
    func follows() async throws {
        let runner = try await RunningRunner(Self.file, in: try Self.home())
        let first = try await runner.watch("/v1/addons/talker/log")
        let seen = try #require(try await line("start 1", of: first))
        try await restart(runner)
        #expect(try await line("start 2", of: first) != nil)
        try await first.close()
        let later = try await runner.watch("/v1/addons/talker/log", after: seen.id)
        let again = try #require(try await line("start 2", of: later))
        // An id of another run says nothing of this one's lines.
        let stranger = try await runner.watch("/v1/addons/talker/log", after: "strange-99")
        #expect(try await line("start 1", of: stranger)?.number == seen.number)
        #expect(try await line("start 2", of: stranger)?.number == again.number)
        // Nor does a number that there is none of.
        let name = try #require(seen.id?.split(separator: "-").first)
        let before = try await runner.watch("/v1/addons/talker/log", after: "\(name)--9223372036854775808")
        #expect(try await line("start 1", of: before)?.number == seen.number)
        // Nothing more comes of one that is in the file no longer.
        #expect(try await runner.reload(Self.alone).status == 200)
        while try await later.next() != nil {}
        try await runner.stop()
    }

    @Test("a resumed reader learns the number of dropped lines")
    func gap() async throws {
        let home = try Self.home()
        let runner = try await RunningRunner(Self.file, in: home)
        let first = try await runner.watch("/v1/addons/talker/log")
        let seen = try #require(try await line("start 1", of: first)?.id)
        try home.write("", to: "loud")
        for start in 2...4 {
            try await restart(runner)
            #expect(try await line("noise \(start) 89", of: first) != nil)
        }
        let later = try await runner.watch("/v1/addons/talker/log", after: seen)
        let told = try #require(try await later.next())
        let kept = try #require(try await later.next()?.id)
        // An id ends with the number of its line.
        let numbers = [seen, kept].compactMap { $0.split(separator: "-").last.flatMap { Int($0) } }
        try #require(numbers.count == 2 && numbers[1] > numbers[0] + 1)
        #expect(told.event == "gap" && told.data == #"{"missing":\#(numbers[1] - numbers[0] - 1)}"#, "found \(told)")
        #expect(try await line("noise 4 89", of: later) != nil)
        try await runner.stop()
    }

    @Test("the command follows the lines until interrupted, across a runner restart, and rejects an unknown add-on")
    func command() async throws {
        let home = try Self.home()
        let runner = try await RunningRunner(Self.file, in: home)
        let command = try StartedProgram(
            Program.corewire,
            ["addons", "logs", "talker", "--watch", "--socket", runner.socket],
            environment: ["HOME": home.url.path],
            output: home.url.appendingPathComponent("lines").path,
            errors: home.url.appendingPathComponent("errors").path
        )
        func shows(_ text: String) async -> Bool {
            await eventually { (try? home.text(of: "lines"))?.contains("  \(text)\n") ?? false }
        }
        #expect(await shows("start 1"))
        try await restart(runner)
        #expect(await shows("start 2"))
        try await runner.kill()
        let next = try await RunningRunner(nil, in: home)
        #expect(await shows("start 3"))
        command.signal(SIGINT)
        #expect(try await command.end() == -SIGINT)
        let told = try home.text(of: "errors")
        #expect(told.contains("connection lost") || told.contains("the stream has stopped"), "found \(told)")
        let wrong = try next.corewire(["addons", "logs", "talkr", "--watch"])
        #expect(wrong.status == 1 && wrong.errors.contains("did you mean 'talker'?"), "found \(wrong)")
        try await next.stop()
    }
}
