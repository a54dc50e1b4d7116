import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("The inbox", .timeLimit(.minutes(2)))
struct InboxTests {
    private func ids(_ web: Web, _ query: String = "") async throws -> [String] {
        let list = try await web.get("/inbox\(query)").json
        return list["items"]?.array?.compactMap { $0["requestId"]?.string } ?? []
    }

    @Test("posted requests are listed in order, each id once")
    func order() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            for (id, status, number) in [("a", 201, 1), ("b", 201, 2), ("a", 200, 1), ("c", 201, 3)] {
                let answer = try await web.send("POST", "/inbox/lane", #"{"id":"\#(id)"}"#, ["Request-ID: \(id)"])
                #expect(answer.status == status && answer.json["number"]?.integer == number)
                #expect(answer.json["duplicate"]?.boolean == (status == 200))
            }
            #expect(try await ids(web) == ["a", "b", "c"])
            #expect(try await ids(web, "?after=1&limit=1") == ["b"])
            let first = try await web.get("/inbox/1").json
            #expect(first["json"]?["id"]?.string == "a" && first["path"]?.string == "/inbox/lane")
            #expect(try await web.get("/inbox/9").status == 404)
            for (limit, status) in [(0, 400), (1, 200), (1_000, 200), (1_001, 400)] {
                #expect(try await web.get("/inbox?limit=\(limit)").status == status, "\(limit)")
            }
            _ = try await web.ask("PUT", "/inbox", ["Content-Type: text/plain"], body: "no id, as often as it comes")
            _ = try await web.ask("PUT", "/inbox", ["Content-Type: text/plain"], body: "no id, as often as it comes")
            #expect(try await web.get("/inbox").json["items"]?.array?.count == 5)
            #expect(try await web.ask("DELETE", "/inbox").json["removed"]?.integer == 5)
            #expect(try await web.get("/inbox").json["items"]?.array?.isEmpty == true)
        }
    }

    @Test("the inbox and its ids survive a restart, separately for each environment")
    func kept() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        try await House.run(in: folder, clock: clock) { house in
            let web = try Web(#require(house.base))
            _ = try await web.send("POST", "/inbox", "{}", ["Request-ID: a"])
        }
        try await House.run(in: folder, clock: clock) { house in
            let web = try Web(#require(house.base))
            #expect(try await web.send("POST", "/inbox", "{}", ["Request-ID: a"]).json["duplicate"]?.boolean == true)
            #expect(try await web.send("POST", "/inbox", "{}", ["Request-ID: b"]).json["number"]?.integer == 2)
            #expect(try await ids(web) == ["a", "b"])
            try await house.rebind(House.issuer, named: "stage")
            #expect(try await ids(web) == [])
        }
    }
}
