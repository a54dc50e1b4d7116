import Foundation
import Support
import Testing

@Suite("App data over the socket of a runner")
struct StateTests {
    static let file = """
        version: 1
        app: { id: com.example.tasks, group: com.example.group }
        environment: dev
        environments: { dev: { backend: embedded }, stage: { backend: embedded } }
        persistence:
          maxValueSize: 4KiB
          namespaces:
            drafts: { ttl: 7d, maxEntries: 3, whenFull: removeOldest }
            few: { maxEntries: 2 }
            small: { maxSize: 4KiB }
            secret: { encrypted: true }
            shared: { perEnvironment: false }
        api: { socket: auto }

        """

    @Test("a value is returned byte for byte, with its type, version and time")
    func roundTrip() async throws {
        let runner = try await RunningRunner(Self.file)
        let bytes = (0...255).map(UInt8.init)
        let put = try await runner.ask(
            "PUT",
            "/v1/state/notes/a/b%20c",
            ["Content-Type: image/png; q=\"a;b\""],
            body: bytes
        )
        #expect(put.status == 201)
        let tag = try #require(put["ETag"])
        let got = try await runner.ask("GET", "/v1/state/notes/a/b%20c")
        #expect(got.status == 200)
        #expect(got.body == bytes)
        #expect(got["Content-Type"] == "image/png; q=\"a;b\"")
        #expect(got["ETag"] == tag)
        #expect(got["Last-Modified"]?.hasSuffix(" GMT") == true)
        #expect(got["Content-Security-Policy"]?.contains("sandbox") == true)
        // A slash in the path and an encoded one name the same key.
        #expect(try await runner.ask("GET", "/v1/state/notes/a%2Fb%20c").body == bytes)
        let head = try await runner.ask("HEAD", "/v1/state/notes/a/b%20c")
        #expect(head.status == 200)
        #expect(head["Content-Length"] == "256")
        let same = try await runner.ask("GET", "/v1/state/notes/a/b%20c", ["If-None-Match: \(tag)"])
        #expect(same.status == 304)
        #expect(same["ETag"] == tag)
        #expect(try await runner.ask("GET", "/v1/state/notes/a/b%20c", ["If-None-Match: \"1\""]).status == 200)
        let again = try await runner.ask("PUT", "/v1/state/notes/a/b%20c", text: "x")
        #expect(again.status == 200)
        #expect(again["ETag"] != tag)
        #expect(try await runner.ask("GET", "/v1/state/notes/a/b%20c")["Content-Type"] == "application/octet-stream")
        #expect(try await runner.ask("DELETE", "/v1/state/notes/a/b%20c").status == 204)
        #expect(try await runner.ask("DELETE", "/v1/state/notes/a/b%20c").status == 404)
        #expect(try await runner.ask("GET", "/v1/state/notes/a/b%20c").status == 404)
        #expect(try await runner.stop() == 0)
    }

    @Test("a false condition changes nothing, and conditions are evaluated atomically with the change")
    func conditions() async throws {
        let runner = try await RunningRunner(Self.file)
        let path = "/v1/state/notes/k"
        func put(_ field: String, _ text: String) async throws -> Int {
            try await runner.ask("PUT", path, [field], text: text).status
        }
        #expect(try await put("If-Match: *", "0") == 412)
        #expect(try await put("If-Match: \"7\"", "0") == 412)
        #expect(try await put("If-None-Match: *", "1") == 201)
        #expect(try await put("If-None-Match: *", "0") == 412)
        let tag = try #require(try await runner.ask("GET", path)["ETag"])
        #expect(try await put("If-None-Match: \(tag)", "0") == 412)
        #expect(try await put("If-Match: \"1\", \(tag)", "2") == 200)
        #expect(try await put("If-Match: \(tag)", "0") == 412)
        #expect(try await put("If-Match: *", "3") == 200)
        #expect(try await put("If-Match: nonsense", "0") == 400)
        #expect(try await runner.ask("DELETE", path, ["If-Match: \(tag)"]).status == 412)
        #expect(try await runner.ask("GET", path).text == "3")
        let present = try #require(try await runner.ask("GET", path)["ETag"])
        #expect(try await runner.ask("DELETE", path, ["If-Match: \(present)"]).status == 204)
        #expect(try await runner.ask("DELETE", path, ["If-Match: *"]).status == 412)
    }

    @Test("of many concurrent creations of one entry, one succeeds")
    func race() async throws {
        let runner = try await RunningRunner(Self.file)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try await runner.ask("PUT", "/v1/state/notes/k", ["If-None-Match: *"], text: "\(number)").status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 201 } == 1)
        #expect(statuses.count { $0 == 412 } == 15)
    }

    @Test("a list has the keys of a prefix in the order of their bytes, page by page")
    func pages() async throws {
        let runner = try await RunningRunner(Self.file)
        let keys = ["a", "a/1", "a/2", "a/\u{e9}", "b"]
        for key in keys.reversed() {
            let path = try #require(
                "/v1/state/notes/\(key)".addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
            )
            #expect(try await runner.ask("PUT", path, text: key).status == 201)
        }
        var found: [String] = []
        var after = ""
        repeat {
            let page = try await runner.json("GET", "/v1/state/notes?prefix=a&limit=2\(after)")
            found += (page["entries"] as? [[String: Any]] ?? []).compactMap { $0["key"] as? String }
            let next = (page["next"] as? String)?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            after = next.map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(found == Array(keys.dropLast()))
        for query in ["limit=0", "limit=1001", "limit=x", "limit=1&limit=2", "prefx=a"] {
            let answer = try await runner.ask("GET", "/v1/state/notes?\(query)")
            #expect(answer.status == 400, "\(query)")
            #expect(answer["Content-Type"] == "application/problem+json")
        }
        #expect(try await runner.ask("GET", "/v1/state/notes?prefx=a").text.contains("did you mean 'prefix'?"))
    }

    @Test("the namespaces of the file, and those with entries, are listed with their sizes")
    func namespaces() async throws {
        let runner = try await RunningRunner(Self.file)
        _ = try await runner.ask("PUT", "/v1/state/notes/key", text: "value")
        let all = try await runner.json("GET", "/v1/state")
        let namespaces = try #require(all["namespaces"] as? [[String: Any]])
        #expect(
            namespaces.compactMap { $0["name"] as? String } == ["drafts", "few", "notes", "secret", "shared", "small"]
        )
        #expect(namespaces[2]["entries"] as? Int == 1)
        #expect(namespaces[2]["size"] as? Int == 8)
        #expect(try await runner.json("DELETE", "/v1/state/notes")["removed"] as? Int == 1)
        #expect(try await runner.json("DELETE", "/v1/state/notes")["removed"] as? Int == 0)
        let page = try await runner.json("GET", "/v1/state?limit=2&after=drafts")
        #expect((page["namespaces"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["few", "secret"])
        #expect(page["next"] as? String == "secret")
    }

    @Test("a reached limit is reported with its line, and stores nothing")
    func limits() async throws {
        let runner = try await RunningRunner(Self.file)
        for key in ["a", "b"] { #expect(try await runner.ask("PUT", "/v1/state/few/\(key)", text: "1").status == 201) }
        let full = try await runner.ask("PUT", "/v1/state/few/c", text: "1")
        #expect(full.status == 507)
        #expect(full.text.contains("persistence.namespaces.few.maxEntries"))
        #expect(full.text.contains("com.example.tasks.yaml:9:"))
        #expect(try await runner.ask("GET", "/v1/state/few/c").status == 404)
        #expect(try await runner.ask("PUT", "/v1/state/few/a", text: "2").status == 200)
        let large = [UInt8](repeating: 0x61, count: 4_000)
        #expect(try await runner.ask("PUT", "/v1/state/small/a", body: large).status == 201)
        let more = try await runner.ask("PUT", "/v1/state/small/b", body: large)
        #expect(more.status == 507)
        #expect(more.text.contains("persistence.namespaces.small.maxSize"))
        let tooLarge = try await runner.ask("PUT", "/v1/state/notes/big", body: [UInt8](repeating: 0, count: 4_097))
        #expect(tooLarge.status == 413)
        #expect(tooLarge.text.contains("persistence.maxValueSize"))
        #expect(
            try await runner.ask("PUT", "/v1/state/notes/big", body: [UInt8](repeating: 0, count: 4_096)).status == 201
        )
        let events = try await runner.ask("GET", "/v1/events?follow=false", ["Last-Event-ID: 0"]).text
        #expect(events.components(separatedBy: "event: state.full").count == 3)
    }

    @Test("an app can create only a limited number of namespaces, and those of the file are always available")
    func tooManyNamespaces() async throws {
        let limits = "persistence:\n  maxNamespaces: 3\n  maxNamespacesTogether: 4\n"
        let runner = try await RunningRunner(Self.file.replacingOccurrences(of: "persistence:\n", with: limits))
        func put(_ path: String) async throws -> RawClient.Answer {
            try await runner.ask("PUT", "/v1/state/\(path)", text: "x")
        }
        for name in ["a", "b", "c"] { #expect(try await put("\(name)/k").status == 201) }
        for name in ["d", "e"] {
            let full = try await put("\(name)/k")
            #expect(full.status == 507)
            #expect(full.text.contains(#""path":"persistence.maxNamespaces""#), "\(full.text)")
            #expect(full.text.contains("com.example.tasks.yaml:6:"), "\(full.text)")
        }
        #expect(try await put("a/more").status == 201)
        #expect(try await put("drafts/k").status == 201)
        #expect(try await put("shared/k").status == 201)
        // The other environment has its own, but not more than both may have.
        let json = ["Content-Type: application/json"]
        #expect(try await runner.ask("PUT", "/v1/environment", json, text: #"{"environment":"stage"}"#).status == 200)
        let together = try await put("a/k")
        #expect(together.status == 507)
        #expect(together.text.contains(#""path":"persistence.maxNamespacesTogether""#), "\(together.text)")
        #expect(try await put("drafts/k").status == 201)
        #expect(try await runner.ask("PUT", "/v1/environment", json, text: #"{"environment":"dev"}"#).status == 200)
        for name in ["drafts", "shared", "b"] {
            #expect(try await runner.ask("DELETE", "/v1/state/\(name)").status == 200)
        }
        #expect(try await put("d/k").status == 201)
        let events = try await runner.ask("GET", "/v1/events?follow=false", ["Last-Event-ID: 0"]).text
        #expect(events.components(separatedBy: "event: state.full").count == 3, "\(events)")
    }

    @Test("with removeOldest, the newest entries stay")
    func oldest() async throws {
        let runner = try await RunningRunner(Self.file)
        for number in 1...5 { _ = try await runner.ask("PUT", "/v1/state/drafts/k\(number)", text: "\(number)") }
        let entries = try await runner.json("GET", "/v1/state/drafts")["entries"] as? [[String: Any]]
        #expect(entries?.compactMap { $0["key"] as? String } == ["k3", "k4", "k5"])
    }

    @Test("an entry lives as long as requested, and at most as long as its namespace allows")
    func lifetimes() async throws {
        let runner = try await RunningRunner(Self.file)
        func put(_ path: String, _ fields: [String] = []) async throws -> RawClient.Answer {
            try await runner.ask("PUT", "/v1/state/\(path)", fields, text: "x")
        }
        // The clock has gone on a little since the entry was made.
        func goes(_ answer: RawClient.Answer, after seconds: Double) -> Bool {
            let format = ISO8601DateFormatter()
            format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
            guard let end = answer["Corewire-Expires"].flatMap({ format.date(from: $0) }) else { return false }
            return (seconds - 60...seconds + 1).contains(end.timeIntervalSinceNow)
        }
        #expect(try await goes(put("drafts/a"), after: 7 * 86_400))
        #expect(try await put("notes/a")["Corewire-Expires"] == nil)
        #expect(try await goes(put("notes/a", ["Corewire-TTL: 7d"]), after: 7 * 86_400))
        #expect(try await goes(put("notes/a?ttl=1h30m"), after: 5_400))
        #expect(try await goes(put("drafts/a?ttl=1h"), after: 3_600))
        #expect(try await goes(put("drafts/a?ttl=7d"), after: 7 * 86_400))
        let long = try await put("drafts/b?ttl=8d")
        #expect(long.status == 422)
        #expect(long.text.contains("persistence.namespaces.drafts.ttl"))
        for (bad, status) in [("0s", 422), ("999ms", 422), ("3651d", 422), ("10", 400), ("soon", 400), ("", 400)] {
            #expect(try await put("notes/b?ttl=\(bad)").status == status, "\(bad)")
        }
        for edge in ["1s", "3650d"] { #expect(try await put("notes/\(edge)?ttl=\(edge)").status == 201, "\(edge)") }
        #expect(try await put("notes/b?ttl=1d", ["Corewire-TTL: 1d"]).status == 400)
        #expect(try await put("notes/b", ["Corewire-TTL: 1d", "Corewire-TTL: 1d"]).status == 400)
        #expect(try await put("notes/b?tll=1d").status == 400)
        #expect(try await runner.ask("GET", "/v1/state/notes/b").status == 404)
    }
}

extension RunningRunner {
    func json(_ method: String, _ path: String) async throws -> [String: Any] {
        let answer = try await ask(method, path)
        let value = try JSONSerialization.jsonObject(with: Data(answer.body))
        return try #require(value as? [String: Any], "\(answer.text)")
    }
}
