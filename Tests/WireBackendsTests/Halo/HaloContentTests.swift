import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("HALO's content", .timeLimit(.minutes(2)))
struct HaloContentTests {
    @Test("modules are returned by pages with HALO's members, or all at once, with fields on request")
    func modules() async throws {
        try await HaloHouse.run { halo in
            let page = try await halo.get("generalcontent/module?limit=1&page=2").json
            #expect(
                page["pagination"]?.text()
                    == #"{"page":2,"limit":1,"offset":1,"totalItems":2,"totalPages":2}"#
            )
            let module = try #require(page["items"]?.array?.first)
            let expected = [
                "name", "externalId", "isSingle", "customerId", "createdBy", "tags", "pushTemplates", "importers",
                "exporters", "deletedAt", "updatedBy", "deletedBy", "createdAt", "updatedAt", "id",
            ]
            #expect(module.members?.map(\.key) == expected)
            let news = try await halo.module("News")
            #expect(news["fields"]?.array?.compactMap { $0["name"]?.string }.contains("title") == true)
            let id = try #require(news["id"]?.string)
            #expect(id.utf8.count == 24)
            #expect(try await halo.get("generalcontent/module/\(id)").json["name"]?.string == "News")
            #expect(try await halo.get("generalcontent/module/nothing").status == 404)
            #expect(try await halo.get("generalcontent/module?limit=0").status == 400)
        }
    }

    @Test(
        "a search finds the instances of its body",
        arguments: [
            (#"{"moduleName":"News","sort":"name asc"}"#, ["The canteen is closed", "The night shift", "plain"]),
            (#"{"moduleNames":["wards"],"sort":"name desc"}"#, ["green", "blue"]),
            (#"{"moduleName":"Nobody"}"#, []),
            (#"{"searchValues":{"property":"likes","operation":">","value":2,"type":"number"}}"#, ["The night shift"]),
            (
                #"{"searchValues":{"property":"likes","operation":">=","value":"2","type":"number"},"sort":"name"}"#,
                ["The canteen is closed", "The night shift"]
            ),
            (
                #"{"searchValues":{"property":"pinned","operation":"=","value":true,"type":"string"}}"#,
                ["The night shift"]
            ),
            (
                #"{"searchValues":{"property":"likes","operation":"=","value":null,"type":"null"},"moduleName":"News"}"#,
                ["plain"]
            ),
            (
                #"{"searchValues":{"property":"likes","operation":"in","value":[2,3],"type":"number"}}"#,
                ["The canteen is closed"]
            ),
            (
                #"{"moduleName":"News","searchValues":{"property":"likes","operation":"!in","value":[2,3],"type":"number"},"sort":"name"}"#,
                ["The night shift", "plain"]
            ),
            (
                #"{"locale":"de","searchValues":{"property":"title","operation":"like","value":"nachts","type":"string"}}"#,
                ["The night shift"]
            ),
            (
                #"{"metaSearch":{"condition":"or","operands":[{"property":"name","operation":"=","value":"blue"},{"condition":"and","operands":[{"property":"name","operation":"like","value":"CANT"},{"property":"deletedAt","operation":"=","value":null,"type":"null"}]}]},"sort":"name asc"}"#,
                ["The canteen is closed", "blue"]
            ),
            (#"{"segmentTags":[{"name":"ward","value":"3B"},{"name":"ward2","value":"x"}]}"#, ["The night shift"]),
            (
                #"{"segmentTags":[{"name":"ward","value":"3B"},{"name":"role","value":"nurse"}],"segmentMode":"total"}"#,
                ["The night shift"]
            ),
            (
                #"{"segmentTags":[{"name":"ward","value":"3B"},{"name":"role","value":"cook"}],"segmentMode":"total"}"#,
                []
            ),
            (
                #"{"relatedTo":[{"fieldName":"ward","instanceIds":["*"]}],"sort":"name asc"}"#,
                ["The canteen is closed", "The night shift"]
            ),
            (#"{"moduleName":"News","pagination":{"page":2,"limit":2},"sort":"name asc"}"#, ["plain"]),
            (#"{"moduleName":"wards","pagination":{"skip":"true"},"sort":"name asc"}"#, ["blue", "green"]),
        ]
    )
    func search(body: String, names: [String]) async throws {
        try await HaloHouse.run { halo in
            let found = try await halo.names(body)
            #expect(found == names)
        }
    }

    @Test("an instance has HALO's members, and a search formats its values")
    func shapes() async throws {
        try await HaloHouse.run { halo in
            let path = "generalcontent/instance/search"
            let plain = try await halo.send("POST", path, #"{"moduleName":"News","sort":"name asc"}"#).json
            let night = try #require(plain["items"]?.array?.first { $0["name"]?.string == "The night shift" })
            let expected = [
                "name", "module", "tags", "archivedAt", "removedAt", "publishedAt", "createdBy", "customerId", "values",
                "pushSchedule", "externalId", "revision", "createdAt", "updatedAt", "deletedAt", "updatedBy",
                "deletedBy", "id",
            ]
            #expect(night.members?.map(\.key) == expected)
            #expect(night["values"]?["title"]?["en"]?.string == "The night shift")
            #expect(night["values"]?["day"]?.integer == 1_769_817_600_000)
            let shaped = try await halo.send(
                "POST",
                path,
                #"{"moduleName":"News","fields":["title","ward"],"locale":"de-AT","include":["all"],"sort":"name asc"}"#
            ).json
            let values = try #require(
                shaped["items"]?.array?.first { $0["name"]?.string == "The night shift" }?["values"]
            )
            #expect(values.members?.map(\.key) == ["title", "ward"])
            #expect(values["title"]?.string == "Die Nachtschicht")
            #expect(values["ward"]?.array?.first?["values"]?["name"]?.string == "Blue")
            let blue = try await halo.id("blue")
            let related = #"{"relatedTo":[{"fieldName":"ward","instanceIds":["\#(blue)"]}],"sort":"name asc"}"#
            #expect(try await halo.names(related) == ["The canteen is closed", "The night shift"])
        }
    }

    @Test(
        "an invalid search is rejected in HALO's format, with the member",
        arguments: [
            (#"{"modulName":"News"}"#, "modulName", "undefined_attribute"),
            (#"{"sort":"likes asc"}"#, "sort", nil), (#"{"sort":"name up"}"#, "sort", nil),
            (#"{"pagination":{"limit":0}}"#, "pagination.limit", nil),
            (#"{"pagination":{"skip":"yes"}}"#, "pagination.skip", nil),
            (#"{"segmentMode":"most"}"#, "segmentMode", nil),
            (#"{"searchValues":{"property":"x","operation":"~","value":1}}"#, "searchValues.operation", nil),
            (#"{"searchValues":{"property":"x","operation":"in","value":1}}"#, "searchValues.value", nil),
            (#"{"searchValues":{"property":"x","operation":"like","value":7}}"#, "searchValues.value", nil),
            (#"{"searchValues":{"condition":"and","operands":[]}}"#, "searchValues.operands", nil),
            (#"{"metaSearch":{"property":"likes","operation":"=","value":1}}"#, "metaSearch", nil),
            ("[]", "body", nil), ("{", "body", nil),
        ]
    )
    func refusals(body: String, member: String, flaw: String?) async throws {
        try await HaloHouse.run { halo in
            let answer = try await halo.send("POST", "generalcontent/instance/search", body)
            #expect(answer.status == 400)
            let error = try #require(answer.json["error"])
            #expect(error["type"]?.string == "HaloError")
            #expect(error["message"]?.string == "One or more fields have validation problems")
            let told = try #require(error["extra"]?[member]?.string, "\(error.text())")
            if let flaw { #expect(told == flaw) }
        }
    }

    @Test("instances are created, changed and deleted, with only the fields of their module")
    func editing() async throws {
        try await HaloHouse.run { halo in
            let module = try #require(try await halo.module("News")["id"]?.string)
            let path = "generalcontent/instance"
            let body =
                #"{"name":"New","module":"\#(module)","values":{"title":"x","likes":1},"tags":[{"name":"a","value":"b"}]}"#
            let made = try await halo.send("POST", path, body)
            #expect(made.status == 201 && made.json["createdBy"]?.string == "server")
            let id = try #require(made.json["id"]?.string)
            #expect(try await halo.get("\(path)/\(id)").json["name"]?.string == "New")
            let changed = try await halo.send("PUT", "\(path)/\(id)", #"{"name":"Newer","updatedAt":null}"#).json
            #expect(changed["name"]?.string == "Newer" && changed["values"]?["likes"]?.integer == 1)
            #expect(changed["updatedBy"]?.string == "server")
            let stale = try await halo.send("PUT", "\(path)/\(id)", #"{"name":"Older","updatedAt":17}"#)
            #expect(stale.status == 409)
            #expect(stale.json["error"]?["extra"]?["instance"]?["name"]?.string == "Newer")
            let seen = try #require(changed["updatedAt"]?.integer)
            #expect(try await halo.send("PUT", "\(path)/\(id)", #"{"name":"N3","updatedAt":\#(seen)}"#).status == 200)
            let wrong = try await halo.send("PUT", "\(path)/\(id)", #"{"values":{"stars":1,"likes":"many"}}"#).json
            #expect(wrong["error"]?["extra"]?["values.stars"]?.string == "undefined_attribute")
            #expect(wrong["error"]?["extra"]?["values.likes"]?.string == "expected a number")
            #expect(
                try await halo.web.ask("DELETE", "/api/\(path)/\(id)", ["Authorization: Bearer \(halo.token)"]).status
                    == 200
            )
            #expect(try await halo.get("\(path)/\(id)").status == 404)
            #expect(try await halo.send("PUT", "\(path)/\(id)", "{}").status == 404)
            #expect(try await halo.send("POST", path, #"{"name":"x","module":"none"}"#).status == 400)
        }
    }

    @Test("a batch returns a result per operation, with the current instance for conflicts")
    func batch() async throws {
        try await HaloHouse.run { halo in
            let module = try #require(try await halo.module("News")["id"]?.string)
            let (night, canteen) = (try await halo.id("The night shift"), try await halo.id("The canteen is closed"))
            let body = """
                {"created":[{"name":"One","module":"\(module)"},{"name":"Bad","module":"\(module)","values":{"no":1}}],
                 "updated":[{"id":"\(night)","name":"Night","updatedAt":5},{"id":"\(canteen)","name":"Canteen"}],
                 "createdOrUpdated":[{"id":"abc","name":"Two","module":"\(module)"}],
                 "deleted":[{"id":"\(canteen)"},{"id":"none"},{}]}
                """
            let answer = try await halo.send("POST", "generalcontent/instance/batch", body)
            let operations = try #require(answer.json["operations"]?.array)
            let told = operations.map { operation in
                let status = operation["data"]?["error"]?["status"]?.integer
                return "\(operation["operation"]?.string ?? "") \(operation["position"]?.integer ?? -1) "
                    + "\(operation["success"]?.boolean ?? false) \(status.map(String.init) ?? "")"
            }
            #expect(
                told == [
                    "created 0 true ", "created 1 false 400", "updated 0 false 409", "updated 1 true ",
                    "createdOrUpdated 0 true ", "deleted 0 true ", "deleted 1 false 404", "deleted 2 false 400",
                ]
            )
            let conflict = operations[2]["data"]?["error"]?["extra"]?["instance"]
            #expect(conflict?["name"]?.string == "The night shift")
            #expect(
                try await halo.names(#"{"moduleName":"News","sort":"name"}"#) == [
                    "One", "The night shift", "Two", "plain",
                ]
            )
            let emptied = try await halo.send(
                "POST",
                "generalcontent/instance/batch",
                #"{"truncated":[{"module":"\#(module)"}]}"#
            )
            // 'old' is there for those who remove, though nobody who reads sees it.
            #expect(emptied.json["operations"]?.array?.first?["data"]?["deleted"]?.integer == 5)
            #expect(try await halo.names(#"{"moduleName":"News"}"#) == [])
        }
    }

    @Test("a request with to-cache gets cached responses for its duration")
    func toCache() async throws {
        try await HaloHouse.run { halo in
            let path = "generalcontent/instance/search"
            let (body, cached) = (#"{"moduleName":"wards","sort":"name asc"}"#, ["to-cache: 60"])
            let first = try await halo.send("POST", path, body, cached)
            let green = try await halo.id("green")
            _ = try await halo.send("PUT", "generalcontent/instance/\(green)", #"{"name":"olive"}"#)
            #expect(try await halo.send("POST", path, body, cached).body == first.body)
            #expect(try await halo.names(body) == ["blue", "olive"])
            halo.house.clock.pass(.seconds(61))
            #expect(try await halo.send("POST", path, body, cached).body != first.body)
        }
    }
}
