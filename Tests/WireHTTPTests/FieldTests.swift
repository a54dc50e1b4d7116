import Testing
import WireHTTP

@Suite("Header fields, targets and media types")
struct FieldTests {
    @Test("an entity tag round-trips", arguments: ["\"a\"", "W/\"a\"", "\"\"", "\"a,b\""])
    func tags(text: String) {
        #expect(EntityTag(parsing: text)?.text == text)
    }

    @Test("an invalid entity tag is rejected", arguments: ["a", "\"a", "a\"", "w/\"a\"", "\"a\"b\"", "\"a b\"", "\""])
    func noTags(text: String) {
        #expect(EntityTag(parsing: text) == nil)
    }

    @Test(
        "conditions follow RFC 9110",
        arguments: [
            (Method.get, "If-None-Match", "\"a\"", "a", 304), (.head, "If-None-Match", "\"a\"", "a", 304),
            (.get, "If-None-Match", "*", "a", 304), (.get, "If-None-Match", "W/\"a\"", "a", 304),
            (.get, "If-None-Match", "\"b\", \"a\"", "a", 304), (.get, "If-None-Match", "\"b\"", "a", 200),
            (.put, "If-None-Match", "*", "a", 412), (.put, "If-None-Match", "*", nil, 200),
            (.put, "If-Match", "\"a\"", "a", 200), (.put, "If-Match", "\"b\"", "a", 412),
            (.put, "If-Match", "W/\"a\"", "a", 412), (.put, "If-Match", "*", nil, 412),
            (.put, "If-Match", "*", "a", 200), (.put, "If-Match", #""\", "a""#, "a", 200),
            (.put, "If-Match", "nonsense", "a", 400), (.put, "If-Match", "", "a", 400),
        ] as [(Method, String, String, String?, Int)]
    )
    func conditions(method: Method, name: String, value: String, present: String?, status: Int) throws {
        var fields = Fields()
        fields.add(name, value)
        let given = try request(method, "/", fields)
        do throws(Problem) {
            let response = try given.precondition(present.map { EntityTag($0) })
            #expect((response?.status.code ?? 200) == status)
        } catch {
            #expect(error.status.code == status)
        }
    }

    @Test("a weak tag never matches where a strong match is required")
    func weakStates() throws {
        let weak = EntityTag("a", isWeak: true)
        let wanted = try request(.put, "/", ["If-Match": "\"a\""])
        let problem = #expect(throws: Problem.self) { try wanted.precondition(weak) }
        #expect(problem?.status == .preconditionFailed)
        #expect(try request(.get, "/", ["If-None-Match": "\"a\""]).precondition(weak)?.status == .notModified)
    }

    @Test("a media type is read with its parameters")
    func mediaTypes() throws {
        let type = try #require(MediaType(parsing: "Text/HTML ; Charset=\"utf-8; \\\"x\\\"\" ; q=0.5"))
        #expect(type.essence == "text/html")
        #expect(type.parameters == ["charset": "utf-8; \"x\"", "q": "0.5"])
    }

    @Test(
        "an invalid media type is rejected",
        arguments: ["text", "text/", "/html", "a/b/c", "a/b; c", "a/b; c=\"", "a b/c", "a/b;c=1;C=2"]
    )
    func noMediaTypes(text: String) {
        #expect(MediaType(parsing: text) == nil)
    }

    @Test(
        "the most specific range of Accept decides",
        arguments: [
            ("", true), ("*/*", true), ("text/html", false), ("text/html, application/*;q=0.1", true),
            ("*/*, application/json;q=0", false), ("application/*;q=0, application/json", true),
        ]
    )
    func accepts(field: String, isTaken: Bool) throws {
        let given = try request(.get, "/", field.isEmpty ? [:] : ["Accept": field])
        #expect(given.accepts("application/json") == isTaken)
    }

    @Test(
        "an invalid path is not a target",
        arguments: [
            "", "a", "*", "http://x/", "/..", "/a/../b", "/%2e%2E/x", "/a/.", "/%00", "/%", "/%2", "/%zz", "/%ff",
            "/?%ff",
            "/%c0%af", "/a b", "/a\u{1f}", "/a\u{7f}", "/a#b", "/?a b",
        ]
    )
    func targets(text: String) {
        #expect(Target(parsing: text) == nil)
    }
}
