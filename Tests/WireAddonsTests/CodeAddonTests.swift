import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireService
import Workbench

@Suite("Add-ons that are code of the program")
struct CodeAddonTests {
    @Test("all are set up before any starts up, and then they are told that the runner starts, in their order")
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

    @Test("one that is required and fails to be set up fails the start; one that is not leaves the others alone")
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
        #expect(bench.bench.told.all.last == "degraded: the add-on 'a' does not run: out of luck")
        await bench.end()
    }

    @Test("one that hangs in a question holds nobody up for longer than its time, and is asked again when it goes on")
    func hangs() async throws {
        let gate = OneShot()
        let code = Code("a", Diary(), gate: gate)
        let bench = try await AddonsBench.started("", codes: [code])
        async let first = bench.hooks.refusal(of: .orders)
        await bench.pass(.seconds(1))
        #expect(await first == nil)
        #expect(try await bench.state("a") == "hanging")
        #expect(await bench.hooks.refusal(of: .orders) == nil)
        gate.fire()
        #expect(try await bench.becomes("ready", "a"))
        #expect(await bench.hooks.refusal(of: .orders)?.reason == "no")
        await bench.end()
    }

    @Test("one that is slow misses what it has no room for, and nobody waits")
    func slow() async throws {
        let gate = OneShot()
        let bench = try await AddonsBench.started("", codes: [Code("a", Diary(), gate: gate)])
        async let first = bench.hooks.refusal(of: .orders)
        _ = await eventually { bench.clock.sleepers > 0 }
        for _ in 0..<10_000 { bench.hooks.tell(.draining, .draining) }
        #expect(try await bench.addon("a")["dropped"]?.integer ?? 0 > 8_000)
        gate.fire()
        _ = await first
        await bench.end()
    }

    @Test("two of one name are a fault at the line of the file that has the other")
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

    func hear(_ moment: AddonMoment) async {
        if case .starting = moment { diary.add("\(name) starting") }
    }

    func reply(to question: AddonQuestion) async throws -> AddonReply? {
        if let gate { await gate.wait() }
        return .request(refusal: "no")
    }
}
