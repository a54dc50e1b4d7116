import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireContent
import WireContentContract
import WireDeviceContract
import WireHTTP
import WireNetworkContract

/// Searches at the server, and in what is stored.
@Suite("Content search")
struct SearchTests {
    @Test("a search is sent in the server's format, with defaults of the file")
    func wire() async throws {
        let section = """
            modules: { news: { id: m1 } }
            locale: en-US
            pageSize: 20
            cache: { serverMaxAge: 60s }
            segmentation: { mode: total, tags: { ward: 3B } }
            """
        let tags = [DeviceTag("Device Model", "cart", kind: .system), DeviceTag("ward", "9")]
        let device = KnownDevice(id: nil, alias: "a", email: nil, tags: tags, tokens: [])
        let shop = try await Workshop(section, device: device)
        shop.server.say(
            "POST instance/search",
            #"{"pagination":{"page":2,"limit":20,"offset":20,"totalItems":21,"totalPages":2},"items":[{"id":"a"}]}"#
        )
        var asked = try query(where: "price > 10 and open = true")
        asked.meta = try FilterExpression.filter("name like 'x'")
        asked.relations = [.init("author", to: ["b", "a", "b"]), .init("shop")]
        asked.fields = ["title"]
        asked.include = .all
        asked.paging = .init(page: 2)
        asked.sort = [.init(.name), .init(.createdAt, descending: true)]
        let answer = try await shop.service.search(asked)
        let request = try #require(shop.server.asked("POST instance/search").first)
        #expect(
            request.json.text()
                == #"{"moduleIds":["m1"],"relatedTo":[{"fieldName":"author","instanceIds":["a","b"]},{"fieldName":"shop","instanceIds":["*"]}],"searchValues":{"condition":"and","operands":[{"operation":">","property":"price","value":10,"type":"number"},{"operation":"=","property":"open","value":true,"type":"string"}]},"metaSearch":{"operation":"like","property":"name","value":"x","type":"string"},"fields":["title"],"segmentTags":[{"name":"ward","value":"3B","tagType":"000000000000000000000002"},{"name":"Device Model","value":"cart","tagType":"000000000000000000000001"}],"segmentMode":"total","include":["all"],"pagination":{"page":2,"limit":20,"skip":"false"},"sort":"name asc,createdAt desc","locale":"en-US"}"#
        )
        #expect(request.fields["to-cache"] == "60")
        #expect(
            answer.text
                == #"{"pagination":{"page":2,"limit":20,"offset":20,"totalItems":21,"totalPages":2},"items":[{"id":"a"}]}"#
        )
        #expect(answer.fact == .miss)
    }

    @Test(
        "device tags are added if the request or the file wants them, and the request has none",
        arguments: [
            ("", nil, [], []), ("", true, [], ["model"]), ("", true, ["x"], ["x", "model"]), ("", false, ["x"], ["x"]),
            ("segmentation: { mode: total }", nil, [], ["model"]), ("segmentation: { mode: total }", nil, ["x"], ["x"]),
            ("segmentation: { mode: total }", false, [], []), ("segmentation: { deviceTags: false }", true, [], []),
            ("segmentation: { deviceTags: false, tags: { ward: 3B } }", nil, [], ["ward"]),
            ("segmentation: { tags: { model: own } }", nil, [], ["model=own"]),
        ] as [(String, Bool?, [String], [String])]
    )
    func segmentation(section: String, byDevice: Bool?, own: [String], tags: [String]) throws {
        let rules = try File.rules("url: https://content.example.com\nauthenticated: false\n\(section)")
        var asked = ContentQuery()
        asked.segmentsByDevice = byDevice
        asked.tags = own.map { ContentTag($0, nil) }
        let filled = try rules.filled(asked, device: [ContentTag("model", nil)])
        #expect(filled.tags.map { tag in tag.name == "model" && tag.value != nil ? "model=own" : tag.name } == tags)
    }

    @Test(
        "an array instead of a page, and numbers as text, are accepted",
        arguments: [
            (#"[{"id":"a"},{"id":"b"}]"#, #"{"page":3,"limit":50,"offset":100,"totalItems":102,"totalPages":3}"#),
            (
                #"{"pagination":{"page":2,"limit":9223372036854775807},"items":[{"id":"a"}]}"#,
                #"{"page":2,"limit":9223372036854775807,"offset":9223372036854775807,"totalItems":1,"totalPages":1}"#
            ),
            (#"{"items":[]}"#, #"{"page":3,"limit":50,"offset":100,"totalItems":100,"totalPages":2}"#),
            (
                #"{"pagination":{"page":"1","limit":"10","totalItems":"1"},"items":[{ "id" : "a" }]}"#,
                #"{"page":1,"limit":10,"offset":0,"totalItems":1,"totalPages":1}"#
            ),
        ]
    )
    func pages(answer: String, pagination: String) async throws {
        let shop = try await Workshop()
        shop.server.say("POST instance/search", answer)
        var asked = try query()
        asked.paging = .init(page: 3)
        let found = try await shop.service.search(asked)
        #expect(found.json["pagination"]?.text() == pagination)
    }

    @Test("a stored result is returned while the server is unreachable, for an equal query in any order")
    func cached() async throws {
        let shop = try await Workshop("pageSize: 10")
        shop.server.say("POST instance/search", #"[{"id":"a"}]"#)
        var asked = ContentQuery()
        asked.moduleNames = ["B", "A"]
        #expect(try await shop.service.search(asked).fact == .miss)
        shop.requests.goOffline()
        shop.clock.pass(.seconds(90))
        asked.moduleNames = ["A", "B", "A"]
        let answer = try await shop.service.search(asked)
        #expect(answer.fact.text == "stale; age=90; because=offline")
        #expect(answer.json["items"]?.text() == #"[{"id":"a"}]"#)
        let local = try await shop.service.search(asked, policy: .returnLocalDataDontLoad)
        #expect(local.fact.text == "stale; age=90; because=policy")
        asked.paging = .init(page: 2)
        await #expect(throws: ContentFailure.self) { try await shop.service.search(asked) }
        #expect(shop.server.asked("POST instance/search").count == 1)
    }

    @Test("a cached result is used no longer than the file allows")
    func maxAge() async throws {
        let shop = try await Workshop("cache: { maxAge: 60s, serverMaxAge: 10s }")
        shop.server.say("POST instance/search", #"[{"id":"a"}]"#)
        var asked = ContentQuery()
        asked.moduleNames = ["A"]
        _ = try await shop.service.search(asked)
        let local = OfflinePolicy.returnLocalDataDontLoad
        #expect(try await shop.service.search(asked, policy: local).fact.text == "hit; age=0")
        shop.clock.pass(.seconds(10))
        #expect(try await shop.service.search(asked, policy: local).fact.text == "hit; age=10")
        shop.clock.pass(.seconds(1))
        #expect(try await shop.service.search(asked, policy: local).fact.text == "stale; age=11; because=policy")
        shop.clock.pass(.seconds(49))
        #expect(try await shop.service.search(asked, policy: local).fact.text == "stale; age=60; because=policy")
        shop.clock.pass(.seconds(1))
        await #expect(throws: ContentFailure.self) { try await shop.service.search(asked, policy: local) }
    }

    @Test("a policy of none stores and returns nothing from the cache")
    func none() async throws {
        let shop = try await Workshop("")
        shop.server.say("POST instance/search", #"[{"id":"a"}]"#)
        var asked = ContentQuery()
        asked.moduleNames = ["A"]
        #expect(try await shop.service.search(asked, policy: OfflinePolicy.none).fact == .bypass)
        shop.requests.goOffline()
        await #expect(throws: ContentFailure.self) { try await shop.service.search(asked) }
        shop.requests.goOnline()
        _ = try await shop.service.search(asked)
        shop.requests.goOffline()
        await #expect(throws: ContentFailure.self) { try await shop.service.search(asked, policy: OfflinePolicy.none) }
    }

    @Test(
        "a failing server is covered by the cache, a rejection is not",
        arguments: [
            (500, true), (503, true), (429, true), (408, true), (400, false), (403, false), (404, false), (401, false),
        ]
    )
    func refusals(status: Int, isCovered: Bool) async throws {
        let shop = try await Workshop("")
        shop.server.say("POST instance/search", #"[{"id":"a"}]"#)
        var asked = ContentQuery()
        asked.moduleNames = ["A"]
        _ = try await shop.service.search(asked)
        shop.server.say("POST instance/search", status, #"{"error":{"message":"no\u001b[31m!"}}"#)
        do throws(ContentFailure) {
            let answer = try await shop.service.search(asked)
            #expect(isCovered)
            #expect(answer.fact.text == "stale; age=0; because=error")
        } catch {
            #expect(!isCovered)
            #expect(error.reason.hasSuffix(#": no\u{1b}[31m!"#))
        }
    }

    @Test("a search of the copy supports the server's filters, order, pages and fields")
    func offline() async throws {
        let shop = try await Workshop()
        let items = [
            #"{"id":"1","name":"Zebra","createdAt":1000,"tags":[{"name":"ward","value":"3B"}],"values":{"price":5,"title":"Black and white","open":true,"author":"p1","kinds":["x","y"]}}"#,
            #"{"id":"2","name":"ant","createdAt":"1970-01-01T00:00:03Z","values":{"price":20.5,"title":"Small","open":"false","author":["p2"]}}"#,
            #"{"id":"3","name":"Zebra","createdAt":2000,"values":{"price":20,"title":null,"deep":{"er":7}}}"#,
            #"{"id":"4","values":{"price":"7"}}"#,
        ]
        shop.server.say(
            "POST instance/sync",
            inTurn: [
                #"{"syncTimestamp":1,"created":[\#(items.joined(separator: ","))]}"#, #"{"syncTimestamp":2}"#,
            ]
        )
        _ = try await shop.service.sync()
        let local = OfflinePolicy.returnLocalDataDontLoad
        for (filter, ids) in [
            ("price > 10", ["2", "3"]), ("price >= 20 and price < 20.5", ["3"]), ("price = 7", []),
            ("price = '7'", ["4"]),
            ("price != 5", ["2", "3", "4"]), ("open = true", ["1"]), ("open = 'true'", ["1"]), ("open = false", ["2"]),
            ("title like 'SMALL'", ["2"]), ("title = null", ["3", "4"]), ("title != null", ["1", "2"]),
            ("kinds = 'y'", ["1"]), ("kinds in ('z', 'x')", ["1"]), ("kinds !in ('x')", ["2", "3", "4"]),
            ("price <= 20", ["1", "3"]), ("title like 'WHITE'", ["1"]),
            ("title like 'a text that is longer than any title here'", []),
            ("deep.er = 7", ["3"]), ("price in (5, 20)", ["1", "3"]), ("price < 6 or price > 20", ["1", "2"]),
            ("(price < 6 or price > 20) and open = true", ["1"]), ("title > 'C'", ["2"]), ("nothing > 1", []),
        ] {
            #expect(try await shop.ids(query(where: filter), policy: local) == ids, "\(filter)")
        }
        var asked = try query()
        asked.sort = [.init(.name), .init(.createdAt, descending: true)]
        #expect(try await shop.ids(asked, policy: local) == ["4", "3", "1", "2"])
        asked.sort = [.init(.createdAt, descending: true)]
        #expect(try await shop.ids(asked, policy: local) == ["2", "3", "1", "4"])
        asked.paging = .init(page: 2, limit: 3)
        let page = try await shop.service.search(asked, policy: local)
        #expect(page.json["pagination"]?.text() == #"{"page":2,"limit":3,"offset":3,"totalItems":4,"totalPages":2}"#)
        #expect(try await shop.ids(asked, policy: local) == ["4"])
        asked.paging = .init(isSkipped: true)
        let whole = try await shop.service.search(asked, policy: local)
        #expect(whole.json["pagination"]?.text() == #"{"page":1,"limit":4,"offset":0,"totalItems":4,"totalPages":1}"#)
        asked.paging = .init(page: 1_000_000, limit: 1_000)
        #expect(try await shop.ids(asked, policy: local) == [])
        asked = try query()
        asked.meta = try FilterExpression.filter("createdAt >= '1970-01-01T00:00:02Z'")
        #expect(try await shop.ids(asked, policy: local) == ["2", "3"])
        asked = try query()
        asked.relations = [.init("author")]
        #expect(try await shop.ids(asked, policy: local) == ["1", "2"])
        asked.relations = [.init("author", to: ["p2"])]
        #expect(try await shop.ids(asked, policy: local) == ["2"])
        asked = try query()
        asked.tags = [ContentTag("ward", "3B"), ContentTag("x", "y")]
        #expect(try await shop.ids(asked, policy: local) == ["1"])
        asked.tagMode = .total
        #expect(try await shop.ids(asked, policy: local) == [])
        asked.tags = [ContentTag("ward", "9")]
        #expect(try await shop.ids(asked, policy: local) == [])
        asked.tags = [ContentTag("ward", nil)]
        #expect(try await shop.ids(asked, policy: local) == ["1"])
        asked = try query()
        asked.instanceIDs = ["3", "9"]
        asked.fields = ["deep"]
        let shaped = try await shop.service.search(asked, policy: local)
        #expect(
            shaped.json["items"]?.text() == #"[{"id":"3","name":"Zebra","createdAt":2000,"values":{"deep":{"er":7}}}]"#
        )
        #expect(try await shop.service.instance("2", policy: local).string == items[1])
    }

    @Test("a language is selected from a copy with all languages, and a missing one is reported")
    func languages() async throws {
        let shop = try await Workshop("modules: { all: { name: All }, en: { name: En, locale: en-US } }")
        shop.server.say("POST instance/sync") { asked in
            let title =
                asked.json["locale"] == nil ? #"{"en-US":"Hello","de-DE":"Hallo"}"# : #""Hello""#
            return .json(200, #"{"syncTimestamp":1,"created":[{"id":"a","values":{"title":\#(title),"n":1}}]}"#)
        }
        _ = try await shop.service.sync()
        let local = OfflinePolicy.returnLocalDataDontLoad
        var asked = try query("all", where: "title = 'Hallo'")
        asked.locale = "de-DE"
        let german = try await shop.service.search(asked, policy: local)
        #expect(german.json["items"]?.text() == #"[{"id":"a","values":{"title":"Hallo","n":1}}]"#)
        asked = try query("en")
        #expect(try await shop.ids(asked, policy: local) == ["a"])
        asked.locale = "de-DE"
        do throws(ContentFailure) {
            _ = try await shop.service.search(asked, policy: local)
            Issue.record("it was answered")
        } catch {
            #expect(error.kind == .notStored)
            #expect(
                error.reason == "no stored content for this search: the module 'En' is kept in 'en-US', not in 'de-DE'"
            )
        }
    }

    @Test("references are resolved as far as their targets are stored")
    func include() async throws {
        let shop = try await Workshop("modules: { news: { name: News }, people: { name: People } }")
        shop.server.say("POST instance/sync") { asked in
            let items =
                asked.json["moduleName"]?.string == "News"
                ? #"{"id":"n1","values":{"author":"p1","others":["p1","p9"],"title":"t"}}"#
                : #"{"id":"p1","values":{"name":"Ada"}}"#
            return .json(200, #"{"syncTimestamp":1,"created":[\#(items)]}"#)
        }
        _ = try await shop.service.sync()
        var asked = try query()
        asked.include = .fields(["others"])
        let answer = try await shop.service.search(asked, policy: .returnLocalDataDontLoad)
        #expect(answer.unresolved == 1)
        #expect(
            answer.json["items"]?.text()
                == #"[{"id":"n1","values":{"author":"p1","others":[{"id":"p1","values":{"name":"Ada"}},"p9"],"title":"t"}}]"#
        )
        asked.include = .all
        let all = try await shop.service.search(asked, policy: .returnLocalDataDontLoad)
        #expect(
            all.json["items"]?.text()
                == #"[{"id":"n1","values":{"author":{"id":"p1","values":{"name":"Ada"}},"others":[{"id":"p1","values":{"name":"Ada"}},"p9"],"title":"t"}}]"#
        )
        // Of what nobody has named it is not known that it is a reference.
        #expect(all.unresolved == 0)
    }

    @Test("repeated references are resolved up to a limit", .timeLimit(.minutes(5)))
    func manyReferences() async throws {
        let shop = try await Workshop("modules: { news: { name: News } }")
        let big = String(repeating: "x", count: 1 << 20)
        let names = Array(repeating: #""p1""#, count: 20_000).joined(separator: ",")
        shop.server.say("POST instance/sync") { _ in
            let items = #"{"id":"n1","values":{"others":[\#(names)]}},{"id":"p1","values":{"text":"\#(big)"}}"#
            return .json(200, #"{"syncTimestamp":1,"created":[\#(items)]}"#)
        }
        _ = try await shop.service.sync()
        var asked = try query()
        asked.include = .all
        let all = try await shop.service.search(asked, policy: .returnLocalDataDontLoad)
        // Room for 63 of them, and the instance itself: so large that reading it would take longest of all.
        #expect((64 << 20..<65 << 20).contains(all.bytes.count))
        let beginning = String(decoding: all.bytes.prefix(300), as: UTF8.self)
        #expect(beginning.contains(#""others":[{"id":"p1","values":{"text":"x"#))
        let end = String(decoding: all.bytes.dropLast(big.utf8.count + 5).suffix(60), as: UTF8.self)
        #expect(end.hasSuffix(#","p1","p1"]}},{"id":"p1","values":{"text":""#))
    }

    @Test(
        "an offline search that cannot be answered reports why",
        arguments: [
            ("other", "the module 'other' has no copy"), ("news", "the module 'news' has not been loaded yet"),
        ]
    )
    func unanswerable(module: String, reason: String) async throws {
        let shop = try await Workshop()
        let asked = try query(module)
        do throws(ContentFailure) {
            _ = try await shop.service.search(asked, policy: .returnLocalDataDontLoad)
            Issue.record("it was answered")
        } catch let failure {
            #expect(failure.kind == .notStored)
            #expect(failure.reason == "no stored content for this search: \(reason)")
        }
    }

    @Test("copies over the memory limit are searched from disk")
    func memory() async throws {
        let shop = try await Workshop("maxMemory: 1MiB\nmodules: { a: { name: A }, b: { name: B } }")
        shop.server.say("POST instance/sync") { asked in
            let items = (0..<2_000).map {
                #"{"id":"\#(asked.json["moduleName"]?.string ?? "")\#($0)","values":{"n":\#($0)}}"#
            }
            return .json(200, #"{"syncTimestamp":1,"created":[\#(items.joined(separator: ","))]}"#)
        }
        _ = try await shop.service.sync()
        for module in ["a", "b", "a"] {
            let found = try await shop.ids(query(module, where: "n = 1999"), policy: .returnLocalDataDontLoad)
            #expect(found == ["\(module.uppercased())1999"])
            // One of them has room, and both have not.
            #expect((1 << 19...1 << 20).contains(shop.service.memory.bytes))
        }
    }
}
