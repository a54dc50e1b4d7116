import Support
import Synchronization
import Testing
import WireAddonContract
import WireAddons
import WireBase
import WireConfig
import WireHTTP
import Workbench

@Suite("Sign-in by add-ons", .timeLimit(.minutes(3)))
struct SignInTests {
    private static let browser = AddonSignIn(
        .open(url: "https://sso.example.com/auth?state=s", redirectURI: "http://127.0.0.1:9/callback"),
        patience: .seconds(600)
    )

    /// Writes down what it is asked, and says something to it.
    private static func script(_ answer: String, after file: String? = nil) -> String {
        """
        ready("auth")
        while True:
            m = hear()
            with open(os.environ["COREWIRE_ADDON"] + ".heard", "a") as file: file.write(json.dumps(m) + "\\n")
            if m["type"] in ("end", "stop"): break
            if m["type"] != "ask": continue
            \(file.map { "while not os.path.exists(\"\($0)\"): time.sleep(0.01)" } ?? "pass")
            say(type="answer", id=m["id"], **(\(answer)))
        """
    }

    private static func section(_ names: String...) -> String {
        names.map { "\($0): { exec: [/usr/bin/python3, \($0).py], hooks: [auth] }" }.joined(separator: "\n")
    }

    @Test("an add-on gets the sign-in request, and its reply has the form of the flow")
    func ways() async throws {
        let bench = try await AddonsBench.started(
            Self.section("mine"),
            [
                "mine": Self.script(
                    """
                    {"callback": m["redirectUri"] + "?state=s&code=c"} if m["flow"] == "browser"
                        else {"username": "ada", "password": "wonder"} if m["flow"] == "addon" and m["unattended"]
                        else {"network": "google", "token": "t1"} if m["flow"] == "addon"
                        else {"refuse": "no " + m["userCode"]}
                    """
                )
            ]
        )
        guard case .answered(.callback(let url), let name, let origin) = await bench.hooks.signIn(Self.browser) else {
            throw Strange()
        }
        #expect(url == "http://127.0.0.1:9/callback?state=s&code=c")
        #expect(name == "mine")
        #expect(origin?.place == "file.yaml:4:18")
        let byItself = await bench.hooks.signIn(AddonSignIn(.credentials, patience: nil))
        guard case .answered(.credentials(.password("ada", let password)), _, _) = byItself else { throw Strange() }
        #expect(password.reveal() == "wonder")
        let asked = await bench.hooks.signIn(AddonSignIn(.credentials, patience: .seconds(9)))
        guard case .answered(.credentials(.network("google", let token)), _, _) = asked else { throw Strange() }
        #expect(token.reveal() == "t1")
        let code = AddonSignIn.Way.enter(code: "ABCD", at: "https://sso.example.com/device", complete: nil)
        let refused = await bench.hooks.signIn(AddonSignIn(code, patience: .seconds(60)))
        guard case .answered(.refusal("no ABCD"), _, _) = refused else { throw Strange() }
        let heard = bench.wrote("mine.heard").split(separator: "\n")
        #expect(heard.count == 4)
        #expect(heard[0].contains(#""unattended": false"#) && heard[0].contains(#""expiresIn": 600"#))
        #expect(!heard[1].contains("expiresIn"))
        await bench.end()
    }

    @Test(
        "the first reply signs in, the others are cancelled; observers see no URL"
    )
    func first() async throws {
        let bench = try await AddonsBench.started(
            Self.section("nothing", "slow", "quick", "watcher"),
            [
                "nothing": Self.script("{}"),
                "slow": "ready('auth')\nhear()\nm = hear()\n"
                    + "with open('slow.heard', 'w') as file: file.write(json.dumps(m))\nhear()\n",
                "quick": Self.script(#"{"callback": "http://127.0.0.1:9/callback?state=s"}"#, after: "go"),
                "watcher": """
                ready()
                m = hear()
                with open("watcher.heard", "w") as file: file.write(json.dumps(m))
                hear()
                """,
            ]
        )
        async let end = bench.hooks.signIn(Self.browser)
        #expect(await eventually { bench.wrote("watcher.heard").hasSuffix("}") })
        try bench.bench.folder.write("", to: "go")
        guard case .answered(_, by: "quick", _) = await end else { throw Strange() }
        #expect(await eventually { bench.wrote("slow.heard").contains("withdraw") })
        #expect(bench.wrote("watcher.heard") == #"{"type": "tell", "hook": "auth.signIn", "flow": "browser"}"#)
        // Whoever was slow was not late: nobody waited for it in vain.
        #expect(try await bench.state("slow") == "ready")
        await bench.end()
    }

    @Test("an add-on that waits for a person is not late, and learns about a cancellation")
    func patient() async throws {
        let bench = try await AddonsBench.started(
            "mine: { exec: [/usr/bin/python3, mine.py], hooks: [auth], timeout: 1s }",
            ["mine": Self.script("{}", after: "never")]
        )
        let isOver = Mutex(false)
        let asking = Task {
            let end = await bench.hooks.signIn(Self.browser)
            isOver.withLock { $0 = true }
            return end
        }
        #expect(await eventually { bench.wrote("mine.heard").contains("ask") })
        #expect(await eventually { bench.clock.sleepers > 0 })
        bench.clock.pass(.seconds(590))
        #expect(!isOver.withLock { $0 })
        let hasPassed = await eventually {
            bench.clock.pass(.seconds(10))
            return isOver.withLock { $0 }
        }
        #expect(hasPassed)
        guard case .nothing = await asking.value else { throw Strange() }
        let addon = try await bench.addon("mine")
        #expect(addon["state"]?.string == "ready")
        #expect(addon["late"]?.integer == 0)
        try bench.bench.folder.write("", to: "never")
        #expect(await eventually { bench.wrote("mine.heard").contains(#"{"type": "withdraw", "id": 1}"#) })
        await bench.end()
    }

    @Test(
        "an invalid reply is rejected, and appears in no log",
        arguments: [
            (#"{"username": "canary-name"}"#, "the answer has 'username', expected 'username' and 'password'"),
            (#"{"username": "canary-name", "password": 7}"#, "'password' is not text of 1 to 16384 bytes"),
            (#"{"callback": "canary:x"}"#, "the answer has 'callback', expected"),
            (#"{"network": "n", "token": "canary", "password": "canary"}"#, "expected 'username' and 'password'"),
        ]
    )
    func nonsense(answer: String, reason: String) async throws {
        let bench = try await AddonsBench.started(Self.section("mine"), ["mine": Self.script(answer)])
        guard case .nothing = await bench.hooks.signIn(AddonSignIn(.credentials, patience: nil)) else {
            throw Strange()
        }
        let lines = try await bench.lines("mine")
        #expect(lines.contains { $0.contains(reason) }, "\(lines)")
        #expect(!lines.contains { $0.contains("canary") })
        await bench.end()
    }

    @Test("replies of a sign-in add-on are never shown, even after cancellation")
    func silent() async throws {
        let bench = try await AddonsBench.started(
            Self.section("mine"),
            [
                "mine": """
                ready("auth.signIn")
                print('{"type": "answer", "id": 1, "password": "canary', flush=True)
                say(type="answer", id=77, username="ada", password="canary")
                hear()
                """
            ]
        )
        try await expectHidden(2, bench)
    }

    /// So many lines of the add-on are not shown, and nothing of them is.
    private func expectHidden(_ count: Int, _ bench: AddonsBench) async throws {
        #expect(try await eventually { try await bench.lines("mine").count { $0 == "[redacted]" } == count })
        #expect(try await !bench.lines("mine").contains { $0.contains("canary") })
        await bench.end()
    }

    @Test("output of a restarted sign-in add-on is not shown before it is ready")
    func silentAnew() async throws {
        let bench = try await AddonsBench.started(
            Self.section("mine"),
            [
                "mine": """
                if os.path.exists("mine.before"): print("canary", flush=True)
                open("mine.before", "w").close()
                ready("auth.signIn")
                hear()
                """
            ]
        )
        #expect(try await bench.service.routes.answer(.post, "/v1/addons/mine/restart").status == 202)
        try await expectHidden(1, bench)
    }

    @Test("without a sign-in add-on no user is available; an add-on that declines is silent")
    func nobody() async throws {
        let bench = try await AddonsBench.started(Self.section("watcher"), ["watcher": "ready()\nhear()\nhear()\n"])
        let signInRequest = AddonSignIn(.credentials, patience: .seconds(600))
        guard case .nobody = await bench.hooks.signIn(signInRequest) else { throw Strange() }
        await bench.end()
    }

    @Test("a pending browser sign-in is announced once to add-ons that start meanwhile")
    func newcomers() async throws {
        let answer = #"{"callback": "http://127.0.0.1:9/callback?state=s"}"#
        let slow = Self.script("{}", after: "never")
        let bench = try await AddonsBench.started(Self.section("slow"), ["slow": slow, "new": Self.script(answer)])
        async let end = bench.hooks.signIn(Self.browser)
        #expect(await eventually { bench.wrote("slow.heard").contains("ask") })
        try await bench.rebind(Self.section("slow", "new"))
        guard case .answered(_, by: "new", _) = await end else { throw Strange() }
        try bench.bench.folder.write("", to: "never")
        #expect(await eventually { bench.wrote("slow.heard").contains("withdraw") })
        #expect(bench.wrote("slow.heard").split(separator: "\n").count { $0.contains(#""ask""#) } == 1)
        await bench.end()
    }

    @Test("a pending sign-in is announced to a restarted add-on, and to its replacement")
    func anew() async throws {
        let bench = try await AddonsBench.started(
            Self.section("mine"),
            [
                "mine": """
                ready("auth")
                while True:
                    m = hear()
                    with open("mine.heard", "a") as file: file.write(json.dumps(m) + "\\n")
                    if m["type"] == "ask": os._exit(1)
                    if m["type"] == "end": break
                """,
                "other": Self.script(#"{"callback": "http://127.0.0.1:9/callback?state=s"}"#),
            ]
        )
        async let end = bench.hooks.signIn(Self.browser)
        #expect(await eventually { bench.wrote("mine.heard").split(separator: "\n").count == 1 })
        #expect(try await bench.service.routes.answer(.post, "/v1/addons/mine/restart").status == 202)
        #expect(await eventually { bench.wrote("mine.heard").split(separator: "\n").count == 2 })
        try await bench.rebind("mine: { exec: [/usr/bin/python3, other.py], hooks: [auth] }")
        guard case .answered(_, by: "mine", _) = await end else { throw Strange() }
        await bench.end()
    }

    @Test("a pending sign-in is announced to add-ons of a new generation")
    func afterwards() async throws {
        let hooks = AddonHooks()
        let end = Task { await hooks.signIn(Self.browser) }
        let code = SignInCode()
        let bench = try await AddonsBench.started("", codes: [code], hooks: hooks)
        await code.isAsked.wait()
        await bench.end()
        let answer = #"{"callback": "http://127.0.0.1:9/callback?state=s"}"#
        let next = try await AddonsBench.started(Self.section("next"), ["next": Self.script(answer)], hooks: hooks)
        guard case .answered(_, by: "next", _) = await end.value else { throw Strange() }
        await next.end()
    }

    @Test("code that waits for a person blocks nothing else, and is cancelled with the sign-in")
    func code() async throws {
        let code = SignInCode()
        let bench = try await AddonsBench.started("", codes: [code])
        let asking = Task { await bench.hooks.signIn(Self.browser) }
        await code.isAsked.wait()
        bench.hooks.notify(.signedOut, .signedOut(mode: "user", reason: "user"))
        #expect(await eventually { code.heard.withLock { $0 } == 1 })
        asking.cancel()
        await code.isCancelled.wait()
        guard case .nothing = await asking.value else { throw Strange() }
        await bench.end()
    }
}

private struct Strange: Error {}

private final class SignInCode: AddonCode {
    let name = "code"
    let isRequired = true
    let timeout = Duration.seconds(1)
    let listens = AddonPoints([.signIn, .signedOut])
    let answers = AddonPoints([.signIn])
    let isAsked = OneShot()
    let isCancelled = OneShot()
    let heard = Mutex(0)
    func setUp() async throws {}
    func startUp() async throws {}
    func handle(_ moment: AddonMoment) async { heard.withLock { $0 += 1 } }
    func reply(to question: AddonQuestion) async throws -> AddonReply? {
        isAsked.fire()
        let forever = OneShot()
        await withTaskCancellationHandler {
            await forever.wait()
        } onCancel: {
            forever.fire()
        }
        isCancelled.fire()
        return nil
    }
}
