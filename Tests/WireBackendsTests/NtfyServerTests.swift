import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("The embedded ntfy server", .timeLimit(.minutes(2)))
struct NtfyServerTests {
    private func messages(_ web: Web, _ query: String, topic: String = "ward") async throws -> [JSONValue] {
        let answer = try await web.get("/ntfy/\(topic)/json?poll=1\(query)")
        #expect(answer.status == 200)
        return try answer.text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8), named: "line") }
    }

    private func texts(_ web: Web, _ query: String, topic: String = "ward") async throws -> [String] {
        try await messages(web, query, topic: topic).compactMap { $0["message"]?.string }
    }

    @Test("messages are published by header, query and JSON, and polled by topic, position and filter")
    func publish() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let fields = [
                "Title: Ward", "X-Priority: high", "Tags: warning, pump", "Click: https://x.example",
                "Icon: https://x.example/i",
            ]
            let first = try await web.ask(
                "POST",
                "/ntfy/ward",
                fields + ["Actions: view, Open, https://x.example/1"],
                body: "off"
            )
            #expect(first.status == 200)
            let id = try #require(first.json["id"]?.string)
            #expect(id.utf8.count == 12 && first.json["event"]?.string == "message")
            let found = try #require(try await messages(web, "").first)
            #expect(found["title"]?.string == "Ward" && found["priority"]?.integer == 4)
            #expect(found["tags"]?.array?.compactMap(\.string) == ["warning", "pump"])
            #expect(found["actions"]?.array?.first?["url"]?.string == "https://x.example/1")
            _ = try await web.ask("PUT", "/ntfy/ward?title=Q&p=1", [], body: "low")
            _ = try await web.ask("POST", "/ntfy", [], body: #"{"topic":"desk","message":"json","priority":5}"#)
            #expect(try await texts(web, "") == ["off", "low"])
            #expect(try await texts(web, "", topic: "ward,desk") == ["off", "low", "json"])
            #expect(try await texts(web, "&priority=4,5", topic: "ward,desk") == ["off", "json"])
            #expect(try await texts(web, "&tags=pump") == ["off"])
            #expect(try await texts(web, "&since=\(id)") == ["low"])
            #expect(try await texts(web, "&since=none") == [])
            #expect(try await texts(web, "&since=latest") == ["low"])
            let time = try #require(found["time"]?.integer)
            #expect(try await texts(web, "&since=\(time)") == ["off", "low"])
            #expect(try await texts(web, "&since=\(time + 1)") == [])
            #expect(try await texts(web, "&since=10m") == ["off", "low"])
            // An id that is not there any more brings everything, as at the real server.
            #expect(try await texts(web, "&since=abcdefghijkl") == ["off", "low"])
        }
    }

    @Test("what is wrong is refused in ntfy's words")
    func refused() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let cases: [(String, String, [String], String, Int, Int)] = [
                ("POST", "/ntfy/a.b", [], "x", 400, 40_009), ("POST", "/ntfy/ward", ["Priority: 6"], "x", 400, 40_007),
                ("POST", "/ntfy/ward", ["Delay: 30m"], "x", 400, 40_004),
                ("POST", "/ntfy/ward", [], String(repeating: "x", count: 4_097), 413, 41_301),
                ("POST", "/ntfy", [], "no json", 400, 40_024),
                ("GET", "/ntfy/ward/json?since=never", [], "", 400, 40_008),
                ("GET", "/ntfy/ward/ws", [], "", 404, 40_401),
            ]
            for (method, path, fields, body, status, code) in cases {
                let answer = try await web.ask(method, path, fields, body: body)
                #expect(answer.status == status && answer.json["code"]?.integer == code, "\(path) \(answer.text)")
            }
            #expect(try await texts(web, "") == [])
        }
    }

    @Test("messages survive a restart, separately for each environment")
    func kept() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        try await House.run(in: folder, clock: clock) { house in
            let web = try Web(#require(house.base))
            _ = try await web.ask("POST", "/ntfy/ward", [], body: "one")
        }
        try await House.run(in: folder, clock: clock) { house in
            let web = try Web(#require(house.base))
            _ = try await web.ask("POST", "/ntfy/ward", [], body: "two")
            #expect(try await texts(web, "") == ["one", "two"])
            try await house.rebind(House.issuer, named: "stage")
            #expect(try await texts(web, "") == [])
        }
    }
}
