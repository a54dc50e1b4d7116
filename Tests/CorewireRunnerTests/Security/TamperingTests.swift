import Foundation
import Glibc
import Support
import Testing

extension StartedProgram {
    /// Something that is done to a runner; what it says is for nobody.
    static func beside(_ path: String, _ arguments: String...) throws -> StartedProgram {
        try StartedProgram(path, arguments, environment: [:], output: "/dev/null", errors: "/dev/null")
    }
}

/// Who owns the machine can do all of these, and whoever wants to may see them.
@Suite("Tampering with a runner", .enabled(if: geteuid() == 0, "needs root"))
struct TamperingTests {
    private static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    private static let hasFrida = Program.succeeds(python, "-c", "import frida")

    @Test(
        "an attached debugger or tracer is detected until it detaches",
        arguments: [
            ["gdb", "-q", "-nx", "-batch", "-ex", "continue", "-p"], ["ltrace", "-o", "/dev/null", "-e", "none", "-p"],
        ]
    )
    func tracer(words: [String]) async throws {
        let runner = try await RunningRunner(RunningRunner.rules("debugger: { every: 1s }"))
        #expect(try await runner.isClear(of: "debugger"))
        let tracer = try StartedProgram(
            "/usr/bin/\(words[0])",
            words.dropFirst() + ["\(runner.program.id)"],
            environment: [:],
            output: "/dev/null",
            errors: "/dev/null"
        )
        #expect(try await runner.detects("debugger", "\(words[0]) (process \(tracer.id)) traces this process"))
        tracer.signal(SIGINT)
        try await tracer.end()
        #expect(try await runner.isClear(of: "debugger"))
        #expect(try await runner.stop() == 0)
    }

    /// Where the kernel keeps tracers away by itself, that the rule does is seen no more.
    private static let denials =
        ((try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)) ?? "0").hasPrefix("0")
        ? [true, false] : [true]

    @Test(
        "with 'deny', a tracer without root's capability is rejected",
        .enabled(
            if: Program.succeeds("setpriv", "--bounding-set=-sys_ptrace", "true"),
            "no right can be given up here"
        ),
        arguments: denials
    )
    func denied(isDenied: Bool) async throws {
        let alike = ["/usr/bin/setpriv", "--bounding-set=-sys_ptrace"]
        let runner = try await RunningRunner(
            RunningRunner.rules("debugger: { deny: \(isDenied), every: 1s }"),
            below: alike
        )
        #expect(try await runner.isClear(of: "debugger"))
        let place = runner.home.url.path
        let strace = try StartedProgram(
            alike[0],
            [alike[1], "/usr/bin/strace", "-p", "\(runner.program.id)", "-o", "/dev/null"],
            environment: [:],
            output: "\(place)/strace",
            errors: "\(place)/strace"
        )
        if isDenied {
            #expect(try await strace.end() == 1)
            #expect(try runner.home.text(of: "strace").contains("Operation not permitted"))
            #expect(try await runner.isClear(of: "debugger"))
        } else {
            #expect(try await runner.detects("debugger", "strace"))
            strace.signal(SIGTERM)
            try await strace.end()
        }
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "frida's agent that hooks TLS functions is detected until it is gone",
        .enabled(if: hasFrida, "frida is not there")
    )
    func agent() async throws {
        let runner = try await RunningRunner(
            RunningRunner.rules("libraryInjection: { every: 1s }, runtimeHooks: { every: 1s }")
        )
        // The library of TLS is loaded with the first request that is sent, here for the token of the user.
        #expect(try await runner.ask("GET", "/v1/auth/token").status == 200)
        let place = runner.home.url.path
        try runner.home.write(
            """
            import frida, signal, sys, threading
            sys.dont_write_bytecode = True
            sys.path.insert(0, "\(Repository.root.path)/Scripts")
            import descendants
            # Frida starts a daemon, which ends with this process.
            descendants.adopt()
            gone = threading.Event()
            signal.signal(signal.SIGTERM, lambda *_: gone.set())
            session = frida.attach(\(runner.program.id))
            hook = "Interceptor.attach(Module.getGlobalExportByName('SSL_write'), { onEnter(args) {} })"
            session.create_script(hook).load()
            gone.wait()
            session.detach()
            descendants.end_all()
            """,
            to: "hook.py"
        )
        let frida = try StartedProgram(
            Self.python,
            ["\(place)/hook.py"],
            // What it leaves in its folder for passing files is a finding of its own.
            environment: ["TMPDIR": place],
            output: "\(place)/frida.out",
            errors: "\(place)/frida.out"
        )
        #expect(try await runner.detects("libraryInjection", "frida-agent"))
        #expect(try await runner.detects("runtimeHooks", "SSL_write differs from its beginning in libssl.so.3"))
        frida.signal(SIGTERM)
        try await frida.end()
        // It may leave memory behind that can be written and run, which stays a finding.
        #expect(
            try await eventually {
                try await runner.evidence(of: "libraryInjection")?.contains("frida-agent") != true
            }
        )
        #expect(try await runner.isClear(of: "runtimeHooks"))
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "a replaced or removed executable is detected until the runner restarts",
        arguments: [true, false]
    )
    func program(isReplaced: Bool) async throws {
        let home = try TemporaryFolder()
        let place = home.url.appendingPathComponent("corewire-dev-runner").path
        let original = Program.buildFolder.appendingPathComponent("corewire-dev-runner")
        try FileManager.default.copyItem(at: original, to: URL(fileURLWithPath: place))
        let file = RunningRunner.rules("integrity: { every: 1s }")
        let runner = try await RunningRunner(file, in: home, program: place)
        #expect(try await runner.isClear(of: "integrity"))
        if isReplaced {
            try FileManager.default.copyItem(at: original, to: URL(fileURLWithPath: "\(place).new"))
            #expect(unsafe rename("\(place).new", place) == 0)
        } else {
            try FileManager.default.removeItem(atPath: place)
        }
        #expect(try await runner.detects("integrity", "\(place) is no longer the file of the program that runs"))
        #expect(try await runner.stop() == 0)
        guard isReplaced else { return }
        let next = try await RunningRunner(file, in: home, program: place)
        #expect(try await next.isClear(of: "integrity"))
        #expect(try await next.stop() == 0)
    }

    @Test("a services file owned by another user is detected until it is restored")
    func owner() async throws {
        let runner = try await RunningRunner(RunningRunner.rules("writableFiles: { every: 1s }"))
        let path = runner.home.url.appendingPathComponent("com.example.tasks.yaml").path
        #expect(unsafe chown(path, 65_534, 65_534) == 0)
        #expect(try await runner.detects("writableFiles", "\(path) (the services file) belongs to user 65534"))
        #expect(unsafe chown(path, 0, 0) == 0)
        #expect(try await runner.isClear(of: "writableFiles"))
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "a PID namespace, as in containers, is detected, and the parent process is hidden",
        .enabled(
            if: Program.succeeds("unshare", "--pid", "--fork", "--mount-proc", "true"),
            "there are no namespaces here"
        )
    )
    func namespace() async throws {
        let rules = RunningRunner.rules("emulator: { kinds: [container] }, parentProcess: {}")
        let runner = try await RunningRunner(
            rules,
            below: ["/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGTERM"]
        )
        #expect(try await runner.detects("emulator", "container: "))
        let parent = try await runner.securityReport()["parentProcess"]
        #expect(parent?["result"] as? String == "inconclusive")
        #expect("\(parent ?? [:])".contains("the parent process is outside this namespace"))
        runner.program.signal(SIGKILL)
        try await runner.program.end()
    }

    @Test(
        "without /proc rules are inconclusive, and with it they are conclusive",
        .enabled(
            if: Program.succeeds("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/proc"),
            "/proc cannot be hidden"
        )
    )
    func hidden() async throws {
        let names = [
            "debugger", "reverseEngineeringTools", "root", "sandbox", "libraryInjection", "runtimeHooks", "integrity",
            "writableFiles", "parentProcess", "diskEncryption", "emulator",
        ]
        let rules = names.map { "\($0): { every: 1s }" }.joined(separator: ", ")
        let runner = try await RunningRunner(RunningRunner.rules(rules), below: ["/usr/bin/unshare", "--mount"])
        let walls = ["--mount=/proc/\(runner.program.id)/ns/mnt"]
        // libdispatch ends a program that it finds busy and whose own threads it cannot see: these stay.
        let (threads, kept) = ("/proc/\(runner.program.id)/task", runner.home.url.appendingPathComponent("run").path)
        let hide = """
            mount --bind \(threads) \(kept)/threads && mount -t tmpfs none /proc && mkdir -p \(threads) &&
            mount --bind \(kept)/threads \(threads)
            """
        try FileManager.default.createDirectory(atPath: "\(kept)/threads", withIntermediateDirectories: false)
        #expect(try Program.run("nsenter", walls + ["sh", "-c", hide]).status == 0)
        #expect(try await runner.results { $0 == names.map { _ in "inconclusive" } })
        #expect(try Program.run("nsenter", walls + ["umount", threads, "/proc", "\(kept)/threads"]).status == 0)
        #expect(try await runner.results { $0.count == names.count && !$0.contains("inconclusive") })
        #expect(try await runner.stop() == 0)
    }
}
