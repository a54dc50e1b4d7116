import Foundation
import Support
import Testing

@Suite("Starts under resource limits", .timeLimit(.minutes(2)))
struct StartLimitTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        network: {}
        persistence: {}
        background: {}
        api: {}

        """

    /// What a shell does before it becomes the runner.
    private static func below(_ handler: String) -> [String] { ["/bin/sh", "-c", "\(handler) && exec \"$@\"", "sh"] }

    /// Why it does not start.
    private static func refusal(_ words: [String]) throws -> Run {
        let home = try TemporaryFolder()
        try home.write(file, to: "services.yaml")
        let runner = Program.buildFolder.appendingPathComponent("corewire-dev-runner").path
        let command = words + [runner, "run", "--config", home.url.appendingPathComponent("services.yaml").path]
        return try Program.run(command[0], Array(command.dropFirst()), environment: ["HOME": home.url.path])
    }

    @Test("too little address space is reported, and the runner ends", arguments: [200_000, 300_000, 400_000])
    func tooLittle(kibibytes: Int) throws {
        let run = try Self.refusal(Self.below("ulimit -v \(kibibytes)"))
        #expect(run.status == 70, "\(run.everything)")
        #expect(
            run.errors == """
                error: 'address space': 384MiB more cannot be reserved; raise 'ulimit -v' ('LimitAS='), and limit memory with \
                'MemoryMax='

                """
        )
    }

    @Test("with little address space the runner becomes ready with many allocating threads, and stops on request")
    func little() async throws {
        let runner = try await RunningRunner(Self.file, below: Self.below("ulimit -v 700000"))
        for _ in 0..<20 { #expect(try await runner.ask("GET", "/readyz").status == 200) }
        #expect(try await runner.stop() == 0)
    }

    @Test("too few descriptors are reported; with just enough the runner works, and stops on request")
    func descriptors() async throws {
        for count in [10, 18, 24, 127] {
            let run = try Self.refusal(Self.below("ulimit -n \(count)"))
            #expect(run.status == 70, "\(count): \(run.everything)")
            #expect(
                run.errors == """
                    error: 'file descriptors': \(count) can be open at once, and 128 are needed; raise 'ulimit -n' \
                    ('LimitNOFILE=')

                    """,
                "\(count)"
            )
        }
        let runner = try await RunningRunner(Self.file, below: Self.below("ulimit -n 128"))
        for _ in 0..<20 { #expect(try await runner.ask("GET", "/readyz").status == 200) }
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "without /proc for its threads or arguments, the runner reports the reason and ends",
        .enabled(
            if: Program.succeeds("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/proc"),
            "/proc cannot be hidden"
        ),
        arguments: [
            ("/proc/$$/task", "'/proc/self/task': cannot be read; mount /proc, which is needed to count threads"),
            ("/proc", "cannot read the command line from '/proc/self/cmdline'; mount /proc"),
        ]
    )
    func hidden(folder: String, message: String) throws {
        let run = try Self.refusal(["/usr/bin/unshare", "--mount"] + Self.below("mount -t tmpfs none \(folder)"))
        #expect(run.status == 70, "\(run.everything)")
        #expect(run.errors == "error: \(message)\n")
    }

    @Test(
        "too few threads are reported, and the runner ends",
        .enabled(if: Program.succeeds("setpriv", "--reuid=54321", "true"), "another user cannot be had")
    )
    func fewThreads() throws {
        let words = ["/usr/bin/prlimit", "--nproc=12:12", "/usr/bin/setpriv", "--reuid=54321", "--clear-groups"]
        let run = try Self.refusal(words)
        #expect(run.status == 70, "\(run.everything)")
        #expect(run.errors.contains(" of 32 can be started; raise 'ulimit -u' ('LimitNPROC=', 'TasksMax=')"))
    }
}
