import Foundation
import Support
import Testing

@Suite("A start under limits", .timeLimit(.minutes(2)))
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

    @Test("with too little address space it says so, and ends", arguments: [200_000, 300_000, 400_000])
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

    @Test("with little address space it becomes ready, however many threads allocate, and ends when it is asked to")
    func little() async throws {
        let runner = try await RunningRunner(Self.file, below: Self.below("ulimit -v 700000"))
        for _ in 0..<20 { #expect(try await runner.ask("GET", "/readyz").status == 200) }
        #expect(try await runner.stop() == 0)
    }

    @Test("with too few descriptors it says so, and ends; with just enough it runs, and ends when it is asked to")
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
        "where it cannot count its threads, or cannot see what it was asked, it says so, and ends",
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
        "where the system gives too few threads it says so, and ends",
        .enabled(if: Program.succeeds("setpriv", "--reuid=54321", "true"), "another user cannot be had")
    )
    func fewThreads() throws {
        let words = ["/usr/bin/prlimit", "--nproc=12:12", "/usr/bin/setpriv", "--reuid=54321", "--clear-groups"]
        let run = try Self.refusal(words)
        #expect(run.status == 70, "\(run.everything)")
        #expect(run.errors.contains(" of 32 can be started; raise 'ulimit -u' ('LimitNPROC=', 'TasksMax=')"))
    }
}
