import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireHost
import WireService

@Suite("Long-running programs", .timeLimit(.minutes(2)))
struct LastingProgramTests {
    let folder: TemporaryFolder
    let runner: ProgramRunner

    init() throws {
        folder = try TemporaryFolder()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        runner = ProgramRunner(
            Environment(["PATH": path, "HOME": "/home/ada", "USER": "ada", "LANG": "C", "TZ": "UTC", "XDG_X": "x"]),
            folder: folder.url.path
        )
    }

    /// A program, and what it has printed and how it has ended so far.
    private final class Watched: Sendable {
        private let state = Mutex<(output: [UInt8], errors: [UInt8], end: Result<ProgramOutcome, ProgramFailure>?)>(
            ([], [], nil)
        )
        let feed: ProgramFeed
        private let started = Mutex<(any ProgramLife)?>(nil)

        init(_ script: String, _ runner: ProgramRunner, _ change: (inout ProgramCall) -> Void = { _ in }) throws {
            feed = ProgramFeed(limit: .kibibytes(64))
            var call = ProgramCall("sh", ["-c", script])
            call.feed = feed
            call.timeLimit = .seconds(1_000_000)
            call.onOutput = { bytes in self.state.withLock { $0.output += bytes } }
            call.heardErrors = { bytes in self.state.withLock { $0.errors += bytes } }
            change(&call)
            let life = try runner.start(call) { result in self.state.withLock { $0.end = result } }
            started.withLock { $0 = life }
        }

        var output: String { String(decoding: state.withLock { $0.output }, as: UTF8.self) }
        var errors: String { String(decoding: state.withLock { $0.errors }, as: UTF8.self) }
        var end: Result<ProgramOutcome, ProgramFailure>? { state.withLock { $0.end } }
        var hasEnded: Bool { if case nil = end { false } else { true } }
        func finish(atOnce: Bool) { started.withLock { $0 }?.end(atOnce: atOnce) }
    }

    @Test("input is delivered in order; closing the feed ends it")
    func feed() async throws {
        let program = try Watched("cat; echo over >&2", runner)
        #expect(program.feed.offer(Array("one\n".utf8)))
        #expect(await eventually { program.output == "one\n" })
        #expect(program.feed.offer(Array("two\n".utf8)))
        #expect(await eventually { program.output == "one\ntwo\n" })
        #expect(!program.hasEnded)
        #expect(program.feed.offer(Array("three\n".utf8)))
        program.feed.close()
        #expect(!program.feed.offer([1]))
        #expect(await eventually { program.hasEnded })
        #expect(program.output == "one\ntwo\nthree\n")
        #expect(program.errors == "over\n")
        #expect(try program.end?.get().isSuccess == true)
    }

    @Test("the feed is limited, and nothing waits for a program that does not read")
    func bounded() async throws {
        let program = try Watched("echo ready; sleep 600", runner)
        #expect(await eventually { program.output == "ready\n" })
        let line = [UInt8](repeating: 1, count: 1_024)
        var taken = 0
        while program.feed.offer(line), taken < 10_000 { taken += 1 }
        // The pipe, what is being written, and the feed: each as large as the other.
        #expect(taken >= 64 && taken < 1_000)
        program.finish(atOnce: false)
        #expect(await eventually { program.hasEnded })
        #expect(!program.feed.offer(line))
    }

    @Test("a program gets the expected signals, and only its own environment")
    func surroundings() async throws {
        let program = try Watched("grep -E '^Sig(Blk|Ign)' /proc/self/status; env", runner) { $0.inherits = .least }
        #expect(await eventually { program.hasEnded })
        let masks = program.output.split(separator: "\n").prefix(2).compactMap { UInt64($0.suffix(16), radix: 16) }
        // Two signals are the C library's own, which nobody can set.
        #expect(masks.map { $0 & ~0x1_8000_0000 } == [0, 0])
        let names = program.output.split(separator: "\n").dropFirst(2).map { String($0.prefix { $0 != "=" }) }
        #expect(Set(names).subtracting(["PWD", "SHLVL", "_", "OLDPWD"]) == ["PATH", "HOME", "LANG", "TZ"])
    }

    @Test("a program is asked to stop, and killed after its grace period, or at once", arguments: [false, true])
    func ends(atOnce: Bool) async throws {
        let program = try Watched("trap '' TERM; echo ready; while :; do sleep 0.1; done", runner) {
            $0.grace = atOnce ? .seconds(1_000) : .milliseconds(50)
        }
        #expect(await eventually { program.output == "ready\n" })
        program.finish(atOnce: atOnce)
        #expect(await eventually { program.hasEnded })
        guard case .failure(let failure)? = program.end else { throw Failed() }
        #expect(failure.kind == .cancelled)
    }

    @Test("a program asked to stop can be killed before the end of its grace period")
    func hurried() async throws {
        let program = try Watched("trap 'echo asked' TERM; echo ready; while :; do sleep 0.01; done", runner) {
            $0.grace = .seconds(1_000)
        }
        #expect(await eventually { program.output == "ready\n" })
        program.finish(atOnce: false)
        #expect(await eventually { program.output.hasSuffix("asked\n") })
        #expect(!program.hasEnded)
        program.finish(atOnce: true)
        #expect(await eventually { program.hasEnded })
    }

    @Test(
        "children of a program are ended with it on request",
        arguments: [false, true]
    )
    func itsOwn(isEnded: Bool) async throws {
        let program = try Watched("sleep 600 >&- 2>&- & echo $!", runner) { $0.endsItsOwn = isEnded }
        #expect(await eventually { program.hasEnded })
        let child = try #require(pid_t(program.output.dropLast()))
        func lives() -> Bool {
            let status = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
            return !(status.split(separator: ")").last?.split(separator: " ").first.map { $0 == "Z" } ?? true)
        }
        if isEnded {
            #expect(await eventually { !lives() })
        } else {
            #expect(lives())
            kill(child, SIGKILL)
        }
    }

    @Test("a missing program is rejected, or its end is reported")
    func notThere() async throws {
        let end = Mutex<ProgramFailure.Kind?>(nil)
        do throws(ProgramFailure) {
            _ = try runner.start(ProgramCall("./none")) { result in
                if case .failure(let failure) = result { end.withLock { $0 = failure.kind } }
            }
        } catch {
            end.withLock { $0 = error.kind }
        }
        #expect(await eventually { end.withLock { $0 } == .notFound })
    }

    private struct Failed: Error {}
}
