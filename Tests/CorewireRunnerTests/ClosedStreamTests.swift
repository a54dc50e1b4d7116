import Foundation
import Support
import Testing

@Suite("Programs started with closed standard streams")
struct ClosedStreamTests {
    private static let file = "version: 1\napp: { id: com.example.tasks }\npersistence: {}\napi: {}\n"

    private static func closing(_ streams: String) -> [String] { ["/bin/sh", "-c", #"exec "$@" "# + streams, "sh"] }

    @Test("no file or socket uses descriptors 0 to 2, and the runner's log is discarded", .timeLimit(.minutes(2)))
    func runner() async throws {
        let runner = try await RunningRunner(Self.file, below: Self.closing("<&- >&- 2>&-"))
        let descriptors = "/proc/\(runner.program.id)/fd"
        for stream in 0...2 {
            let place = try FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(stream)")
            #expect(place == "/dev/null")
        }
        // Whatever the log says now must not be found in any file.
        let kept = try await runner.ask("PUT", "/v1/state/notes/one", ["Content-Type: text/plain"], text: "kept")
        #expect(kept.status == 201)
        #expect(try await runner.ask("GET", "/v1/state/notes/one").text == "kept")
        #expect(try runner.corewire(["reload"]).status == 0)
        try await runner.stop()
        #expect(runner.log.isEmpty)
    }

    @Test(
        "output that cannot be printed is an error at once",
        .timeLimit(.minutes(2)),
        arguments: [["version"], ["status"], ["events", "--watch"], ["state", "watch", "notes"]]
    )
    func output(command: [String]) async throws {
        let runner = try await RunningRunner(Self.file)
        let words = command == ["version"] ? command : command + ["--socket", runner.socket]
        let shell = Self.closing(">&-")
        let run = try Program.run(shell[0], shell.dropFirst() + [Program.corewire] + words)
        #expect(run.status == 74 && run.output.isEmpty)
        #expect(run.errors == "error: cannot write the output: Bad file descriptor\n")
        try await runner.stop()
    }

    @Test("input that cannot be read is an error")
    func input() throws {
        let home = try TemporaryFolder()
        try home.write(Self.file + "notifications: {}\n", to: "tasks.yaml")
        let shell = Self.closing("<&-")
        let words = ["receive", "--config", home.url.appendingPathComponent("tasks.yaml").path]
        let run = try Program.run(
            shell[0],
            shell.dropFirst() + [Program.corewire] + words,
            environment: ["XDG_STATE_HOME": home.url.path]
        )
        #expect(run.status == 74 && run.output.isEmpty, "\(run.everything)")
        #expect(run.errors == "error: cannot read standard input: bad file descriptor\n")
    }
}
