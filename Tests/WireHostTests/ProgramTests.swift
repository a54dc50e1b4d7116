import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireHost
import WireService

@Suite("Programs that end", .timeLimit(.minutes(2)))
struct ProgramTests {
    let folder: TemporaryFolder
    let runner: ProgramRunner

    init() throws {
        folder = try TemporaryFolder()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        runner = ProgramRunner(
            Environment(["PATH": path, "HOME": "/home/ada", "LC_ALL": "C", "UPS_SECRET": "canary"]),
            folder: folder.url.path
        )
    }

    private func shell(_ script: String, _ change: (inout ProgramCall) -> Void = { _ in }) async throws
        -> ProgramOutcome
    {
        var call = ProgramCall("sh", ["-c", script])
        change(&call)
        return try await runner.run(call)
    }

    private func failure(_ script: String, _ change: (inout ProgramCall) -> Void = { _ in }) async -> ProgramFailure? {
        do {
            _ = try await shell(script, change)
            return nil
        } catch {
            return error as? ProgramFailure
        }
    }

    private static func text(_ outcome: ProgramOutcome) -> String { String(decoding: outcome.output, as: UTF8.self) }

    /// Whether a process is there, and no zombie.
    private static func lives(_ process: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return status.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    private func process(in file: String) async throws -> Int32 {
        while true {
            if let text = try? folder.text(of: file), text.hasSuffix("\n"), let number = Int32(text.dropLast()) {
                return number
            }
            await breath()
        }
    }

    private func untilGone(_ process: Int32) async { while Self.lives(process) { await breath() } }

    @Test("a program gets its arguments unchanged, and its output is returned")
    func words() async throws {
        let words = ["a b", "$HOME", "*", "", "'\"", "é\n"]
        let outcome = try await runner.run(ProgramCall("printf", ["%s|"] + words))
        #expect(Self.text(outcome) == words.map { $0 + "|" }.joined() && outcome.isSuccess)
    }

    @Test("programs over the parallel limit are queued")
    func queue() async throws {
        var long = ProgramCall("sleep", ["1000"])
        long.timeLimit = .seconds(1_000)
        // Each order comes after the one before: all places are taken when those come that must wait.
        let places = try (0..<256).map { _ in try runner.start(long) { _ in } }
        let (ended, tell) = AsyncStream.makeStream(of: ProgramResult.self)
        let waiting = try (0..<8).map { _ in try runner.start(ProgramCall("true")) { tell.yield($0) } }
        waiting[3].end(atOnce: false)
        var results = ended.makeAsyncIterator()
        let first = await results.next(isolation: #isolation)
        #expect(throws: ProgramFailure.self, "who is called off does not wait any longer") { try first?.get() }
        for place in places { place.end(atOnce: true) }
        for _ in 0..<7 { #expect(try await results.next(isolation: #isolation)?.get().isSuccess == true) }
    }

    @Test("a program reads any amount of input, or none")
    func input() async throws {
        let much = [UInt8](repeating: 65, count: 700_000)
        let outcome = try await shell("wc -c") { $0.input = much }
        #expect(Self.text(outcome).trimmingCharacters(in: .whitespacesAndNewlines) == "700000")
        #expect(Self.text(try await shell("wc -c")).hasPrefix("0"))
        #expect(Self.text(try await shell("wc -c") { $0.input = [] }).hasPrefix("0"))
        // Who does not read is not waited for.
        #expect(Self.text(try await shell("exec <&-; echo fine") { $0.input = much }) == "fine\n")
    }

    @Test("a program runs in the folder of the file, which relative paths refer to")
    func place() async throws {
        #expect(Self.text(try await shell("pwd -P")).dropLast() == folder.url.resolvingSymlinksInPath().path)
        try folder.write("#!/bin/sh\necho own\n", to: "bin/own")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755],
            ofItemAtPath: folder.url.appendingPathComponent("bin/own").path
        )
        #expect(Self.text(try await runner.run(ProgramCall("./bin/own"))) == "own\n")
    }

    @Test("a program gets a basic environment and declared variables, and no secrets")
    func environment() async throws {
        let text = Self.text(try await shell("env") { $0.environment = ["CHOSEN": "yes", "LC_ALL": "C.UTF-8"] })
        #expect(text.contains("CHOSEN=yes\n") && text.contains("HOME=/home/ada\n") && text.contains("LC_ALL=C.UTF-8\n"))
        #expect(!text.contains("canary"))
    }

    @Test("no descriptor, signal mask or ignored signal is inherited, and a program leads its group")
    func inheritance() async throws {
        let leak = unsafe open("/dev/zero", O_RDONLY)
        defer { close(leak) }
        // `ls` itself opens the folder it lists.
        #expect(Self.text(try await runner.run(ProgramCall("ls", ["/proc/self/fd"]))) == "0\n1\n2\n3\n")
        let status = Self.text(try await runner.run(ProgramCall("cat", ["/proc/self/status"])))
        // The C library keeps 32 and 33 for itself, and ignores them in what it spawns.
        #expect(status.contains("SigBlk:\t0000000000000000"))
        #expect(["SigIgn:\t0000000000000000", "SigIgn:\t0000000180000000"].contains { status.contains($0) })
        #expect(Self.text(try await shell("yes | head -1")) == "y\n")
        let fields = Self.text(try await runner.run(ProgramCall("cat", ["/proc/self/stat"]))).split(separator: " ")
        #expect(fields[0] == fields[4])
    }

    @Test("the result has the exit status and the last error line, without control characters")
    func ends() async throws {
        let outcome = try await shell("echo one >&2; printf 'no \\033[31msuch account\\n\\n' >&2; exit 3")
        #expect(outcome.end == .exited(3) && outcome.description == "exited with 3: no [31msuch account")
        #expect(try await shell("kill -9 $$").end == .signalled(9))
        #expect(try await shell("exec >&-; exit 1").end == .exited(1))
        #expect(try await shell("head -c 3000000 /dev/zero >&2").isSuccess)
    }

    @Test("a missing program and one that is not executable are distinguished")
    func absent() async throws {
        try folder.write("text", to: "plain")
        try folder.write("#!/nowhere/interpreter\n", to: "broken")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755],
            ofItemAtPath: folder.url.appendingPathComponent("broken").path
        )
        for (program, kind) in [
            ("no-such-program", ProgramFailure.Kind.notFound), ("./none", .notFound), ("./plain", .notExecutable),
            ("./broken", .notFound), ("/", .notExecutable), ("", .notFound),
        ] {
            await #expect { _ = try await runner.run(ProgramCall(program)) } throws: { error in
                (error as? ProgramFailure)?.kind == kind
            }
        }
        await #expect { _ = try await runner.run(ProgramCall("echo", ["a\0b"])) } throws: { error in
            (error as? ProgramFailure)?.kind == .notStarted
        }
    }

    /// Runs a script that takes too long, with a limit that leaves it the time to have begun: to write these files.
    private func late(_ script: String, grace: Duration, begun files: String...) async throws {
        for limit in [300, 3_000, 30_000] {
            for file in files { try? FileManager.default.removeItem(at: folder.url.appendingPathComponent(file)) }
            let failure = await failure(script) {
                $0.timeLimit = .milliseconds(limit)
                $0.grace = grace
            }
            #expect(failure?.kind == .timedOut)
            #expect(failure?.reason == "'sh' did not end within \(Double(limit) / 1_000) seconds")
            if files.allSatisfy({ (try? folder.text(of: $0))?.hasSuffix("\n") ?? false }) { return }
        }
        Issue.record("it has not begun in half a minute")
    }

    @Test("a program over its time limit is terminated, then killed, with its children")
    func stubborn() async throws {
        let polite = "trap 'echo asked > asked; exit' TERM; echo > begun; while :; do sleep 0.01; done"
        try await late(polite, grace: .seconds(60), begun: "begun")
        #expect(try folder.text(of: "asked") == "asked\n")
        let rude =
            "trap '' TERM; (trap '' TERM; echo $$ > x; sh -c 'echo $PPID > child'; while :; do sleep 1; done) & echo $$ > leader; while :; do sleep 1; done"
        try await late(rude, grace: .milliseconds(100), begun: "leader", "child")
        let (leader, child) = (try await process(in: "leader"), try await process(in: "child"))
        #expect(kill(leader, 0) != 0, "a zombie is left")
        await untilGone(child)
    }

    @Test("a program that ends while others hold its output is not waited for")
    func grandchild() async throws {
        let outcome = try await shell("sleep 600 & echo $! > child; echo done") { $0.timeLimit = .seconds(100) }
        #expect(Self.text(outcome) == "done\n")
        let child = try await process(in: "child")
        #expect(Self.lives(child))
        kill(child, SIGKILL)
        let flood = try await shell("yes & echo $! > flood; exit 0") { $0.outputLimit = .mebibytes(512) }
        #expect(flood.isSuccess)
        await untilGone(try await process(in: "flood"))
    }

    @Test("a program with endless output is ended")
    func flood() async throws {
        let failure = await failure("echo $$ > flood; yes") { $0.outputLimit = .kibibytes(64) }
        #expect(failure?.kind == .tooMuchOutput)
        #expect(kill(try await process(in: "flood"), 0) != 0)
        let exact = try await shell("head -c 65536 /dev/zero") { $0.outputLimit = .kibibytes(64) }
        #expect(exact.output.count == 65_536)
        let over = await self.failure("head -c 65537 /dev/zero") { $0.outputLimit = .kibibytes(64) }
        #expect(over?.kind == .tooMuchOutput)
    }

    @Test("cancellation ends a program, also before it has started")
    func cancellation() async throws {
        let call = Task { await failure("echo $$ > running; sleep 600") }
        let number = try await process(in: "running")
        call.cancel()
        #expect(await call.value?.kind == .cancelled)
        #expect(kill(number, 0) != 0)
        let early = Task {
            await withTaskGroup(of: ProgramFailure?.self) { group in
                group.cancelAll()
                group.addTask { await failure("echo early > early") }
                return await group.next() ?? nil
            }
        }
        #expect(await early.value?.kind == .cancelled)
        #expect((try? folder.text(of: "early")) == nil)
    }

    @Test("concurrent programs do not block each other, and get their own output")
    func many() async throws {
        let slow = Task { try await shell("sleep 600") { $0.timeLimit = .seconds(1_000) } }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask {
                    Self.text(try await shell("cat; echo \(number)") { $0.input = Array("\(number) ".utf8) })
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts == Set((0..<100).map { "\($0) \($0)\n" }))
        slow.cancel()
        _ = try? await slow.value
    }
}

/// Counts on any thread.
private final class Tally: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}
