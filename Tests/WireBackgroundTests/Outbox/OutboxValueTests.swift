import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireWorkContract
import Workbench

@Suite("Values of the outbox")
struct OutboxValueTests {
    private func entry(_ change: (inout OutboxEntry) -> Void) -> OutboxEntry {
        var entry = OutboxEntry("r1", .sending, lane: "l", service: "app", posted: 5, attempts: 3)
        change(&entry)
        return entry
    }

    /// Reads what was written, and expects it to be written the same.
    private func check<Record: JSONRecord>(_ record: Record, _ text: String) throws {
        #expect(String(decoding: record.bytes, as: UTF8.self) == text)
        #expect(record.json.text() == text)
        let read = try Record(parsing: Array(text.utf8), named: "value")
        #expect(String(decoding: read.bytes, as: UTF8.self) == text)
    }

    @Test("every value round-trips")
    func roundTrip() throws {
        let fields = [OutboxEntry.Field(name: "X-A", value: "1")]
        let small = entry { _ in }
        let smallText = #"{"id":"r1","state":"sending","lane":"l","service":"app","posted":5,"attempts":3}"#
        try check(small, smallText)
        let whole = entry { entry in
            (entry.method, entry.path, entry.age, entry.size, entry.reason) = ("PUT", "/x", 1, 2, "no")
            (entry.waitsFor, entry.nextTry, entry.isPaused, entry.ended) = ("network", 6, true, 7)
            entry.answer = .init(status: 200, type: "text/plain", body: Array("ok".utf8), isCut: true)
            entry.content = .init(fields: fields, json: .null)
        }
        try check(
            whole,
            #"""
            {"id":"r1","state":"sending","method":"PUT","path":"/x","lane":"l","service":"app","posted":5,"age":1,\#
            "size":2,"attempts":3,"reason":"no","waitsFor":"network","nextTry":6,"paused":true,"ended":7,\#
            "answer":{"status":200,"type":"text/plain","text":"ok","cut":true},\#
            "request":{"fields":[{"name":"X-A","value":"1"}],"json":null}}
            """#
        )
        try check(
            OutboxEntry.Answer(status: 204, type: nil, body: [], isCut: false),
            #"{"status":204}"#
        )
        try check(OutboxEntry.Content(fields: [], body: [0xff]), #"{"fields":[],"base64":"/w=="}"#)
        try check(
            OutboxEntry.Content(fields: fields, body: [0x61]),
            #"{"fields":[{"name":"X-A","value":"1"}],"text":"a"}"#
        )
        let pauses = OutboxPauses(isWhole: true, lanes: ["a", "b"])
        try check(pauses, #"{"paused":true,"pausedLanes":["a","b"]}"#)
        var page = OutboxPage(waiting: 1, size: 2, pauses, [small])
        (page.oldest, page.next, page.missing) = (3, 4, "away")
        try check(
            page,
            #"""
            {"waiting":1,"size":2,"oldest":3,"paused":true,"pausedLanes":["a","b"],"requests":[\#(smallText)],\#
            "next":4,"missing":"away"}
            """#
        )
        try check(OutboxReceipt(id: "r1", isNew: true), #"{"id":"r1","new":true}"#)
    }

    @Test("the body of a response is returned, as text or binary")
    func bodies() throws {
        for body in [[], Array("é".utf8), [0xff, 0x00]] {
            let answer = OutboxEntry.Answer(status: 200, type: nil, body: body, isCut: false)
            #expect(try OutboxEntry.Answer(parsing: answer.bytes, named: "answer").body == body)
        }
    }

    @Test("a posted request round-trips, for each form of body")
    func post() throws {
        var post = NewOutboxRequest(to: "/x")
        let end = #""authorization":"usual","replace":false}"#
        try check(post, #"{"method":"POST","path":"/x",\#(end)"#)
        post.json = .null
        try check(post, #"{"method":"POST","path":"/x","json":null,\#(end)"#)
        (post.json, post.text) = (nil, "a")
        try check(post, #"{"method":"POST","path":"/x","text":"a",\#(end)"#)
        (post.text, post.base64) = (nil, Base64Bytes([0xff]))
        (post.method, post.lane, post.id, post.idHeader) = ("PUT", "l", "r1", "")
        post.headers = HeaderFields(["X-B": "1", "X-A": "2", "X-B": "3"])
        (post.authorization, post.attempts, post.maxAge, post.replacesFormer) = (.token(nil), 7, .seconds(90), true)
        try check(
            post,
            #"""
            {"method":"PUT","path":"/x","headers":{"X-B":["1","3"],"X-A":"2"},"base64":"/w==","lane":"l","id":"r1",\#
            "idHeader":"","authorization":"token","attempts":7,"maxAge":"1m30s","replace":true}
            """#
        )
    }

    @Test(
        "an invalid member is rejected with its place",
        arguments: [
            ("[]", "", "found an array, expected an object"),
            ("{}", "/path", "'path' is missing"),
            (#"{"path":7}"#, "/path", "'path': found a number, expected text"),
            (#"{"path":"/x","method":7}"#, "/method", "'method': found a number, expected text"),
            (#"{"path":"/x","headers":[]}"#, "/headers", "'headers': found an array, expected an object"),
            (
                #"{"path":"/x","headers":{"X-A":7}}"#, "/headers/X-A",
                "'X-A': found a number, expected text, or an array of texts"
            ),
            (
                #"{"path":"/x","headers":{"X-A":null}}"#, "/headers/X-A",
                "'X-A': found null, expected text, or an array of texts"
            ),
            (#"{"path":"/x","headers":{"a/b":["1",{}]}}"#, "/headers/a~1b/1", "found an object, expected text"),
            (#"{"path":"/x","json":1e999}"#, "/json", "the number is too large to be represented exactly"),
            (#"{"path":"/x","text":{}}"#, "/text", "'text': found an object, expected text"),
            (#"{"path":"/x","base64":"???"}"#, "/base64", "expected base64 with padding"),
            (#"{"path":"/x","lane":[]}"#, "/lane", "'lane': found an array, expected text"),
            (#"{"path":"/x","id":true}"#, "/id", "'id': found a boolean, expected text"),
            (#"{"path":"/x","idHeader":1}"#, "/idHeader", "'idHeader': found a number, expected text"),
            (
                #"{"path":"/x","authorization":"usr"}"#, "/authorization",
                "found 'usr', expected 'none', 'usual', 'token', 'app', 'appPlus' or 'user', did you mean 'user'?"
            ),
            (#"{"path":"/x","attempts":0}"#, "/attempts", "found 0, expected 1 to 1000"),
            (#"{"path":"/x","attempts":"1"}"#, "/attempts", "'attempts': found text, expected a whole number"),
            (#"{"path":"/x","maxAge":"soon"}"#, "/maxAge", "found 'soon', expected a duration such as 10m"),
            (#"{"path":"/x","replace":"yes"}"#, "/replace", "'replace': found text, expected true or false"),
            (#"{"path":"/x","lan":"a"}"#, "/lan", "unknown member 'lan', did you mean 'lane'?"),
            (
                #"{"path":"/x","text":"a","json":null}"#, "/json",
                "the body is given more than once, expected one of 'text', 'base64' and 'json'"
            ),
            (
                #"{"path":"/x","base64":"","text":"a"}"#, "/base64",
                "the body is given more than once, expected one of 'text', 'base64' and 'json'"
            ),
        ]
    )
    func oddMembers(text: String, pointer: String, detail: String) async throws {
        let box = try await Postbox()
        let answer = try await box.ask(.post, "/v1/outbox", text)
        #expect(answer.status == 400)
        #expect(answer.json["detail"]?.string == detail)
        #expect(answer.json["body"]?["pointer"]?.string == pointer)
        #expect(answer.json["body"]?["line"]?.integer == 1)
        await box.stop()
    }

    @Test("a body is sent unchanged, with its media type by default")
    func sent() async throws {
        let box = try await Postbox()
        let posts = [
            #"{"path":"/x","json":null}"#, #"{"path":"/x","json":{"a":[1]},"headers":{"content-type":"a/b"}}"#,
            #"{"path":"/x","text":"a","headers":{"X-B":["1","2"],"X-A":"3"}}"#, #"{"path":"/x","base64":"/w=="}"#,
            #"{"path":"/x","idHeader":"","lane":null,"method":null,"headers":null,"text":null}"#,
        ]
        for post in posts { #expect(try await box.ask(.post, "/v1/outbox", post).status == 202) }
        #expect(await eventually { box.told("sent").count == posts.count })
        let calls = box.servers.sent.map(\.call)
        let bodies = calls.map { call -> String in
            guard case .bytes(let bytes) = call.body else { return "none" }
            return Hexadecimal.text(of: bytes)
        }
        #expect(bodies == ["6e756c6c", "7b2261223a5b315d7d", "61", "ff", "none"])
        #expect(
            calls.map { $0.fields["Content-Type"] } == [
                "application/json", "a/b", "text/plain; charset=utf-8", "application/octet-stream", nil,
            ]
        )
        #expect(calls[2].fields.all.map(\.name) == ["X-B", "X-B", "X-A", "Content-Type", "Request-ID"])
        #expect(calls[4].fields == [:] && calls[4].method == .post)
        await box.stop()
    }
}
