import CorewireCatalogue
import Foundation
import Support
import Testing
import WireBackends
import WireBase
import WireConfig
import WireEmbedded
import WireService

@Suite("HALO content from files", .timeLimit(.minutes(2)))
struct HaloSeedTests {
    @Test("a changed file changes only its own instances; others stay")
    func follows() async throws {
        let (folder, clock) = (try HaloHouse.folder(), HandClock())
        let news = folder.url.appendingPathComponent("content/news.yaml")
        try await HaloHouse.run(in: folder, clock: clock) { halo in
            let module = try #require(try await halo.module("News")["id"]?.string)
            _ = try await halo.send("POST", "generalcontent/instance", #"{"name":"Mine","module":"\#(module)"}"#)
            let plain = try await halo.id("plain")
            _ = try await halo.send("PUT", "generalcontent/instance/\(plain)", #"{"name":"changed here"}"#)
            let moment = try #require(
                try await halo.send("POST", "generalcontent/instance/sync", #"{"moduleName":"News"}"#)
                    .json["syncTimestamp"]?.integer
            )
            var text = HaloHouse.news.replacingOccurrences(of: "The night shift\n", with: "The late shift\n")
            let start = try #require(text.range(of: "  canteen:")), end = try #require(text.range(of: "  old:"))
            text.removeSubrange(start.lowerBound..<end.lowerBound)
            try Data(text.utf8).write(to: news)
            try await halo.house.rebind(House.issuer, more: HaloHouse.more(folder))
            #expect(
                try await halo.names(#"{"moduleName":"News","sort":"name"}"#) == [
                    "Mine", "The late shift", "changed here",
                ]
            )
            let since = try await halo.send(
                "POST",
                "generalcontent/instance/sync",
                #"{"moduleName":"News","fromSync":\#(moment)}"#
            ).json
            #expect(since["updated"]?.array?.count == 1 && since["deleted"]?.array?.count == 1)
        }
    }

    @Test("a restart updates modules with changed files, and removes modules whose files are gone")
    func modules() async throws {
        let (folder, clock) = (try HaloHouse.folder(), HandClock())
        let content = folder.url.appendingPathComponent("content")
        let rooms = #"{ "fields": { "name": "text" }, "instances": { "attic": { "values": { "name": "Attic" } } } }"#
        try Data(rooms.utf8).write(to: content.appendingPathComponent("rooms.json"))
        let (news, wards) = (Mutable(JSONValue.null), Mutable(JSONValue.null))
        try await HaloHouse.run(in: folder, clock: clock) { halo in
            (news.value, wards.value) = (try await halo.module("News"), try await halo.module("wards"))
            #expect(news.value["createdAt"]?.integer != nil && news.value["updatedAt"]?.integer == nil)
            #expect(try await halo.names(#"{"moduleName":"rooms"}"#) == ["attic"])
        }
        try FileManager.default.removeItem(at: content.appendingPathComponent("rooms.json"))
        let more = HaloHouse.news.replacingOccurrences(of: "likes: number", with: "likes: number\n  stars: number")
        try Data(more.utf8).write(to: content.appendingPathComponent("news.yaml"))
        clock.pass(.seconds(1))
        try await HaloHouse.run(in: folder, clock: clock) { halo in
            #expect(try await halo.module("wards").text() == wards.value.text())
            let changed = try await halo.module("News")
            #expect(changed["id"]?.string == news.value["id"]?.string)
            #expect(changed["createdAt"]?.integer == news.value["createdAt"]?.integer)
            #expect(changed["updatedAt"]?.integer != nil)
            let list = try await halo.get("generalcontent/module?skip=true").json.array ?? []
            #expect(list.compactMap { $0["name"]?.string }.sorted() == ["News", "wards"])
            #expect(try await halo.names(#"{"moduleName":"rooms"}"#) == [])
            #expect(try await halo.names(#"{"metaSearch":{"property":"name","operation":"=","value":"attic"}}"#) == [])
        }
    }

    @Test("a missing folder is rejected with its line, and removes no instances")
    func missing() async throws {
        let folder = try HaloHouse.folder()
        try await HaloHouse.run(in: folder) { halo in
            let all = #"{"moduleName":"News","sort":"name"}"#
            let before = try await halo.names(all)
            let gone = "  content: { directory: gone }"
            let fault = await #expect(throws: Fault.self) { try await halo.house.rebind(House.issuer, more: gone) }
            #expect(fault?.reason == "the folder 'gone' does not exist")
            #expect(fault?.origin?.place.hasPrefix("file.yaml:7:") == true)
            #expect(try await halo.names(all) == before && before.count == 3)
        }
    }

    @Test("restored files restore their instances, and deleted instances stay deleted")
    func back() async throws {
        let folder = try HaloHouse.folder()
        let news = folder.url.appendingPathComponent("content/news.yaml")
        try await HaloHouse.run(in: folder) { halo in
            let all = #"{"moduleName":"News","sort":"name"}"#
            let before = try await halo.names(all)
            let plain = try await halo.id("plain")
            #expect(try await halo.send("DELETE", "generalcontent/instance/\(plain)", "").status < 300)
            try FileManager.default.removeItem(at: news)
            try await halo.house.rebind(House.issuer, more: HaloHouse.more(folder))
            #expect(try await halo.get("generalcontent/module?skip=true").json.array?.count == 1)
            try Data(HaloHouse.news.utf8).write(to: news)
            try await halo.house.rebind(House.issuer, more: HaloHouse.more(folder))
            #expect(try await halo.names(all) == before.filter { $0 != "plain" })
        }
    }

    @Test("environments have separate content")
    func apart() async throws {
        let folder = try HaloHouse.folder()
        try await HaloHouse.run(in: folder) { halo in
            let module = try #require(try await halo.module("News")["id"]?.string)
            _ = try await halo.send("POST", "generalcontent/instance", #"{"name":"Mine","module":"\#(module)"}"#)
            try await halo.house.rebind(House.issuer, more: HaloHouse.more(folder), named: "stage")
            let other = HaloHouse(house: halo.house, web: halo.web, token: try await HaloHouse.appToken(halo.web))
            #expect(try await other.names(#"{"moduleName":"News"}"#).contains("Mine") == false)
            #expect(try await halo.get("generalcontent/module").status == 401)
            try await halo.house.rebind(House.issuer, more: HaloHouse.more(folder))
            #expect(try await halo.names(#"{"moduleName":"News"}"#).contains("Mine"))
        }
    }

    @Test("problems of files are reported together with line and column, and stop nothing")
    func wrong() async throws {
        let folder = try HaloHouse.folder()
        let news = folder.url.appendingPathComponent("content/news.yaml")
        try await HaloHouse.run(in: folder) { halo in
            try Data("modul: x\n".utf8).write(to: news)
            await #expect(throws: (any Error).self) {
                try await halo.house.rebind(House.issuer, more: HaloHouse.more(folder))
            }
            #expect(try await halo.names(#"{"moduleName":"News"}"#).count == 3)
        }
        let text = """
            module: News
            sinle: true
            fields: { title: txt, ward: { type: relation }, likes: number }
            instances:
              a: { values: { titel: x, likes: many }, publishedAt: yesterday }
              b: 17
            """
        try Data(text.utf8).write(to: news)
        let formats = Shipped.loader.formats
        let content = folder.url.appendingPathComponent("content").path
        let (_, problems) = try ContentSeeds.read(content, formats) { _ in String(repeating: "0", count: 64) }
        let told = problems.map { problem in
            "\(problem.place?.start.line ?? 0):\(problem.place?.start.column ?? 0) \(problem.message)"
        }
        #expect(told.contains { $0.hasPrefix("2:1 unknown key 'sinle'") })
        #expect(told.contains { $0.hasPrefix("3:18 found 'txt', expected 'text'") })
        #expect(told.contains { $0.hasPrefix("3:29 the field 'ward' has no module") })
        #expect(told.contains { $0.hasPrefix("5:25 'titel' is not a field of module 'News'") })
        #expect(told.contains { $0.hasPrefix("5:35 'likes': expected a number") })
        #expect(told.contains { $0.hasPrefix("5:56 found 'yesterday', expected a timestamp") })
        #expect(told.contains { $0.hasPrefix("6:6 an instance: found '17', expected a mapping") })
    }
}
