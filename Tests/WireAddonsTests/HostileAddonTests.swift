import Foundation
import Support
import Testing
import WireAddonContract
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry
import Workbench

@Suite("Misbehaving add-ons")
struct HostileAddonTests {
    @Test(
        "a required add-on that does not become ready fails the start, with the reason and the place",
        arguments: [
            ("sys.exit(3)", "start failed: exited with status 3"),
            (
                "print('out of luck', file=sys.stderr); sys.exit(4)",
                "start failed: exited with status 4: out of luck"
            ),
            ("os.kill(os.getpid(), signal.SIGSEGV)", "start failed: ended by signal 11"),
            ("hear(); say(type='ready', protocol=2); hear()", "'protocol' is 2, expected 1"),
            ("hear(); say(type='ready', protocol='1'); hear()", #"'protocol' is "1", expected 1"#),
            ("hear(); say(type='ready'); hear()", "'protocol' is missing, expected 1"),
            (
                "hear(); say(type='ready', protocol=1, hook=[]); hear()",
                "the message has 'hook', expected 'protocol', 'hooks', 'answers' or 'version'; did you mean 'hooks'?"
            ),
            (
                "ready(hooks=['network']); hear()",
                "'hooks' has 'network.willPerform', which the file does not allow: add 'network' to addons.bad.hooks"
            ),
            (
                "ready('device.willSetup'); hear()",
                "'answers' has 'device.willSetup', which is not a hook; did you mean 'device.willSetUp'?"
            ),
            ("ready('device.didRegister'); hear()", "'answers' has 'device.didRegister', which is not a question"),
            (
                "ready('device.didRegister', 'device.willSetUp', 'lifecycle.ready'); hear()",
                "'answers' has 'lifecycle.ready', which is not a question"
            ),
            (
                "hear(); sys.stdout.write('x' * 70000); sys.stdout.flush(); hear()",
                "line on standard output longer than 64KiB"
            ),
            ("hear()\nwhile True: print('nonsense')", "too much output on standard output"),
            ("hear()\nwhile True: sys.stderr.write('x' * 60000)", "too much output on standard error"),
        ]
    )
    func required(script: String, words: String) async throws {
        let bench = try await AddonsBench(
            "bad: { exec: [/usr/bin/python3, bad.py], hooks: [device, lifecycle], maxMessageSize: 64KiB }",
            ["bad": script]
        )
        await #expect {
            try await bench.start()
        } throws: { error in
            let fault = error as? Fault
            #expect(fault?.reason == "the add-on 'bad' did not become ready: \(words)")
            #expect(fault?.origin?.place == "file.yaml:4:17")
            return fault != nil
        }
        await bench.end()
    }

    @Test("an optional failing add-on affects nothing else, and is restarted with backoff")
    func restarts() async throws {
        let bench = try await AddonsBench.started(
            """
            bad: { exec: [/usr/bin/python3, bad.py], required: false }
            good: { exec: [/usr/bin/python3, good.py] }
            """,
            ["bad": "open('starts', 'a').write('x')\nsys.exit(1)\n", "good": "ready()\nhear()\nhear()\n"]
        )
        #expect(try await bench.state("good") == "ready")
        #expect(try await bench.becomes("resting", "bad"))
        let words = "degraded: the add-on 'bad' is not running: start failed: exited with status 1"
        #expect(await eventually { bench.bench.told.all.last == words })
        for (count, pause) in [(2, 1), (3, 2), (4, 4)] {
            #expect(await eventually { bench.clock.wakes(in: .seconds(pause)) })
            bench.clock.pass(.milliseconds(pause * 1_000 - 1))
            // Whoever has woken sleeps again only after another start.
            #expect(await eventually { bench.clock.sleepers > 0 })
            #expect(try await bench.addon("bad")["restarts"]?.integer == count - 2)
            // No longer than that: what it is then given to become ready must not pass with it.
            let isStarted = try await eventually {
                bench.clock.pass(.milliseconds(1))
                return try await bench.addon("bad")["restarts"]?.integer == count - 1
            }
            #expect(isStarted)
            #expect(await eventually { bench.wrote("starts").count == count })
            #expect(try await bench.becomes("resting", "bad"))
        }
        await bench.end()
    }

    private static let end = AddonRequest.End(
        status: 200,
        outcome: nil,
        reason: nil,
        attempts: 1,
        duration: .zero
    )

    @Test("the backoff is reset after a minute of stable running")
    func wellness() async throws {
        let bench = try await AddonsBench.started(
            "frail: { exec: [/usr/bin/python3, frail.py], hooks: [network] }",
            ["frail": "ready()\nhear()\nos._exit(1)\n"]
        )
        // How long it is well, and the wait after that.
        for (count, (well, pause)) in [(0, 1_000), (59_999, 2_000), (60_000, 1_000)].enumerated() {
            #expect(await eventually { bench.hooks.isHeard(.requestDidPerform) })
            bench.clock.pass(.milliseconds(well))
            bench.hooks.notify(.requestDidPerform, .requestDidPerform(.orders, Self.end))
            #expect(try await bench.becomes("resting", "frail"))
            #expect(await eventually { bench.clock.wakes(in: .milliseconds(pause)) })
            bench.clock.pass(.milliseconds(pause - 1))
            #expect(bench.clock.sleepers > 0)
            #expect(try await bench.addon("frail")["restarts"]?.integer == count)
            let isStarted = try await eventually {
                bench.clock.pass(.milliseconds(1))
                return try await bench.addon("frail")["restarts"]?.integer == count + 1
            }
            #expect(isStarted)
            #expect(try await bench.becomes("ready", "frail"))
        }
        await bench.end()
    }

    @Test("a hang at hello fails the start at the timeout")
    func hangsAtHello() async throws {
        let bench = try await AddonsBench(
            "bad: { exec: [/usr/bin/python3, bad.py], startTimeout: 3s }",
            ["bad": "print('wait for me', flush=True)\ntime.sleep(600)\n"]
        )
        let start = Task { try await bench.start() }
        #expect(try await eventually { try await bench.lines("bad").contains("wait for me") })
        await bench.pass(.seconds(3))
        await #expect {
            try await start.value
        } throws: {
            ($0 as? Fault)?.reason
                == "the add-on 'bad' did not become ready: no 'ready' within 3s; first invalid line: 'wait for me'"
        }
        let end = Task { await bench.end() }
        // It ignores that its standard input has ended, and is asked to end.
        await bench.pass(.seconds(2))
        await end.value
    }

    @Test(
        "an optional add-on that hangs at hello delays the start by one second, and is killed at its timeout"
    )
    func hangsOptionally() async throws {
        let bench = try await AddonsBench(
            "bad: { exec: [/usr/bin/python3, bad.py], startTimeout: 3s, required: false }",
            ["bad": "time.sleep(600)\n"]
        )
        let start = Task { try await bench.start() }
        await bench.pass(.seconds(1))
        try await start.value
        #expect(try await bench.state("bad") == "starting")
        await bench.pass(.seconds(2))
        #expect(try await bench.becomes("resting", "bad"))
        await bench.end()
    }

    @Test("a hanging hook costs one timeout: then the add-on is skipped, and killed if it continues to hang")
    func hangsInHook() async throws {
        let bench = try await AddonsBench.started(
            "bad: { exec: [/usr/bin/python3, bad.py], hooks: [network], timeout: 500ms }",
            ["bad": "ready('network')\nhear()\ntime.sleep(600)\n"]
        )
        async let first = bench.hooks.refusal(of: .orders)
        await bench.pass(.milliseconds(500))
        #expect(await first == nil)
        #expect(try await bench.state("bad") == "hanging")
        // The clock stands still, so whoever waited for it now would wait for ever.
        for _ in 0..<1_000 { #expect(await bench.hooks.refusal(of: .orders) == nil) }
        #expect(try await bench.addon("bad")["skipped"]?.integer == 1_000)
        #expect(try await bench.addon("bad")["late"]?.integer == 1)
        await bench.pass(.milliseconds(500))
        #expect(try await bench.becomes("resting", "bad"))
        #expect(await eventually { !bench.hooks.isHeard(.requestWillPerform) })
        #expect(try await bench.addon("bad")["trouble"]?.string == "hanging: a question was not answered")
        await bench.end()
    }

    @Test("an add-on that replies late is called again")
    func late() async throws {
        let bench = try await AddonsBench.started(
            "slow: { exec: [/usr/bin/python3, slow.py], hooks: [network], timeout: 500ms }",
            [
                "slow": """
                ready('network')
                first = hear()
                while not os.path.exists('go'): time.sleep(0.01)
                say(type='answer', id=first['id'], refuse='too late')
                say(type='answer', id=hear()['id'], refuse='in time')
                hear()
                """
            ]
        )
        async let first = bench.hooks.refusal(of: .orders)
        await bench.pass(.milliseconds(500))
        #expect(await first == nil)
        try bench.bench.folder.write("", to: "go")
        #expect(try await bench.becomes("ready", "slow"))
        #expect(await bench.hooks.refusal(of: .orders)?.reason == "in time")
        await bench.end()
    }

    @Test("a slow add-on with many late replies is not treated as flooding")
    func slowButHonest() async throws {
        let bench = try await AddonsBench.started(
            "slow: { exec: [/usr/bin/python3, slow.py], hooks: [network], timeout: 500ms }",
            [
                "slow": """
                ready('network')
                for cycle in range(5):
                    asked = [hear()['id'] for _ in range(60)]
                    while not os.path.exists(f'go{cycle}'): time.sleep(0.01)
                    for id in asked: say(type='answer', id=id)
                hear()
                """
            ]
        )
        for cycle in 0..<5 {
            await withTaskGroup(of: Void.self) { group in
                // Who waited for it to hang for good waits no longer, and is not taken for one of those who ask.
                #expect(await eventually { bench.clock.sleepers == 0 })
                for _ in 0..<60 { group.addTask { _ = await bench.hooks.refusal(of: .orders) } }
                _ = await eventually { bench.clock.sleepers >= 60 }
                bench.clock.pass(.milliseconds(500))
            }
            try bench.bench.folder.write("", to: "go\(cycle)")
            #expect(try await bench.becomes("ready", "slow"))
        }
        #expect(try await bench.addon("slow")["late"]?.integer == 300)
        #expect(try await bench.addon("slow")["restarts"]?.integer == 0)
        await bench.end()
    }

    @Test("up to 64 hook calls wait at once; further callers are not blocked", .timeLimit(.minutes(1)))
    func crowd() async throws {
        let bench = try await AddonsBench.started(
            "slow: { exec: [/usr/bin/python3, slow.py], hooks: [network], timeout: 500ms }",
            ["slow": "ready('network')\nwhile hear()['type'] == 'ask': pass\n"]
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { _ = await bench.hooks.refusal(of: .orders) } }
            #expect(await eventually { bench.clock.sleepers >= 64 })
            // The clock stands still, so whoever waited now would wait for ever.
            #expect(await bench.hooks.refusal(of: .orders) == nil)
            #expect(try await bench.addon("slow")["skipped"]?.integer == 1)
            bench.clock.pass(.milliseconds(500))
            try await group.waitForAll()
        }
        #expect(try await bench.addon("slow")["late"]?.integer == 64)
        await bench.end()
    }

    @Test("an add-on that dies during a hook decides nothing, at once, and is restarted")
    func dies() async throws {
        let bench = try await AddonsBench.started(
            "bad: { exec: [/usr/bin/python3, bad.py], hooks: [notifications] }",
            ["bad": "ready('notifications.received')\nif hear()['type'] == 'ask': os._exit(9)\n"]
        )
        // The clock stands still: no time limit can be what ends it.
        #expect(await bench.hooks.verdict(on: .titled("x")).verdict == AddonVerdict())
        #expect(try await bench.becomes("resting", "bad"))
        await bench.pass(.seconds(1))
        #expect(try await bench.becomes("ready", "bad"))
        #expect(try await bench.addon("bad")["restarts"]?.integer == 1)
        await bench.end()
    }

    @Test("an add-on that does not read blocks nothing: dropped events are counted, and reported to it")
    func readsNothing() async throws {
        let bench = try await AddonsBench.started(
            "bad: { exec: [/usr/bin/python3, bad.py], hooks: [network] }",
            [
                "bad": """
                ready()
                while not os.path.exists('go'): time.sleep(0.01)
                while True:
                    m = hear()
                    if m['type'] == 'missed':
                        with open('missed', 'a') as file: file.write(str(m['count']) + "\\n")
                    if m['type'] in ('stop', 'end'): break
                """
            ]
        )
        for _ in 0..<20_000 { bench.hooks.notify(.requestDidPerform, .requestDidPerform(.orders, Self.end)) }
        let dropped = try await bench.addon("bad")["dropped"]?.integer ?? 0
        let told = try await bench.addon("bad")["told"]?.integer ?? 0
        #expect(dropped > 0)
        #expect(told + dropped == 20_000)
        #expect(bench.bench.events(named: "addon.dropped").count == 1)
        try bench.bench.folder.write("", to: "go")
        let isTold = await eventually {
            bench.hooks.notify(.requestDidPerform, .requestDidPerform(.orders, Self.end))
            return bench.wrote("missed").contains("\n")
        }
        #expect(isTold)
        // It may have missed some more meanwhile, of which it is told as well.
        #expect(bench.wrote("missed").split(separator: "\n").first.flatMap { Int($0) } ?? 0 >= dropped)
        await bench.end()
    }

    @Test("invalid output is reported once, kept in its log, and is tolerated in small amounts")
    func nonsense() async throws {
        let bench = try await AddonsBench.started(
            "odd: { exec: [/usr/bin/python3, odd.py], hooks: [network] }",
            [
                "odd": """
                ready('network')
                for text in ['hi', '[]', '{', '{"type":"dance"}', '{"type":"answer","id":77}', '\\0\\x1b[2J']: print(text, flush=True)
                say(type='answer', id=hear()['id'], refuse='still here')
                hear()
                """
            ]
        )
        #expect(await bench.hooks.refusal(of: .orders)?.reason == "still here")
        let lines = try await bench.lines("odd")
        #expect(lines.contains("hi") && lines.contains(#"{"type":"dance"}"#))
        #expect(!lines.contains { $0.contains("\u{1b}") })
        #expect(bench.bench.events(named: "addon.nonsense").count == 1)
        await bench.end()
    }

    @Test("standard error is logged line by line with a rate limit, and dropped lines are counted")
    func errors() async throws {
        let bench = try await AddonsBench.started(
            "chatty: { exec: [/usr/bin/python3, chatty.py], hooks: [network] }",
            [
                "chatty": """
                import fcntl, struct, termios
                for i in range(5000): print('line', i, file=sys.stderr)
                # Ready only when all of it has been read.
                while struct.unpack('i', fcntl.ioctl(2, termios.FIONREAD, bytes(4)))[0]: time.sleep(0.001)
                ready()
                hear()
                # Longer than a line may be: what is kept of it is its beginning.
                print('one more', 'x' * 5_000, file=sys.stderr, flush=True)
                hear()
                """
            ]
        )
        #expect(bench.bench.told.log.count { $0.hasPrefix("line ") } == 100)
        bench.clock.pass(.seconds(1))
        #expect(await eventually { bench.hooks.isHeard(.requestDidPerform) })
        bench.hooks.notify(.requestDidPerform, .requestDidPerform(.orders, Self.end))
        #expect(await eventually { bench.bench.told.log.contains { $0.hasPrefix("one more") } })
        #expect(bench.bench.told.log.count { $0.hasPrefix("line ") } == 100)
        #expect(
            bench.bench.events(named: "addon.quiet").map { $0.data["reason"]?.string }
                == ["4900 lines of standard error were dropped because of their rate"]
        )
        await bench.end()
    }

    @Test("secrets of an add-on appear in no log, line, event or fault")
    func secrets() async throws {
        let bench = try await AddonsBench(
            "leak: { exec: [/usr/bin/python3, leak.py], secrets: { KEY: canary-of-the-add-on } }",
            [
                "leak": """
                key = os.environ['KEY']
                print('my key is', key, file=sys.stderr, flush=True)
                print('x' * 60 + key, flush=True)
                say(type='log', level='warning', message='the key: ' + key)
                say(type=key)
                sys.exit('bye ' + key)
                """
            ]
        )
        await #expect {
            try await bench.start()
        } throws: { error in
            let reason = (error as? Fault)?.reason ?? ""
            #expect(reason.contains("bye [redacted]"))
            return !reason.contains("canary")
        }
        let lines = try await bench.lines("leak")
        #expect(lines.contains("my key is [redacted]"))
        #expect(lines.contains("the key: [redacted]"))
        let all =
            lines + bench.bench.told.log + bench.bench.told.all
            + bench.bench.events(named: "addon").map { $0.data.text() }
        #expect(!all.contains { $0.contains("canary") || $0.contains("canar") }, "\(all)")
        await bench.end()
    }

    @Test("an add-on that ignores messages and signals is killed with its children")
    func ignoresStop() async throws {
        let bench = try await AddonsBench.started(
            "bad: { exec: [/usr/bin/python3, bad.py] }",
            [
                "bad": """
                import subprocess
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                child = subprocess.Popen(['sleep', '600'])
                with open('child', 'w') as file: file.write(str(child.pid))
                ready()
                while True: time.sleep(600)
                """
            ]
        )
        let process = pid_t(try await bench.addon("bad")["pid"]?.integer ?? 0)
        let child = try #require(pid_t(bench.wrote("child")))
        let end = Task { await bench.end() }
        await bench.pass(.seconds(2))
        // The clock stands still from here on: it is the end of the program that is waited for, and not a time.
        await end.value
        #expect(kill(process, 0) != 0)
        #expect(await eventually { kill(child, 0) != 0 || Self.isZombie(child) })
    }

    private static func isZombie(_ process: pid_t) -> Bool {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst(2).first == "Z"
    }

    @Test("a missing program is a fault at its line, and is not retried with 'restart: never'")
    func notThere() async throws {
        let bench = try await AddonsBench.started("gone: { exec: [./gone], required: false, restart: never }")
        #expect(try await bench.state("gone") == "ended")
        #expect(try await bench.addon("gone")["trouble"]?.string?.contains("program './gone' does not exist") == true)
        let words = "degraded: the add-on 'gone' is not running: "
        #expect(await eventually { bench.bench.told.all.last?.hasPrefix(words) ?? false })
        await bench.end()
    }
}
