import Testing
import WireHTTP

@Suite("JSON bodies")
struct BodyTests {
    private struct Login: Equatable {
        enum Kind: String, CaseIterable { case browser, device }
        var user: String
        var kind: Kind?
        var tries: Int?
        var remember: Bool?
        var scopes: [String]?
        var lock: Int?
    }

    private func login(_ body: String) throws(Problem) -> Login {
        let request: Request
        do { request = try WireHTTPTests.request(.post, "/", body: body) } catch { preconditionFailure() }
        return try request.json { members throws(Problem) in
            try Login(
                user: members.text("user"),
                kind: members.word("kind"),
                tries: members.integerIfAny("tries", in: 0...10),
                remember: members.booleanIfAny("remember"),
                scopes: members.texts("scopes"),
                lock: members.object("lock") { lock throws(Problem) in try lock.integer("after") }
            )
        }
    }

    @Test("an object is read by the requested names")
    func reads() throws {
        let body = """
            {"user": "ada", "kind": "device", "tries": 3, "remember": null, "scopes": ["a", "b"], "lock": {"after": 5}}
            """
        let expected = Login(user: "ada", kind: .device, tries: 3, remember: nil, scopes: ["a", "b"], lock: 5)
        #expect(try login(body) == expected)
    }

    @Test("a body nests at most 32 levels", arguments: [(32, true), (33, false)])
    func depth(levels: Int, isRead: Bool) throws {
        let body = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let request = try request(.post, "/", body: body)
        #expect(((try? request.jsonValue()) != nil) == isRead)
    }

    @Test("objects with names of the caller may have many members", .timeLimit(.minutes(1)))
    func manyNames() throws {
        let names = (0..<50_000).map { "\"\($0)\":1" }.joined(separator: ",")
        let request = try WireHTTPTests.request(.post, "/", body: "{\(names)}")
        let count = try request.json { members throws(Problem) in try members.all().count }
        #expect(count == 50_000)
    }

    @Test(
        "an invalid value is reported with its place",
        arguments: [
            (#"{"usr": "ada"}"#, "'user' is missing", "/user", 1, 1),
            (#"{"user": "ada", "tris": 1}"#, "unknown member 'tris', did you mean 'tries'?", "/tris", 1, 17),
            (#"{"user": 1}"#, "'user': found a number, expected text", "/user", 1, 10),
            ("{\"user\": \"a\",\n \"tries\": 11}", "found 11, expected 0 to 10", "/tries", 2, 11),
            (#"{"user": "a", "tries": 1.5}"#, "'tries': found a number, expected a whole number", "/tries", 1, 24),
            (#"{"user": "a", "tries": "1"}"#, "'tries': found text, expected a whole number", "/tries", 1, 24),
            (
                #"{"user": "a", "kind": "devise"}"#,
                "found 'devise', expected 'browser' or 'device', did you mean 'device'?", "/kind", 1, 23
            ),
            (#"{"user": "a", "scopes": ["x", 1]}"#, "found a number, expected text", "/scopes/1", 1, 31),
            (#"{"user": "a", "lock": {"aftr": 1}}"#, "'after' is missing", "/lock/after", 1, 23),
            (#"{"user": "a", "lock": []}"#, "found an array, expected an object", "/lock", 1, 23),
            (#"[1]"#, "found an array, expected an object", "", 1, 1),
            (#"{"user": "a",}"#, "a comma after the last member is not allowed in JSON", "", 1, 13),
            (#"{"user": "a" // no"#, "comments are not allowed in JSON", "", 1, 14),
        ]
    )
    func refuses(body: String, detail: String, pointer: String, line: Int, column: Int) {
        #expect {
            try login(body)
        } throws: { error in
            let problem = error as? Problem
            #expect(problem?.status == .badRequest)
            #expect(problem?.detail == detail)
            #expect(problem?.spot == Problem.Spot(pointer: pointer, line: line, column: column))
            return true
        }
    }

    @Test("duplicate members and endless nesting are rejected")
    func hostile() {
        #expect(throws: Problem.self) { try login(#"{"user": "a", "user": "b"}"#) }
        #expect(throws: Problem.self) { try login(String(repeating: "[", count: 100_000)) }
        #expect(throws: Problem.self) { try login("") }
    }

    @Test("invalid UTF-8 is rejected, and messages contain no body values")
    func strangeBytes() throws {
        var body = try request(.post, "/")
        body.body = Array("{\"user\": \"tr0ub4dor".utf8) + [0xff] + Array("\"}".utf8)
        #expect {
            try body.jsonValue()
        } throws: { error in
            let detail = (error as? Problem)?.detail ?? ""
            return detail == "the body is not UTF-8: byte 20 is invalid"
        }
        body.body = Array(#"{"user": tr0ub4dor}"#.utf8)
        #expect { try body.jsonValue() } throws: { !"\($0)".contains("tr0ub4dor") }
    }

    @Test("a query item is read once, by its type")
    func queries() throws {
        let given = try request(
            .get,
            "/?limit=5&all&yes=true&no=false&kind=device&strange=devise&signed=%2B5&twice=1&twice=2&bad=x%20y"
        )
        #expect(try given.queryInteger("limit", in: 1...5) == 5)
        #expect(try given.queryInteger("limit", in: 5...9) == 5)
        #expect(try given.queryInteger("absent", in: 1...5) == nil)
        #expect(throws: Problem.self) { try given.queryInteger("signed", in: 1...5) }
        #expect(try given.queryFlag("all"))
        #expect(try given.queryFlag("yes"))
        #expect(try given.queryFlag("no") == false)
        #expect(try given.queryFlag("absent") == false)
        #expect(try given.queryWord("kind", as: Login.Kind.self) == .device)
        #expect(throws: Problem.self) { try given.queryWord("strange", as: Login.Kind.self) }
        #expect(try given.queryText("bad") == "x y")
        #expect(throws: Problem.self) { try given.queryText("twice") }
        #expect(throws: Problem.self) { try given.queryInteger("limit", in: 1...4) }
        #expect(throws: Problem.self) { try given.queryFlag("limit") }
    }
}
