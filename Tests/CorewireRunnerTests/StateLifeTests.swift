import Foundation
import Support
import Testing

@Suite("App data survives the runner")
struct StateLifeTests {
    @Test("an acknowledged write survives a kill at that instant")
    func killed() async throws {
        let home = try TemporaryFolder()
        for round in 0..<5 {
            let runner = try await RunningRunner(StateTests.file, in: home)
            for earlier in 0..<round {
                #expect(try await runner.ask("GET", "/v1/state/notes/k\(earlier)").text == "\(earlier)")
            }
            #expect(try await runner.ask("PUT", "/v1/state/notes/k\(round)", text: "\(round)").status == 201)
            try await runner.kill()
        }
    }

    @Test("environments have separate entries, unless the namespace is shared")
    func environments() async throws {
        let runner = try await RunningRunner(StateTests.file)
        for namespace in ["notes", "shared"] {
            _ = try await runner.ask("PUT", "/v1/state/\(namespace)/k", text: "dev")
        }
        let json = ["Content-Type: application/json"]
        #expect(try await runner.ask("PUT", "/v1/environment", json, text: #"{"environment":"stage"}"#).status == 200)
        #expect(try await runner.ask("GET", "/v1/state/notes/k").status == 404)
        #expect(try await runner.ask("GET", "/v1/state/shared/k").text == "dev")
        #expect(try await runner.ask("PUT", "/v1/state/notes/k", text: "stage").status == 201)
        #expect(try await runner.ask("PUT", "/v1/environment", json, text: #"{"environment":"dev"}"#).status == 200)
        #expect(try await runner.ask("GET", "/v1/state/notes/k").text == "dev")
        // One by a URL has the settings of the default one, and none of its entries.
        let custom = #"{"environment":"https://10.0.0.7/a"}"#
        #expect(try await runner.ask("PUT", "/v1/environment", json, text: custom).status == 200)
        #expect(try await runner.ask("GET", "/v1/state/notes/k").status == 404)
        #expect(try await runner.ask("GET", "/v1/state/shared/k").text == "dev")
    }

    @Test("two processes of a group share the data, and get each other's changes")
    func group() async throws {
        let first = try await RunningRunner(StateTests.file)
        let other = StateTests.file.replacingOccurrences(of: "id: com.example.tasks", with: "id: com.example.other")
        let second = try await RunningRunner(other, app: "com.example.other", in: first.home)
        let watch = try await second.watch("/v1/state/notes")
        #expect(try await first.ask("PUT", "/v1/state/notes/k", text: "one").status == 201)
        #expect(try await second.ask("GET", "/v1/state/notes/k").text == "one")
        #expect(try await watch.next()?.event == "put")
        #expect(try await second.ask("PUT", "/v1/state/notes/k", ["If-None-Match: *"], text: "two").status == 412)
    }

    @Test("a changed limit applies without a restart, and stored data stays")
    func reload() async throws {
        let runner = try await RunningRunner(StateTests.file)
        for key in ["a", "b"] { _ = try await runner.ask("PUT", "/v1/state/few/\(key)", text: "1") }
        let watch = try await runner.watch("/v1/state/few")
        let wider = StateTests.file.replacingOccurrences(of: "maxEntries: 2", with: "maxEntries: 3")
        let report = try await runner.reload(wider)
        #expect(report.status == 200)
        #expect(report.text.contains(#""name":"persistence","action":"rebind""#))
        #expect(try await runner.ask("PUT", "/v1/state/few/c", text: "1").status == 201)
        // The same watch goes on: nothing was let go of.
        #expect(try await watch.next()?.data == #"{"key":"c","version":\#(try await runner.version(of: "few/c"))}"#)
        let narrower = StateTests.file.replacingOccurrences(of: "maxEntries: 2", with: "maxEntries: 1")
        #expect(try await runner.reload(narrower).status == 200)
        #expect((try await runner.json("GET", "/v1/state/few")["entries"] as? [Any])?.count == 3)
        #expect(try await runner.ask("PUT", "/v1/state/few/d", text: "1").status == 507)
        #expect(try await runner.ask("PUT", "/v1/state/few/a", text: "2").status == 200)
    }

    @Test("a reload that moves the store is rejected with the line")
    func moved() async throws {
        let runner = try await RunningRunner(StateTests.file)
        _ = try await runner.ask("PUT", "/v1/state/notes/k", text: "x")
        let elsewhere = runner.home.url.appendingPathComponent("elsewhere").path
        let file = StateTests.file.replacingOccurrences(
            of: "persistence:\n",
            with: "persistence:\n  directory: \(elsewhere)\n"
        )
        let answer = try await runner.reload(file)
        #expect(answer.status == 409)
        #expect(answer.text.contains("persistence.directory"))
        #expect(try await runner.ask("GET", "/v1/state/notes/k").text == "x")
    }

    @Test("an encrypted value is sealed on disk, and a missing key is reported with help")
    func sealed() async throws {
        let home = try TemporaryFolder()
        let first = try await RunningRunner(StateTests.file, in: home)
        _ = try await first.ask("PUT", "/v1/state/secret/k", text: "canary-of-the-mine")
        _ = try await first.ask("PUT", "/v1/state/notes/k", text: "plain-as-day-light")
        #expect(try await first.ask("GET", "/v1/state/secret/k").text == "canary-of-the-mine")
        try await first.stop()
        let files = FileManager.default.enumerator(at: home.url, includingPropertiesForKeys: nil)?.compactMap {
            $0 as? URL
        }
        let everything = (files ?? []).compactMap { try? Data(contentsOf: $0) }.reduce(Data(), +)
        #expect(everything.range(of: Data("plain-as-day-light".utf8)) != nil)
        #expect(everything.range(of: Data("canary-of-the-mine".utf8)) == nil)
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        let file = StateTests.file.replacingOccurrences(of: "persistence:\n", with: "persistence:\n  key: \"\(key)\"\n")
        let second = try await RunningRunner(file, in: home)
        let answer = try await second.ask("GET", "/v1/state/secret/k")
        #expect(answer.status == 500)
        #expect(answer.text.contains("previousKey"))
        #expect(answer.text.contains(#""path":"persistence.key""#))
        #expect(!answer.text.contains(key))
        #expect(try await second.ask("GET", "/v1/state/notes/k").text == "plain-as-day-light")
    }

    @Test("after a key change all values are sealed again, and an event tells when the former key can be removed")
    func changedKey() async throws {
        let home = try TemporaryFolder()
        func start(_ key: UInt8, former: UInt8? = nil) async throws -> RunningRunner {
            func text(_ byte: UInt8) -> String { Data(repeating: byte, count: 32).base64EncodedString() }
            let previous = former.map { "  previousKey: \"\(text($0))\"\n" } ?? ""
            let file = StateTests.file.replacingOccurrences(
                of: "persistence:\n",
                with: "persistence:\n  key: \"\(text(key))\"\n\(previous)"
            )
            return try await RunningRunner(file, in: home)
        }
        let first = try await start(7)
        for key in 0..<20 { _ = try await first.ask("PUT", "/v1/state/secret/\(key)", text: "secret \(key)") }
        let tag = try await first.ask("GET", "/v1/state/secret/3")["ETag"]
        try await first.stop()
        let second = try await start(8, former: 7)
        let events = try await second.watch("/v1/events", after: "0")
        var told: String?
        while told == nil, let event = try await events.next() {
            if event.event == "state.resealed" { told = event.data }
        }
        #expect(told?.contains(#""left":0"#) == true, "\(told ?? "-")")
        #expect(try await second.ask("GET", "/v1/state/secret/3")["ETag"] == tag)
        try await second.stop()
        let third = try await start(8)
        for key in 0..<20 { #expect(try await third.ask("GET", "/v1/state/secret/\(key)").text == "secret \(key)") }
        #expect(try await third.ask("GET", "/v1/state/secret/3")["ETag"] == tag)
    }
}

extension RunningRunner {
    func version(of entry: String) async throws -> Int {
        let tag = try await ask("GET", "/v1/state/\(entry)")["ETag"] ?? ""
        return Int(tag.filter(\.isNumber)) ?? -1
    }
}
