import Foundation
import Support
import Testing

@Suite("corewire events")
struct EventsTests {
    @Test("events prints the stored events and ends")
    func kept() throws {
        let runner = try Services.running()
        let run = try runner.corewire("events")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("  service.ready  generation 1  name=api"), "\(run.output)")
        #expect(run.output.contains("  generation.applied  generation 1"))
        let lines = try runner.corewire("events", "--format", "json", "--name", "generation").jsonLines()
        #expect(lines.count == 1)
        #expect(lines.first?["event"] as? String == "generation.applied")
        let id = try #require(lines.first?["id"] as? Int)
        #expect(try runner.corewire("events", "--after", "\(id)").output.isEmpty)
        #expect(try runner.corewire("events", "--name", "nothing of & that = name").output.isEmpty)
    }

    @Test("events prints only the latest, or those since a time")
    func latest() throws {
        let runner = try Services.running()
        let all = try runner.corewire("events", "--format", "json").jsonLines()
        let last = try runner.corewire("events", "--format", "json", "--last", "2").jsonLines()
        #expect(last.compactMap { $0["id"] as? Int } == all.suffix(2).compactMap { $0["id"] as? Int })
        let times = all.compactMap { $0["time"] as? String }
        for time in [times[2], String(times[2].prefix(16)) + "Z", String(times[2].prefix(10))] {
            let begin = time.hasSuffix("Z") && time.count < 20 ? String(time.dropLast()) : time
            let found = try runner.corewire("events", "--format", "json", "--since", time).jsonLines()
            #expect(found.compactMap { $0["time"] as? String } == times.filter { $0 >= begin }, "since \(time)")
        }
        #expect(try runner.corewire("events", "--since", "1h", "--last", "1000").output.contains("generation.applied"))
        #expect(try runner.corewire("events", "--since", "9999-01-01").output.isEmpty)
        for wrong in [
            ["--since", "yesterday"], ["--since", "2026-11-26 10:00"], ["--since", "2026-13-45T99:99"],
            ["--since", "٢٠٢٦-١١-٢٦"], ["--last", "0"], ["--last", "some"], ["--last", "+3"],
        ] {
            let run = try runner.corewire("events", wrong[0], wrong[1])
            #expect(run.status == 64 && run.errors.contains("\(wrong[0]) takes"), "\(run.errors)")
        }
    }

    @Test("events reports missing earlier events")
    func gap() throws {
        let runner = try Services.running()
        #expect(try runner.corewire("events", "--after", "1").output.hasPrefix("… events are missing here"))
        let first = try runner.corewire("events", "--after", "1", "--format", "json").jsonLines().first
        #expect(first?["event"] as? String == "gap")
    }

    @Test("events --watch continues across a crash and restart of the runner, and loses no event")
    func follows() throws {
        let home = try RunnerHome()
        try home.write(Services.file())
        let first = try FoundRunner(in: home)
        let watcher = try LiveCommand(["events", "--watch", "--name", "generation"], in: home)
        #expect(watcher.line()?.contains("generation.applied  generation 1") == true)
        first.kill()
        #expect(watcher.line(holding: "connection lost") != nil)
        let second = try FoundRunner(in: home)
        #expect(watcher.line(holding: "events are missing here") != nil)
        #expect(watcher.line()?.contains("generation.applied  generation 2") == true)
        try home.write(Services.file(retries: 3))
        #expect(try second.corewire("reload").status == 0)
        #expect(watcher.line()?.contains("generation.applied  generation 3") == true)
        #expect(second.stop() == 0)
        #expect(watcher.line(holding: "connecting again") != nil || watcher.line(holding: "lost") != nil)
        #expect(watcher.interrupt() == .uncaughtSignal)
    }

    @Test("events --watch does not block the end of the runner, however long the drain")
    func doesNotHoldUp() throws {
        let home = try RunnerHome()
        try home.write(Services.file())
        let runner = try FoundRunner(in: home, ["--drain", "1h"])
        let watcher = try LiveCommand(["events", "--watch"], in: home)
        #expect(watcher.line(holding: "generation.applied") != nil)
        try home.write(Services.file(retries: 3))
        #expect(try runner.corewire("reload").status == 0)
        #expect(watcher.line(holding: "generation 2") != nil, "it watches")
        #expect(runner.stop() == 0)
    }

    @Test("events --watch ends when its output is closed, even without new events")
    func nobodyReads() throws {
        let runner = try Services.running()
        let watcher = try LiveCommand(["events", "--watch"], in: runner.home)
        #expect(watcher.line(holding: "generation.applied") != nil)
        #expect(try watcher.hangUp() == 0)
    }
}
