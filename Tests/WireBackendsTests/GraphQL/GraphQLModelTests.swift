import Foundation
import Support
import Testing
import WireBase
import WireStore
import WireConfig
import WireStore

@Suite("Models of the GraphQL server", .timeLimit(.minutes(2)))
struct GraphQLModelTests {
    @Test("objects are created, read by key, partly updated and deleted")
    func changes() async throws {
        try await GraphQLHouse.run { house in
            let made = try await house.data(
                "mutation { createTask(input: { title: \"Water the plants\", wardId: \"4A\" }) "
                    + "{ id title done _version ward { name } } }"
            )
            let task = try #require(made["createTask"])
            #expect(task["_version"]?.integer == 1)
            #expect(task["ward"]?["name"]?.string == "Children")
            let id = try #require(task["id"]?.string)
            let changed = try await house.data(
                "mutation($id: ID!) { updateTask(input: { id: $id, done: true, _version: 1 }) { title done _version } }",
                #"{"id":"\#(id)"}"#
            )
            #expect(changed.text() == #"{"updateTask":{"title":"Water the plants","done":true,"_version":2}}"#)
            let gone = try await house.data(
                "mutation($id: ID!) { deleteTask(input: { id: $id, _version: 2 }) { title } }",
                #"{"id":"\#(id)"}"#
            )
            #expect(gone.text() == #"{"deleteTask":{"title":"Water the plants"}}"#)
            let after = try await house.ask("query($id: ID!) { getTask(id: $id) { id } }", #"{"id":"\#(id)"}"#)
            #expect(after == #"{"data":{"getTask":null}}"#)
        }
    }

    @Test(
        "objects are found by filter, page and order",
        arguments: [
            ("", ["Order bandages", "Check the fridge", "Replace the light"]),
            ("filter: { done: { eq: false } }", ["Order bandages", "Replace the light"]),
            ("filter: { done: { ne: false } }", ["Check the fridge"]),
            ("filter: { title: { contains: \"the\", startsWith: \"R\" } }", ["Replace the light"]),
            ("filter: { title: { endsWith: \"fridge\" } }", ["Check the fridge"]),
            ("filter: { effort: { between: [1, 2] } }", ["Order bandages"]),
            ("filter: { effort: { gt: 1.5 } }", ["Replace the light"]),
            ("filter: { effort: { le: 1.5 } }", ["Order bandages"]),
            ("filter: { effort: { eq: null } }", ["Check the fridge"]),
            ("filter: { priority: { in: [LOW, HIGH] } }", ["Order bandages", "Replace the light"]),
            ("filter: { id: { in: [\"light\", \"2\"] } }", ["Check the fridge", "Replace the light"]),
            ("filter: { wardId: { eq: \"4A\" } }", ["Replace the light"]),
            (
                "filter: { or: [{ id: { eq: \"1\" } }, { done: { eq: true } }] }",
                ["Order bandages", "Check the fridge"]
            ),
            ("filter: { and: [{ done: { eq: false } }, { not: { id: { eq: \"1\" } } }] }", ["Replace the light"]),
            ("filter: { _version: { ge: 2 } }", []),
            ("orderBy: { field: \"title\" }", ["Check the fridge", "Order bandages", "Replace the light"]),
            (
                "orderBy: { field: \"effort\", order: DESC }",
                ["Replace the light", "Order bandages", "Check the fridge"]
            ),
            ("page: { limit: 1, offset: 1 }", ["Check the fridge"]),
            ("page: { offset: 2 }", ["Replace the light"]),
        ]
    )
    func finding(arguments: String, titles: [String]) async throws {
        try await GraphQLHouse.run { house in
            let found = try await house.titles(arguments)
            #expect(found == titles)
        }
    }

    @Test("a page has the total count, and relations work in both directions")
    func pages() async throws {
        try await GraphQLHouse.run { house in
            let page = try await house.ask(
                "{ findTasks(filter: { done: { eq: false } }, page: { limit: 1 }) { items { id } count limit offset } }"
            )
            #expect(page == #"{"data":{"findTasks":{"items":[{"id":"1"}],"count":2,"limit":1,"offset":0}}}"#)
            let ward = try await house.ask(
                "{ getWard(id: \"3B\") { name tasks(filter: { done: { eq: true } }) { title ward { id } } } }"
            )
            #expect(
                ward
                    == #"{"data":{"getWard":{"name":"Surgery","tasks":[{"title":"Check the fridge","ward":{"id":"3B"}}]}}}"#
            )
        }
    }

    @Test(
        "an impossible operation is an error with a code",
        arguments: [
            ("updateTask(input: { id: \"no\", _version: 1 }) { id }", "NOT_FOUND", "unknown Task 'no'"),
            ("deleteWard(input: { id: \"no\" }) { id }", "NOT_FOUND", "unknown Ward 'no'"),
            ("createWard(input: { id: \"3B\", name: \"x\" }) { id }", "ALREADY_EXISTS", "the Ward '3B' exists already"),
            (
                "createWard(input: { id: \"a b\", name: \"x\" }) { id }", "BAD_USER_INPUT",
                "'id': expected 1 to 64 letters, digits, '-' and '_'"
            ),
            (
                "createTask(input: { title: \"x\", wardId: \"9\" }) { id }", "BAD_USER_INPUT",
                "'wardId': unknown Ward '9'"
            ),
        ]
    )
    func errors(mutation: String, code: String, message: String) async throws {
        try await GraphQLHouse.run { house in
            let json = try await house.send("mutation { \(mutation) }").json
            #expect(json["errors"]?.array?.first?["message"]?.string == message)
            #expect(json["errors"]?.array?.first?["extensions"]?["code"]?.string == code)
        }
    }

    @Test("a referenced object is deleted after the objects that require it")
    func needed() async throws {
        try await GraphQLHouse.run(schema: Self.strict) { house in
            let delete = "mutation { deleteWard(input: { id: \"4A\" }) { id } }"
            let error = try await house.send(delete).json["errors"]?.array?.first
            #expect(error?["message"]?.string == "the Ward '4A' is needed by the Task 'light'")
            #expect(error?["extensions"]?["code"]?.string == "NEEDED")
            _ = try await house.data("mutation { deleteTask(input: { id: \"light\", _version: 1 }) { id } }")
            #expect(try await house.ask(delete) == #"{"data":{"deleteWard":{"id":"4A"}}}"#)
        }
    }

    @Test("an object removed from the data file stays while others require it")
    func neededByOthers() async throws {
        let folder = try TemporaryFolder()
        try await GraphQLHouse.run(schema: Self.strict, in: folder) { house in
            _ = try await house.data("mutation { createTask(input: { title: \"x\", wardId: \"4A\" }) { id } }")
            try await house.house.rebind(House.issuer, more: GraphQLHouse.more(folder, Self.strict, "Ward: []"))
            let wards = try await house.ask("{ findWards { items { id tasks { title } } } }")
            #expect(wards == #"{"data":{"findWards":{"items":[{"id":"4A","tasks":[{"title":"x"}]}]}}}"#)
        }
    }

    private static let strict = GraphQLHouse.schema.replacing("  ward: Ward\n", with: "  ward: Ward!\n")

    // MARK: Conflicts

    /// The server has changed `done` since version 1; the client changes fields from that version.
    @Test(
        "changes based on an older version are merged by field, and conflicts follow the strategy",
        arguments: [
            ("ThrowOnConflict", "title: \"New\"", #"{"title":"New","done":true,"_version":3}"#),
            ("ThrowOnConflict", "done: true", #"{"title":"Old","done":true,"_version":3}"#),
            ("ThrowOnConflict", "done: null", "CONFLICT"),
            ("ClientSideWins", "title: \"New\", done: null", #"{"title":"New","done":null,"_version":3}"#),
            ("ServerSideWins", "title: \"New\", done: null", #"{"title":"New","done":true,"_version":3}"#),
        ]
    )
    func conflicts(strategy: String, input: String, expected: String) async throws {
        let schema = GraphQLHouse.schema.replacing("ttl: 3600", with: "strategy: \(strategy)")
        try await GraphQLHouse.run(schema: schema, data: nil) { house in
            _ = try await house.data(
                "mutation { createTask(input: { id: \"a\", title: \"Old\", done: false }) { id } }"
            )
            _ = try await house.data("mutation { updateTask(input: { id: \"a\", done: true, _version: 1 }) { id } }")
            let json = try await house.send(
                "mutation { updateTask(input: { id: \"a\", \(input), _version: 1 }) { title done _version } }"
            ).json
            guard let error = json["errors"]?.array?.first else {
                #expect(json["data"]?["updateTask"]?.text() == expected)
                return
            }
            #expect(error["extensions"]?["code"]?.string == expected)
            let info = error["extensions"]?["conflictInfo"]
            #expect(info?["base"]?["done"]?.boolean == false && info?["base"]?["_version"]?.integer == 1)
            #expect(info?["serverData"]?["done"]?.boolean == true && info?["serverData"]?["_version"]?.integer == 2)
            #expect(info?["clientData"]?.text() == #"{"id":"a","done":null,"_version":1}"#)
            #expect(info?["clientDiff"]?.text() == #"{"done":null}"#)
            #expect(info?["serverDiff"]?.text() == #"{"done":true}"#)
            #expect(info?["operation"]?.string == "update")
        }
    }

    @Test("a deletion based on an older version, and a change of a deleted object, are conflicts")
    func deletions() async throws {
        try await GraphQLHouse.run { house in
            func operation(_ mutation: String) async throws -> String? {
                let error = try await house.send("mutation { \(mutation) { id } }").json["errors"]?.array?.first
                return error?["extensions"]?["conflictInfo"]?["operation"]?.string
            }
            _ = try await house.data("mutation { updateTask(input: { id: \"1\", done: true, _version: 1 }) { id } }")
            #expect(try await operation("deleteTask(input: { id: \"1\", _version: 1 })") == "delete")
            #expect(try await operation("deleteTask(input: { id: \"1\", _version: 2 })") == nil)
            #expect(try await operation("updateTask(input: { id: \"1\", done: false, _version: 2 })") == "update")
        }
    }

    // MARK: Delta queries

    @Test("a delta query returns changes since a time, with deletions, and continues after a limit")
    func deltas() async throws {
        try await GraphQLHouse.run { house in
            func sync(_ since: String, _ more: String = "") async throws -> (text: String, since: String) {
                let data = try await house.data(
                    "{ syncTasks(lastSync: \(since)\(more)) { items { id _deleted _version } lastSync } }"
                )
                let items = data["syncTasks"]?["items"]?.array ?? []
                let text = items.map {
                    "\($0["id"]?.string ?? "")@\($0["_version"]?.integer ?? 0)\($0["_deleted"]?.boolean == true ? "-" : "")"
                }
                return (text.joined(separator: " "), data["syncTasks"]?["lastSync"]?.text() ?? "")
            }
            let first = try await sync("0")
            #expect(first.text == "1@1 2@1 light@1")
            #expect(try await sync(first.since).text == "")
            _ = try await house.data("mutation { deleteTask(input: { id: \"2\", _version: 1 }) { id } }")
            _ = try await house.data("mutation { updateTask(input: { id: \"1\", done: true, _version: 1 }) { id } }")
            #expect(try await sync(first.since).text == "2@2- 1@2")
            let part = try await sync(first.since, ", limit: 1")
            #expect(part.text == "2@2-")
            #expect(try await sync(part.since).text == "1@2")
            #expect(try await sync("\"\(first.since)\"", ", filter: { done: { eq: true } }").text == "2@2- 1@2")
        }
    }

    // MARK: Restarts and repetitions

    @Test("objects and versions survive a restart")
    func restart() async throws {
        let folder = try TemporaryFolder()
        try await GraphQLHouse.run(in: folder) { house in
            _ = try await house.data("mutation { updateTask(input: { id: \"1\", done: true, _version: 1 }) { id } }")
            _ = try await house.data("mutation { createWard(input: { name: \"Night\" }) { id } }")
        }
        try await GraphQLHouse.run(in: folder) { house in
            let task = try await house.ask("{ getTask(id: \"1\") { done _version } findWards { count } }")
            #expect(task == #"{"data":{"getTask":{"done":true,"_version":2},"findWards":{"count":3}}}"#)
            let json = try await house.send(
                "mutation { updateTask(input: { id: \"1\", title: \"Merged\", _version: 1 }) { done title } }"
            ).json
            #expect(json["data"]?["updateTask"]?.text() == #"{"done":true,"title":"Merged"}"#)
        }
    }

    @Test("idempotency keys are separate per caller")
    func callers() async throws {
        let mutation = "mutation { createWard(input: { name: \"Night\" }) { id } }"
        try await GraphQLHouse.run { house in
            let token = try #require(try await house.house.browser().tokens()["access_token"]?.string)
            let own = ["Idempotency-Key: k", "Authorization: Bearer \(token)"]
            let first = try await house.ask(mutation, "{}", ["Idempotency-Key: k"])
            let other = try await house.ask(mutation, "{}", own)
            #expect(first != other)
            #expect(try await house.ask(mutation, "{}", own) == other)
            #expect(try await house.ask("{ findWards { count } }") == #"{"data":{"findWards":{"count":4}}}"#)
        }
    }

    @Test("the result of a partly failed mutation is replayed for the same request only")
    func partialFailure() async throws {
        try await GraphQLHouse.run { house in
            let key = ["Idempotency-Key: k"]
            let partial = """
                mutation { a: createWard(input: { name: "N" }) { id } b: createWard(input: { id: "3B", name: "x" }) { id } }
                """
            let first = try await house.send(partial, "{}", key).json
            #expect(try await house.send(partial, "{}", key).json["data"]?.text() == first["data"]?.text())
            let other = "mutation { a: updateWard(input: { id: \"4A\", name: \"Changed\" }) { id name } }"
            #expect(try await house.ask(other, "{}", key) == #"{"data":{"a":{"id":"4A","name":"Changed"}}}"#)
            #expect(try await house.ask("{ findWards { count } }") == #"{"data":{"findWards":{"count":3}}}"#)
        }
    }

    @Test("a mutation with a key runs once and returns the same result, also after a restart")
    func repetition() async throws {
        let folder = try TemporaryFolder()
        let mutation = "mutation($t: String!) { createTask(input: { title: $t }) { id title } }"
        let first = Mutable("")
        try await GraphQLHouse.run(in: folder) { house in
            first.value = try await house.ask(mutation, #"{"t":"One"}"#, ["Idempotency-Key: k-1"])
            #expect(first.value.contains("One"))
            #expect(try await house.ask(mutation, #"{"t":"One"}"#, ["Idempotency-Key: k-1"]) == first.value)
            #expect(try await house.ask(mutation, #"{"t":"One"}"#, ["Request-ID: k-2"]) != first.value)
            let other = try await house.ask(mutation, #"{"t":"Two"}"#, ["Idempotency-Key: k-1"])
            #expect(other.contains("IDEMPOTENCY_KEY_REUSED"))
        }
        try await GraphQLHouse.run(in: folder) { house in
            let again = try await house.ask(mutation, #"{"t":"One"}"#, ["Idempotency-Key: k-1"])
            #expect(again == first.value)
            #expect(try await house.titles("filter: { title: { eq: \"One\" } }").count == 2)
            // As where the program ended between the change and its answer.
            let answers = "corewire/backends/app/dev/graphql/answers"
            #expect(try await house.house.store.clear(answers, keysBeginning: "") > 0)
            #expect(try await house.ask(mutation, #"{"t":"One"}"#, ["Idempotency-Key: k-1"]) == first.value)
        }
    }
}
