import Support
import Synchronization
import Testing
import WireAddonContract
import WireAddons
import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WireService
import WireTelemetry
import Workbench

@Suite("In-process add-ons")
struct CodeAddonTests {
    @Test("all add-ons are set up before they start, and get lifecycle events in order")
    func order() async throws {
        let diary = Diary()
        let bench = try await AddonsBench.started("", codes: [Code("a", diary), Code("b", diary)])
        #expect(await eventually { diary.all.count == 6 })
        let lines = diary.all
        #expect(Set(lines.prefix(2)) == ["a setUp", "b setUp"])
        #expect(lines[2...3] == ["a startUp", "b startUp"])
        #expect(Set(lines.suffix(2)) == ["a starting", "b starting"])
        await bench.end()
    }

    @Test("a required add-on that fails to set up fails the start; an optional one does not")
    func failing() async throws {
        let bad = try await AddonsBench("", codes: [Code("a", Diary(), fails: true)])
        await #expect(throws: Fault.self) { try await bad.start() }
        await bad.end()
        let diary = Diary()
        let bench = try await AddonsBench.started(
            "",
            codes: [Code("a", Diary(), fails: true, isRequired: false), Code("b", diary)]
        )
        #expect(try await bench.state("a") == "ended")
        #expect(try await bench.state("b") == "ready")
        #expect(bench.bench.told.all.last == "degraded: the add-on 'a' is not running: out of luck")
        await bench.end()
    }

    @Test("a hanging hook blocks for at most its timeout, and the add-on is called again when it recovers")
    func hangs() async throws {
        let gate = OneShot()
        let code = Code("a", Diary(), gate: gate)
        let bench = try await AddonsBench.started("", codes: [code])
        async let first = bench.hooks.refusal(of: .orders)
        async let second = bench.hooks.refusal(of: .orders)
        async let third = bench.hooks.refusal(of: .orders)
        #expect(await eventually { bench.clock.sleepers == 3 })
        bench.clock.pass(.milliseconds(999))
        #expect(bench.clock.sleepers == 3)
        bench.clock.pass(.milliseconds(1))
        #expect(await first == nil)
        #expect(await second == nil)
        #expect(await third == nil)
        #expect(try await bench.state("a") == "hanging")
        // Told once, however many questions were late.
        #expect(
            bench.bench.events(named: "addon.late").map { $0.data["reason"]?.string }
                == ["no answer to 'network.willPerform' within 1s; no further questions until it answers"]
        )
        #expect(await bench.hooks.refusal(of: .orders) == nil)
        gate.fire()
        #expect(try await bench.becomes("ready", "a"))
        #expect(await bench.hooks.refusal(of: .orders)?.reason == "no")
        await bench.end()
    }

    @Test("a slow add-on loses events beyond its queue, and blocks no caller")
    func slow() async throws {
        let gate = OneShot()
        let diary = Diary()
        let bench = try await AddonsBench.started("", codes: [Code("a", diary, gate: gate)])
        #expect(await eventually { diary.all.contains("a starting") })
        async let first = bench.hooks.refusal(of: .orders)
        #expect(await eventually { diary.all.contains("a is asked") })
        for _ in 0..<2_000 { bench.hooks.notify(.draining, .draining) }
        #expect(try await bench.addon("a")["dropped"]?.integer == 2_000 - 1_024)
        gate.fire()
        _ = await first
        await bench.end()
    }

    @Test("an in-process add-on lives as long as its program, and is not restarted")
    func restart() async throws {
        let diary = Diary()
        let bench = try await AddonsBench.started("", codes: [Code("a", diary)])
        let refused = try await bench.service.routes.answer(.post, "/v1/addons/a/restart")
        #expect(refused.status == 409)
        #expect(refused.json["detail"]?.string == "'a' is part of the embedding program and cannot be restarted")
        #expect(try await bench.state("a") == "ready")
        #expect(diary.all.count { $0 == "a setUp" } == 1)
        await bench.end()
    }

    @Test("an add-on without device hooks gets no device events")
    func device() async throws {
        let bench = try await AddonsBench.started("", codes: [Code("a", Diary())])
        let told = try await bench.addon("a")["told"]?.integer
        #expect(told != nil)
        #expect(try await bench.devices.all[0].hook.willSetUp(.cart) == .cart)
        #expect(try await bench.devices.all[0].hook.willRegister(.cart) == .cart)
        await bench.devices.all[0].hook.didRegister(.cart)
        #expect(try await bench.addon("a")["told"]?.integer == told)
        await bench.end()
    }

    @Test("two add-ons with one name are a fault at the line of the file")
    func sameName() async throws {
        await #expect {
            _ = try await AddonsBench("a: { exec: [true] }", codes: [Code("a", Diary())])
        } throws: {
            ($0 as? Fault)?.origin?.place == "file.yaml:4:3"
        }
    }
}

private final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

private struct Code: AddonCode {
    let name: String
    let diary: Diary
    let fails: Bool
    let isRequired: Bool
    let gate: OneShot?
    let timeout = Duration.seconds(1)
    let listens = AddonPoints([.starting, .draining, .requestWillPerform])
    let answers = AddonPoints([.requestWillPerform])

    init(_ name: String, _ diary: Diary, fails: Bool = false, isRequired: Bool = true, gate: OneShot? = nil) {
        (self.name, self.diary, self.fails, self.isRequired, self.gate) = (name, diary, fails, isRequired, gate)
    }

    func setUp() async throws {
        diary.add("\(name) setUp")
        if fails { throw Fault("out of luck") }
    }

    func startUp() async throws { diary.add("\(name) startUp") }

    func handle(_ moment: AddonMoment) async {
        if case .starting = moment { diary.add("\(name) starting") }
    }

    func reply(to question: AddonQuestion) async throws -> AddonReply? {
        diary.add("\(name) is asked")
        if let gate { await gate.wait() }
        return .request(refusal: "no")
    }
}
