import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("The echo server", .timeLimit(.minutes(2)))
struct EchoTests {
    @Test("echo returns method, path, query, fields and body unchanged")
    func told() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let json = try await web.send("PUT", "/echo/a%20b?x=1&y=2&x=3", "{\"n\":[1,null]}", ["X-Own: is told"]).json
            #expect(json["method"]?.string == "PUT")
            #expect(json["path"]?.string == "/echo/a%20b")
            #expect(json["query"]?["x"]?.array?.compactMap(\.string) == ["1", "3"])
            #expect(json["query"]?["y"]?.string == "2")
            #expect(json["fields"]?["X-Own"]?.string == "is told")
            #expect(json["body"]?["json"]?.text() == "{\"n\":[1,null]}")
            #expect(json["body"]?["size"]?.integer == 14)
            let plain = try await web.ask("POST", "/echo", ["Content-Type: text/plain"], body: "hä").json
            #expect(plain["body"]?["text"]?.string == "hä")
            #expect(try await web.get("/echo").json["body"] == nil)
        }
    }

    @Test("credentials are shown only as scheme and digest")
    func secrets() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let fields = ["Authorization: Bearer canary-1", "Cookie: a=canary-2", "X-Api-Key: canary-3 more"]
            let answer = try await web.get("/echo", fields)
            #expect(!answer.text.contains("canary"))
            let shown = try #require(answer.json["fields"]?["Authorization"]?.string)
            #expect(shown.hasPrefix("Bearer sha256:") && shown.utf8.count == 30)
            for name in ["Cookie", "X-Api-Key"] {
                let shown = try #require(answer.json["fields"]?[name]?.string)
                #expect(shown.hasPrefix("sha256:") && shown.utf8.count == 23)
            }
            let other = try await web.get("/echo", ["Authorization: Bearer canary-4"])
            #expect(other.json["fields"]?["Authorization"]?.string != shown)
        }
    }
}
