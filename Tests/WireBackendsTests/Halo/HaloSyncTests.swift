import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("HALO's delta sync", .timeLimit(.minutes(2)))
struct HaloSyncTests {
    private func sync(_ halo: HaloHouse, from moment: Int?, _ more: String = "") async throws -> JSONValue {
        let from = moment.map { #","fromSync":\#($0)"# } ?? ""
        let answer = try await halo.send(
            "POST",
            "generalcontent/instance/sync",
            #"{"moduleName":"News"\#(from)\#(more)}"#
        )
        guard answer.status == 200 else { throw Web.Failure(text: answer.text) }
        return answer.json
    }

    private func told(_ json: JSONValue) -> [[String]] {
        ["created", "updated"].map { name in (json[name]?.array ?? []).compactMap { $0["name"]?.string }.sorted() }
            + [(json["deleted"]?.array ?? []).compactMap { $0["id"]?.string }]
    }

    @Test("the first sync returns everything, later ones each change once")
    func changes() async throws {
        try await HaloHouse.run { halo in
            let first = try await sync(halo, from: nil)
            #expect(told(first) == [["The canteen is closed", "The night shift", "plain"], [], []])
            var moment = try #require(first["syncTimestamp"]?.integer)
            #expect(told(try await sync(halo, from: moment)) == [[], [], []])
            let module = try #require(try await halo.module("News")["id"]?.string)
            let canteen = try await halo.id("The canteen is closed")
            // All of it in one moment of the clock, which stands still.
            _ = try await halo.send("POST", "generalcontent/instance", #"{"name":"New","module":"\#(module)"}"#)
            _ = try await halo.send(
                "PUT",
                "generalcontent/instance/\(try await halo.id("plain"))",
                #"{"name":"fancy"}"#
            )
            _ = try await halo.web.ask(
                "DELETE",
                "/api/generalcontent/instance/\(canteen)",
                ["Authorization: Bearer \(halo.token)"]
            )
            let second = try await sync(halo, from: moment)
            #expect(told(second) == [["New"], ["fancy"], [canteen]])
            moment = try #require(second["syncTimestamp"]?.integer)
            #expect(told(try await sync(halo, from: moment)) == [[], [], []])
            // What came and went between two looks was never there.
            #expect(told(try await sync(halo, from: nil)) == [["New", "The night shift", "fancy"], [], []])
        }
    }

    @Test("a sync during writes misses no change")
    func meanwhile() async throws {
        try await HaloHouse.run { halo in
            let module = try #require(try await halo.module("News")["id"]?.string)
            var moment = try #require(try await sync(halo, from: nil)["syncTimestamp"]?.integer)
            let done = OneShot()
            async let making: Void = {
                for number in 0..<100 {
                    let body = #"{"name":"n\#(number)","module":"\#(module)"}"#
                    _ = try await halo.send("POST", "generalcontent/instance", body)
                }
                done.fire()
            }()
            var (seen, isLast) = (Set<String>(), false)
            while true {
                let json = try await sync(halo, from: moment)
                seen.formUnion(told(json)[0])
                moment = try #require(json["syncTimestamp"]?.integer)
                if isLast { break }
                isLast = done.hasFired
            }
            try await making
            #expect(seen.count == 100)
        }
    }

    @Test("instances appear and disappear at their publication and removal times")
    func moments() async throws {
        try await HaloHouse.run { halo in
            let module = try #require(try await halo.module("News")["id"]?.string)
            let now = Int(halo.house.clock.clockwork.wall())
            let body =
                #"{"name":"Soon","module":"\#(module)","publishedAt":\#(now + 60_000),"removedAt":\#(now + 120_000)}"#
            let id = try #require(
                try await halo.send("POST", "generalcontent/instance", body).json["id"]?.string
            )
            var moment = try #require(try await sync(halo, from: nil)["syncTimestamp"]?.integer)
            #expect(try await halo.names(#"{"instanceIds":["\#(id)"]}"#) == [])
            halo.house.clock.pass(.seconds(61))
            let second = try await sync(halo, from: moment)
            #expect(told(second) == [["Soon"], [], []])
            #expect(try await halo.names(#"{"instanceIds":["\#(id)"]}"#) == ["Soon"])
            moment = try #require(second["syncTimestamp"]?.integer)
            halo.house.clock.pass(.seconds(60))
            #expect(told(try await sync(halo, from: moment)) == [[], [], [id]])
        }
    }

    @Test("deletions survive a restart; texts are returned in the requested locale")
    func restart() async throws {
        let (folder, clock) = (try HaloHouse.folder(), HandClock())
        let (moment, id) = (Mutable(0), Mutable(""))
        try await HaloHouse.run(in: folder, clock: clock) { halo in
            moment.value = try #require(try await sync(halo, from: nil)["syncTimestamp"]?.integer)
            id.value = try await halo.id("The canteen is closed")
            _ = try await halo.web.ask(
                "DELETE",
                "/api/generalcontent/instance/\(id.value)",
                ["Authorization: Bearer \(halo.token)"]
            )
        }
        try await HaloHouse.run(in: folder, clock: clock) { halo in
            #expect(told(try await sync(halo, from: moment.value)) == [[], [], [id.value]])
            let german = try await sync(halo, from: nil, #","locale":"de-DE""#)
            let titles = german["created"]?.array?.compactMap { $0["values"]?["title"]?.string }
            #expect(titles == ["Die Nachtschicht"])
        }
    }
}
