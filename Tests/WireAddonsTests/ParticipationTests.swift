import Foundation
import Support
import Testing
import WireAddonContract
import WireAddons
import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import Workbench

@Suite("Hooks of add-ons")
struct ParticipationTests {
    @Test("an add-on learns its identity, and gets only the declared environment")
    func hello() async throws {
        let bench = try await AddonsBench.started(
            """
            who:
              exec: [/usr/bin/python3, who.py, an argument]
              hooks: [device, network]
              env: { LEVEL: full }
              secrets: { KEY: canary-of-the-add-on }
            """,
            [
                "who": """
                hello = hear()
                with open("hello.json", "w") as file: json.dump([hello, sys.argv[1:]], file)
                with open("/proc/self/environ") as file: text = file.read()
                with open("environment", "w") as file: file.write(text)
                say(type="ready", protocol=1, version="2.1")
                hear()
                """
            ]
        )
        let told = try JSONValue(parsing: Array(bench.wrote("hello.json").utf8), named: "hello")
        let hello = try #require(told.array?.first)
        #expect(hello["corewire"]?.integer == 1)
        #expect(hello["name"]?.string == "who")
        #expect(hello["app"]?["id"]?.string == "com.example.tasks")
        #expect(
            hello["hooks"]?.array?.compactMap(\.string) == [
                "device.willSetUp", "device.willRegister", "device.didRegister", "network.willPerform",
                "network.didPerform",
            ]
        )
        #expect(told.array?.last?.array?.first?.string == "an argument")
        let names = bench.wrote("environment").split(separator: "\0").map { $0.prefix { $0 != "=" } }
        #expect(Set(names) == ["PATH", "HOME", "LEVEL", "KEY", "COREWIRE_ADDON", "COREWIRE_PROTOCOL"])
        let addon = try await bench.addon("who")
        #expect(addon["version"]?.string == "2.1")
        #expect(addon["pid"]?.integer ?? 0 > 0)
        #expect(addon["config"]?["place"]?.string == "file.yaml:5:12")
        await bench.end()
    }

    @Test("an add-on changes the device: null removes a member, omitted members stay")
    func device() async throws {
        let bench = try await AddonsBench.started(
            "tag: { exec: [/usr/bin/python3, tag.py], hooks: [device] }",
            [
                "tag": """
                ready("device")
                asked = hear()
                say(type="answer", id=asked["id"], device={"alias": "x", "tags": {"ward": "3B", "old": None}})
                registered = hear()
                with open("registered", "w") as file: file.write(registered["hook"])
                hear()
                """
            ]
        )
        let hook = try #require(bench.devices.all.first)
        #expect(hook.name == "add-on tag")
        let changed = try await hook.hook.willRegister(.cart)
        #expect(changed.alias == "x")
        #expect(changed.id == "d1")
        #expect(changed.tags.map(\.name) == ["os", "ward"])
        await hook.hook.didRegister(changed)
        #expect(await eventually { bench.wrote("registered") == "device.didRegister" })
        await bench.end()
        #expect(bench.devices.all.isEmpty)
    }

    @Test("an add-on cannot change system facts of the device; such a reply is invalid")
    func systemTag() async throws {
        let bench = try await AddonsBench.started(
            "tag: { exec: [/usr/bin/python3, tag.py], hooks: [device] }",
            [
                "tag": """
                ready("device")
                say(type="answer", id=hear()["id"], device={"tags": {"os": "mine"}})
                hear()
                """
            ]
        )
        #expect(try await bench.devices.all[0].hook.willRegister(.cart) == .cart)
        #expect(try await bench.lines("tag").contains { $0.contains("the tag 'os' is a system tag, set by corewire") })
        await bench.end()
    }

    @Test("any add-on can veto a notification; the first in the file decides its presentation")
    func verdict() async throws {
        func script(_ answer: String) -> String {
            """
            ready("notifications.received")
            while True:
                m = hear()
                if m["type"] != "ask": break
                say(type="answer", id=m["id"], \(answer))
            """
        }
        let bench = try await AddonsBench.started(
            """
            late: { exec: [/usr/bin/python3, late.py], hooks: [notifications] }
            loud: { exec: [/usr/bin/python3, loud.py], hooks: [notifications] }
            calm: { exec: [/usr/bin/python3, calm.py], hooks: [notifications] }
            """,
            [
                "late": script("**({'veto': 'no'} if m['notification']['title'] == 'bad' else {})"),
                "loud": script("present=['sound']"), "calm": script("present=['list']"),
            ]
        )
        #expect(await bench.hooks.verdict(on: .titled("good")).verdict == AddonVerdict(present: ["sound"]))
        let bad = await bench.hooks.verdict(on: .titled("bad"))
        #expect(bad.verdict.veto == "no")
        #expect(bad.by == "late")
        await bench.end()
    }

    @Test("with 'onSilence: refuse', decisions are negative while the add-on hangs, is gone or was never ready")
    func closed() async throws {
        let bench = try await AddonsBench.started(
            """
            guard:
              exec: [/usr/bin/python3, guard.py]
              hooks: [network, notifications]
              onSilence: refuse
              timeout: 500ms
              restart: always
            watch: { exec: [/usr/bin/python3, watch.py], hooks: [network], onSilence: refuse }
            """,
            [
                // It hangs over its second question, and is not ready anew before the test says so.
                "guard": """
                if os.path.exists("began"):
                    while not os.path.exists("go"): time.sleep(0.01)
                open("began", "w").close()
                ready("network.willPerform")
                say(type="answer", id=hear()["id"])
                hear()
                open("asked", "w").close()
                hear()
                """,
                "watch": "ready()\nwhile hear()['type'] != 'end': pass\n",
            ]
        )
        #expect(await bench.hooks.refusal(of: .orders) == nil)
        async let hung = bench.hooks.refusal(of: .orders)
        // The timeout of the first question is over by then, and only that of the second one counts.
        #expect(await eventually { FileManager.default.fileExists(atPath: bench.bench.folder.url.path + "/asked") })
        await bench.pass(.milliseconds(500))
        #expect(try await bench.becomes("hanging", "guard"))
        let silence = "the add-on does not respond, and its 'onSilence' is 'refuse'"
        #expect(await hung?.reason == silence)
        // It has said that it decides no notifications.
        #expect(await bench.hooks.verdict(on: .titled("news")).verdict.veto == nil)
        let refusal = try #require(await bench.hooks.refusal(of: .orders))
        #expect(
            refusal.reason == silence && refusal.addon == "guard"
                && refusal.origin?.place.hasPrefix("file.yaml:5:") == true
        )
        await bench.pass(.milliseconds(500))
        #expect(try await bench.becomes("resting", "guard"))
        #expect(await bench.hooks.refusal(of: .orders)?.reason == silence)
        await bench.pass(.seconds(1))
        #expect(try await bench.becomes("starting", "guard"))
        #expect(await bench.hooks.refusal(of: .orders)?.reason == silence)
        try bench.bench.folder.write("", to: "go")
        #expect(try await bench.becomes("ready", "guard"))
        #expect(await bench.hooks.refusal(of: .orders) == nil)
        await bench.end()
    }

    @Test("with 'onSilence: refuse', an add-on that was never ready still decides for all of its hooks")
    func neverReady() async throws {
        let bench = try await AddonsBench.started(
            "guard: { exec: [/usr/bin/python3, guard.py], hooks: [network, notifications], onSilence: refuse, required: false }",
            ["guard": "hear()\n"]
        )
        #expect(await bench.hooks.refusal(of: .orders)?.addon == "guard")
        let (verdict, name) = await bench.hooks.verdict(on: .titled("news"))
        #expect(verdict.veto == "the add-on does not respond, and its 'onSilence' is 'refuse'" && name == "guard")
        await bench.end()
        #expect(await bench.hooks.refusal(of: .orders) == nil)
    }

    @Test("a request that an add-on rejects reports its reason, and points at the file")
    func refusal() async throws {
        let bench = try await AddonsBench.started(
            "gate: { exec: [/usr/bin/python3, gate.py], hooks: [network] }",
            [
                "gate": """
                ready("network.willPerform")
                m = hear()
                say(type="answer", id=m["id"], refuse="not " + m["request"]["url"])
                hear()
                """
            ]
        )
        #expect(bench.hooks.isHeard(.requestWillPerform))
        let refusal = try #require(await bench.hooks.refusal(of: .orders))
        #expect(refusal.reason == "not https://api.example.com/orders")
        #expect(refusal.origin?.place == "file.yaml:4:18")
        await bench.end()
    }

    @Test("a link is opened by any of the add-ons, and the API names it")
    func links() async throws {
        let script = """
            ready("deepLinks.open")
            while True:
                m = hear()
                if m["type"] != "ask": break
                say(type="answer", id=m["id"], opened=m["url"].startswith(os.environ["SCHEME"]))
            """
        let bench = try await AddonsBench.started(
            """
            one: { exec: [/usr/bin/python3, a.py], hooks: [deepLinks], env: { SCHEME: "one:" } }
            two: { exec: [/usr/bin/python3, b.py], hooks: [deepLinks], env: { SCHEME: "two:" } }
            """,
            ["a": script, "b": script]
        )
        let opened = try await bench.service.routes.answer(.post, "/v1/links", #"{"url":"two:x"}"#).json
        #expect(opened.text() == #"{"opened":true,"by":["two"]}"#)
        let left = try await bench.service.routes.answer(.post, "/v1/links", #"{"url":"three:x"}"#).json
        #expect(left.text() == #"{"opened":false,"by":[]}"#)
        await bench.end()
    }

    @Test("events arrive in order at subscribed add-ons only")
    func watching() async throws {
        let bench = try await AddonsBench.started(
            "watch: { exec: [/usr/bin/python3, watch.py], hooks: [network, lifecycle, auth] }",
            [
                "watch": """
                ready(hooks=["network", "lifecycle.draining"])
                while True:
                    m = hear()
                    with open("heard", "a") as file: file.write(m.get("hook", m["type"]) + "\\n")
                    if m["type"] in ("stop", "end"): break
                """
            ]
        )
        #expect(!bench.hooks.isHeard(.signedIn))
        #expect(!bench.hooks.isHeard(.ready))
        bench.hooks.notify(.signedOut, .signedOut(mode: "user", reason: "asked"))
        #expect(await bench.hooks.refusal(of: .orders) == nil)
        let end = AddonRequest.End(status: 200, outcome: nil, reason: nil, attempts: 1, duration: .milliseconds(3))
        bench.hooks.notify(.requestDidPerform, .requestDidPerform(.orders, end))
        bench.hooks.notify(.draining, .draining)
        await bench.end()
        #expect(bench.wrote("heard") == "network.willPerform\nnetwork.didPerform\nlifecycle.draining\nstop\n")
        #expect(!bench.hooks.isHeard(.requestDidPerform))
    }

    @Test("without add-ons no events are sent, and every hook has its default result")
    func nobody() async throws {
        let bench = try await AddonsBench.started("")
        for point in AddonPoint.allCases { #expect(!bench.hooks.isHeard(point)) }
        #expect(await bench.hooks.refusal(of: .orders) == nil)
        #expect(await bench.hooks.verdict(on: .titled("x")).verdict == AddonVerdict())
        await bench.end()
    }

    @Test("a reload keeps unchanged add-ons, and restarts changed ones")
    func rebind() async throws {
        let script = "ready()\nhear()\nhear()\n"
        func file(_ level: Int) -> String {
            """
            same: { exec: [/usr/bin/python3, same.py] }
            other: { exec: [/usr/bin/python3, other.py], env: { LEVEL: "\(level)" } }
            """
        }
        let bench = try await AddonsBench.started(file(1), ["same": script, "other": script, "third": script])
        let (same, other) = (try await bench.addon("same"), try await bench.addon("other"))
        try await bench.rebind(file(2) + "\nthird: { exec: [/usr/bin/python3, third.py] }")
        #expect(try await bench.addon("same")["pid"]?.integer == same["pid"]?.integer)
        let now = try await bench.addon("other")
        #expect(now["pid"]?.integer != other["pid"]?.integer)
        #expect(now["state"]?.string == "ready")
        try await bench.rebind("third: { exec: [/usr/bin/python3, third.py] }")
        let list = try await bench.service.routes.answer(.get, "/v1/addons").json
        #expect(list["addons"]?.array?.compactMap { $0["name"]?.string } == ["third"])
        #expect(kill(pid_t(same["pid"]?.integer ?? 0), 0) != 0)
        await bench.end()
    }

    @Test("add-ons run on until a reload succeeds; a failed reload leaves no new add-on")
    func candidate() async throws {
        func file(_ level: Int) -> String {
            "one: { exec: [/usr/bin/python3, one.py], env: { LEVEL: \"\(level)\" } }"
        }
        let script = "import os\nopen('pids', 'a').write(f'{os.getpid()}\\n')\nready()\nhear()\nhear()\n"
        let bench = try await AddonsBench.started(file(1), ["one": script])
        let present = try #require(try await bench.addon("one")["pid"]?.integer)
        for returns in [true, true, false] {
            try await bench.rebind(file(2), settles: false)
            #expect(try await bench.addon("one")["pid"]?.integer == present)
            #expect(kill(pid_t(present), 0) == 0)
            if returns { try await bench.rebind(file(1)) } else { await bench.service.didActivate() }
        }
        let pids = try bench.bench.folder.text(of: "pids").split(separator: "\n").compactMap { Int($0) }
        #expect(pids.count == 4 && pids[0] == present)
        #expect(pids.map { kill(pid_t($0), 0) == 0 } == [false, false, false, true])
        #expect(try await bench.addon("one")["pid"]?.integer == pids[3])
        await bench.end()
    }

    @Test("an add-on restarts on request, and an unknown one gets a suggestion")
    func restart() async throws {
        let bench = try await AddonsBench.started(
            "one: { exec: [/usr/bin/python3, one.py], restart: never }",
            ["one": "ready()\nhear()\nhear()\n"]
        )
        let former = try await bench.addon("one")["pid"]?.integer
        #expect(try await bench.service.routes.answer(.post, "/v1/addons/one/restart").status == 202)
        let isNew = try await eventually {
            let addon = try await bench.addon("one")
            return addon["state"]?.string == "ready" && addon["pid"]?.integer != former
        }
        #expect(isNew)
        #expect(try await bench.addon("one")["restarts"]?.integer == 1)
        let unknown = try await bench.service.routes.answer(.post, "/v1/addons/on/restart")
        #expect(unknown.status == 404)
        #expect(unknown.json["detail"]?.string == "unknown add-on 'on', did you mean 'one'?")
        await bench.end()
    }
}
