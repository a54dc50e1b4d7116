import Foundation
import Support
import Testing

@Suite("corewire history and diff")
struct GenerationTests {
    private static func twoGenerations() throws -> FoundRunner {
        let runner = try Services.running()
        try runner.home.write(
            Services.file(retries: 3, more: "device: { alias: cart-17, register: never, tags: { a: b, c: d, e: f } }\n")
        )
        #expect(try runner.corewire("reload").status == 0)
        return runner
    }

    @Test("history lists the generations with their cause, the latest first")
    func history() throws {
        let runner = try Self.twoGenerations()
        let lines = try runner.corewire("history").output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("generation  environment  started"))
        #expect(lines[1].hasPrefix("2 ") && lines[1].contains("  reload  local API  ") && lines[1].hasSuffix("current"))
        #expect(lines[2].hasPrefix("1 ") && lines[2].contains("start"))
        let json = try runner.corewire("history", "--format", "json").json()
        let actions = (json["generations"] as? [[String: Any]])?.map { $0["action"] as? String }
        #expect(actions == ["reload", "start"])
    }

    @Test("diff shows the changed settings, by default up to the current generation")
    func settings() throws {
        let runner = try Self.twoGenerations()
        let run = try runner.corewire("diff", "1")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("network.retries: 2 → 3\n"), "\(run.output)")
        #expect(run.output.contains("device.alias: not set → cart-17\n"), "\(run.output)")
        #expect(try runner.corewire("diff", "2", "1").output.contains("device.alias: cart-17 → not set\n"))
        #expect(try runner.corewire("diff", "2").output.hasPrefix("no difference"))
        let json = try runner.corewire("diff", "1", "2", "--format", "json").json()
        #expect((json["settings"] as? [[String: Any]])?.contains { $0["path"] as? String == "network.retries" } == true)
        #expect(try runner.corewire("diff", "1", "77").status == 1)
    }

    @Test("diff --unified prints the same as 'diff -u'", .enabled(if: Program.isInstalled("diff")))
    func unified() throws {
        // Changes so far apart that some share what is around them, and some just do not.
        func tags(changing changed: Set<Int>) -> String {
            let entries = (10..<60).map { "t\($0): \(changed.contains($0) ? "new" : "old")" }
            return "device: { alias: cart, register: never, tags: { \(entries.joined(separator: ", ")) } }\n"
        }
        let runner = try Services.running(Services.file(more: tags(changing: [])))
        try runner.home.write(Services.file(retries: 3, more: tags(changing: [12, 19, 27, 36, 59])))
        #expect(try runner.corewire("reload").status == 0)
        for number in ["1", "2"] {
            let path = "http://localhost/v1/generations/\(number)"
            let run = try Program.run("curl", ["-s", "--unix-socket", runner.home.socket(), path])
            try runner.home.write(run.output, to: "g\(number)")
        }
        for (old, new) in [("1", "2"), ("2", "1")] {
            let expected = try Program.run(
                "diff",
                ["-u", "--label", "generation \(old)", "--label", "generation \(new)", "g\(old)", "g\(new)"],
                in: runner.home.work
            )
            #expect(expected.status == 1)
            #expect(try runner.corewire("diff", old, new, "--unified").output == expected.output)
        }
        #expect(try runner.corewire("diff", "1", "1", "--unified").output.isEmpty)
    }

    @Test("console prints only the link, and the link signs in once")
    func console() throws {
        let runner = try Services.running(Services.file(api: "{ socket: auto, listen: 127.0.0.1:0 }"))
        let run = try runner.corewire("console")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
        let link = run.output.trimmingCharacters(in: .newlines)
        #expect(link.hasPrefix("http://127.0.0.1:") && !link.contains("\n"))
        func signsIn() throws -> Bool {
            let parts = link.components(separatedBy: "/#key=")
            let fields = ["-H", "X-Corewire: 1", "-H", "Corewire-Console-Key: \(parts.last ?? "")"]
            return try Program.run("curl", ["-s", "-X", "POST"] + fields + ["\(parts[0])/v1/console/session"]).output
                .contains("\"session\"")
        }
        #expect(try signsIn())
        #expect(try !signsIn())
    }

    @Test("console explains what is missing if there is no address")
    func noConsole() throws {
        let runner = try Services.running()
        let run = try runner.corewire("console")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("set 'api.listen' to '127.0.0.1:7420'"), "\(run.errors)")
    }
}
