import Foundation
import Support
import Testing

@Suite("The status of an edited file that is not loaded")
struct EditedFileTests {
    private static let words = "'mobile-services.yaml' has changed since it was loaded; run 'corewire reload'"

    /// What the status says of it, the same in all three places.
    private static func told(_ runner: FoundRunner) throws -> String? {
        let edited = try runner.corewire("status", "--format", "json").json()["edited"] as? String
        let table = try runner.corewire("status").output
        let url = "http://localhost/readyz?verbose"
        let health = try Program.run("curl", ["-s", "--unix-socket", runner.home.socket(), url]).output
        #expect(table.contains("not loaded") == (edited != nil), "\(table)")
        #expect(health.contains("configuration on disk: ") == (edited != nil), "\(health)")
        if let edited {
            #expect(table.contains(edited) && health.contains("on disk: \(edited)"), "\(table)\n\(health)")
        }
        #expect(health.contains("readyz check passed"))
        return edited
    }

    @Test("an edit is reported until it is loaded or reverted; a new date with the same content is no edit")
    func edited() throws {
        let runner = try Services.running()
        #expect(try Self.told(runner) == nil)
        try runner.home.write(Services.file(retries: 3))
        #expect(try Self.told(runner) == Self.words)
        // As long as what was loaded, and written within the same moment.
        try runner.home.write(Services.file(retries: 2))
        #expect(try Self.told(runner) == nil)
        try runner.home.write(Services.file(retries: 3))
        #expect(try runner.corewire("plan").status == 0)
        #expect(try Self.told(runner) == Self.words, "it was planned, and not loaded")
        #expect(try runner.corewire("reload").status == 0)
        #expect(try Self.told(runner) == nil)
        try runner.home.write(Services.file(key: "retires"))
        #expect(try runner.corewire("reload").status == 1)
        #expect(try Self.told(runner) == Self.words, "it was refused")
    }

    @Test("a file that is not in effect is reported as such, and an edit of it as an edit")
    func setAside() throws {
        var runner = try Services.running()
        try runner.home.write(Services.file(retries: 3))
        #expect(try runner.corewire("reload").status == 0)
        #expect(try runner.corewire("rollback", "1").status == 0)
        for _ in 1...2 {
            #expect(try Self.told(runner) == nil)
            #expect(try runner.corewire("status").output.contains("not in effect"))
            runner.stop()
            runner = try FoundRunner(in: runner.home)
        }
        try runner.home.write(Services.file(retries: 4))
        #expect(try Self.told(runner) == Self.words)
    }

    @Test("an edit of an included file is reported by name, also a removed file, and a pipe blocks nothing")
    func others() throws {
        let home = try RunnerHome()
        try home.write("network: { retries: 2 }\n", to: "network.yaml")
        let network = "network: { retries: 2, timeout: 30s }"
        try home.write(Services.file().replacingOccurrences(of: network, with: "include: [network.yaml]"))
        let runner = try FoundRunner(in: home)
        #expect(try Self.told(runner) == nil)
        try home.write("network: { retries: 3 }\n", to: "network.yaml")
        #expect(try Self.told(runner) == "'network.yaml' has changed since it was loaded; run 'corewire reload'")
        let path = home.work.appendingPathComponent("network.yaml").path
        try FileManager.default.removeItem(atPath: path)
        #expect(try Self.told(runner) == "'network.yaml' was removed since it was loaded")
        #expect(try Program.run("mkfifo", [path]).status == 0)
        #expect(try Self.told(runner) == nil)
    }
}
