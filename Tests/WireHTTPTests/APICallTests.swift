import Testing
import WireBase
import WireConfig
import WireHTTP

@Suite("Typed operations")
struct APICallTests {
    enum WardFailureKind: String, FailureKind {
        case full = "ward-full"
        case unknown = "no-such-ward"
        case visitor

        var facts: FailureFacts {
            switch self {
            case .full: FailureFacts(.unavailable, "the ward is full", "No bed is free.", retryAfter: 7)
            case .unknown: FailureFacts(.notFound, "there is no such ward", "No such ward.")
            case .visitor:
                FailureFacts(.unauthorized, "who are you", "No visitors.", retryHelp: "When.", tellsGuidance: true)
            }
        }
    }

    struct Admission: JSONRecord, Equatable {
        var ward: String
        var limit: Int?
        var isUrgent = false
        var name: String
        var wait: Duration?

        static let form = JSONForm<Self>("Admission", "Who comes.")

        init(ward: String, name: String) { (self.ward, self.name) = (ward, name) }

        init(_ members: inout Members<Self>) throws(JSONMismatch) {
            ward = try members.path("ward", \.ward, "Where.")
            limit = try members.query("limit", \.limit, "How many.", .in(1...10))
            isUrgent = try members.queryFlag("urgent", \.isUrgent, "Whether at once.")
            name = try members.required("name", \.name, "Who.", .length(1...8))
            wait = try members.optional("wait", \.wait, "How long.")
        }
    }

    struct Bed: JSONRecord, Equatable {
        let text: String

        static let form = JSONForm<Self>("Bed", "A bed.")

        init(text: String) { self.text = text }
        init(_ members: inout Members<Self>) throws(JSONMismatch) {
            text = try members.required("text", \.text, "What was asked for.")
        }
    }

    static let admit = APICall<Admission, Bed, WardFailureKind>(
        .post,
        "/v1/wards/{ward}/beds",
        "Admit.",
        access: .write,
        answers: [.init(.created, "Admitted."), .init(.ok, "Was there.")],
        fails: [.full, .unknown]
    )

    static let air = APICall<NoInput, Bed, WardFailureKind>(
        .post,
        "/v1/air",
        "Open the windows.",
        access: .write,
        takesEmptyObject: true,
        answers: [.init(.ok, "They are open.")],
        fails: []
    )

    struct Hospital: RouteGroup {
        static let table: [RouteEntry<Self>] = [
            .call(APICallTests.admit, by: Hospital.admit),
            .call(APICallTests.air, by: Hospital.air),
        ]

        func air(_ request: APIRequest<NoInput>) async throws(APIFailure<WardFailureKind>) -> APIReply<Bed> {
            APIReply(Bed(text: "aired"))
        }

        func admit(_ request: APIRequest<Admission>) async throws(APIFailure<WardFailureKind>) -> APIReply<Bed> {
            if request.ward == "full" { throw APIFailure(.full, "ward 'full' has no bed", help: "wait") }
            let text = "\(request.ward) \(request.limit ?? 0) \(request.isUrgent) \(request.name)"
            return APIReply(Bed(text: "\(text) \(request.rights.account)"), request.isUrgent ? .ok : nil)
        }
    }

    private static func ask(_ target: String, _ body: String) async throws -> (status: Int, json: JSONValue, Fields) {
        var request = Request(
            method: .post,
            target: try #require(Target(parsing: target)),
            fields: ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"],
            caller: .address("127.0.0.1")
        )
        request.rights = .everything("ada")
        let response = try await response(to: &request, body, of: Hospital().routes)
        guard case .bytes(let bytes) = response.body else { throw CancellationError() }
        return (response.status.code, try JSONValue(parsing: bytes, named: "answer"), response.fields)
    }

    private static func response(to request: inout Request, _ body: String, of routes: [Route]) async throws
        -> Response
    {
        switch Router(routes).exchange(for: request).plan {
        case .answer(let answer): return answer
        case .collect(_, let collect):
            request.body = Array(body.utf8)
            switch collect(request) {
            case .now(let answer): return answer
            case .later(let work): return await work()
            }
        case .stream: throw CancellationError()
        }
    }

    /// A group whose answer is passed on as another server wrote it, or is nothing.
    private struct Archive: RouteGroup {
        struct Letter: APIAnswer {
            let text: String
            static var answerSchema: JSONSchema? { .anything }
            static func read(answer: [UInt8]) throws(JSONMismatch) -> Letter {
                Letter(text: String(decoding: answer, as: UTF8.self))
            }
            var answer: [UInt8]? { text.isEmpty ? nil : Array(text.utf8) }
            var answerFields: Fields { ["Age": "3"] }
        }

        struct Wish: JSONRecord {
            let text: String?
            static let form = JSONForm<Self>("Wish", "What is wanted.")
            init(_ members: inout Members<Self>) throws(JSONMismatch) {
                text = try members.optional("text", \.text, "The text.")
            }
        }

        static let table: [RouteEntry<Self>] = [
            .call(
                APICall<Wish, Letter, WardFailureKind>(
                    .post,
                    "/v1/letters",
                    "Write.",
                    access: .write,
                    needsBody: true,
                    answers: [.init(.created, "As it is."), .init(.noContent, "Nothing.")],
                    fails: []
                )
            ) { $0.write }
        ]

        private func write(_ wish: Wish) async throws(APIFailure<WardFailureKind>) -> Letter {
            Letter(text: wish.text ?? "")
        }
    }

    @Test(
        "a response has its own header fields and is 204 without a body; an all-optional body may be required",
        arguments: [(#"{"text":"dear"}"#, 201, "3"), ("{}", 204, nil), ("", 400, nil)]
    )
    func passingOn(body: String, status: Int, age: String?) async throws {
        var request = Request(
            method: .post,
            target: try #require(Target(parsing: "/v1/letters")),
            fields: ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"],
            caller: .address("127.0.0.1")
        )
        request.rights = .everything("ada")
        let response = try await Self.response(to: &request, body, of: Archive().routes)
        #expect(response.status.code == status && response.fields["Age"] == age)
    }

    @Test("path, query and body form one input value, and the handler sets the status")
    func reading() async throws {
        let plain = try await Self.ask("/v1/wards/a%2Fb/beds?limit=3", #"{"name":"ada"}"#)
        #expect(plain.status == 201)
        #expect(plain.json["text"]?.string == "a/b 3 false ada ada")
        for flag in ["urgent", "urgent=", "urgent=true"] {
            #expect(try await Self.ask("/v1/wards/x/beds?\(flag)", #"{"name":"a"}"#).status == 200)
        }
        #expect(try await Self.ask("/v1/wards/x/beds?urgent=false", #"{"name":"a"}"#).status == 201)
    }

    @Test(
        "invalid input is rejected with its place",
        arguments: [
            ("?limit=0", #"{"name":"a"}"#, "invalid-query", "limit: found 0, expected 1 to 10"),
            ("?limit=x", #"{"name":"a"}"#, "invalid-query", "found 'x', expected a whole number"),
            ("?limit=99999999999999999999", #"{"name":"a"}"#, "invalid-query", "the number is too large"),
            ("?limit=1&limit=1", #"{"name":"a"}"#, "invalid-query", "given more than once"),
            ("?urgent=maybe", #"{"name":"a"}"#, "invalid-query", "expected 'true' or 'false'"),
            ("?ward=x", #"{"name":"a"}"#, "invalid-query", "ward"),
            ("", #"{"name":"a","ward":"b"}"#, "invalid-body", "unknown member 'ward'"),
            ("", #"{"name":"a","limit":1}"#, "invalid-body", "unknown member limit"),
            ("", #"{"name":""}"#, "invalid-body", "found 0 bytes, expected 1 to 8"),
            ("", "", "invalid-body", "'name' is missing"),
            ("", #"{"name":"a","wait":"soon"}"#, "invalid-body", "expected a duration"),
        ]
    )
    func refusing(query: String, body: String, kind: String, detail: String) async throws {
        let answer = try await Self.ask("/v1/wards/x/beds\(query)", body)
        #expect(answer.status == 400)
        #expect(answer.json["type"]?.string == "urn:corewire:problem:\(kind)")
        let told = (answer.json["detail"]?.string ?? "").replacing("'limit'", with: "limit")
        #expect(told.contains(detail), "\(told)")
        #expect(!told.contains("did you mean 'ward'") && !told.contains("did you mean 'limit'"))
    }

    private enum SignInKind: String, FailureKind {
        case signedOut = "signed-out"
        var facts: FailureFacts { FailureFacts(.unauthorized, "no user is signed in", "No user is signed in.") }
    }

    @Test("a failure can override the retry delay of its kind")
    func pausing() {
        var failure = APIFailure(WardFailureKind.full, "no bed")
        #expect(failure.retryAfter == .seconds(7))
        failure.retryAfter = .seconds(90)
        #expect(Problem(failure).fields["Retry-After"] == "90")
    }

    @Test("a 401 failure has a WWW-Authenticate challenge (RFC 9110)")
    func signingIn() {
        let failure = APIFailure(SignInKind.signedOut, "no user is signed in")
        #expect(Problem(failure).fields["WWW-Authenticate"] == "Bearer realm=\"auth\"")
    }

    @Test("a failure becomes a problem with the facts of its kind")
    func failing() async throws {
        let answer = try await Self.ask("/v1/wards/full/beds", #"{"name":"a"}"#)
        #expect(answer.status == 503)
        #expect(answer.json["type"]?.string == "urn:corewire:problem:ward-full")
        #expect(answer.json["title"]?.string == "the ward is full")
        #expect(answer.json["detail"]?.string == "ward 'full' has no bed; wait")
        #expect(answer.2["Retry-After"] == "7")
        #expect(WardFailureKind.full.facts.exit == .temporary && WardFailureKind.unknown.facts.exit == .problemsFound)
    }

    @Test("a failure can have its own retry delay and guidance; a 401 has a challenge")
    func ownWords() {
        func problem(_ kind: WardFailureKind) -> Problem {
            var failure = APIFailure(kind, "ward 'full' has no bed", help: "wait")
            (failure.retryAfter, failure.guidance) = (.milliseconds(1_500), "Come again tomorrow.")
            return Problem(failure)
        }
        let full = problem(.full)
        #expect(full.fields["Retry-After"] == "2" && full.fields["WWW-Authenticate"] == nil)
        #expect(full.detail == "ward 'full' has no bed; wait")
        let visitor = problem(.visitor)
        #expect(visitor.fields["Retry-After"] == "2")
        #expect(visitor.fields["WWW-Authenticate"] == "Bearer realm=\"auth\"")
        #expect(visitor.detail == "Come again tomorrow.")
    }

    @Test("a call without body members accepts an empty object if declared")
    func emptyObject() async throws {
        for body in ["{}", ""] {
            #expect(try await Self.ask("/v1/air", body).status == 200)
        }
        let other = try await Self.ask("/v1/air", #"{"wide":true}"#)
        #expect(other.status == 400 && other.json["type"]?.string == "urn:corewire:problem:invalid-body")
    }

    // MARK: Header fields

    struct Visit: JSONRecord {
        var bed: Int?
        var condition: TagCondition?
        var wait: Duration?

        static let form = JSONForm<Self>("Visit", "A visit.")

        init() {}
        init(_ members: inout Members<Self>) throws(JSONMismatch) {
            bed = try members.header("Ward-Bed", \.bed, "Which bed.", .in(1...9))
            condition = try members.header("If-Match", \.condition, "What must be so.")
            wait = try members.header("Ward-Wait", \.wait, "How long.", .in(.seconds(1) ... .seconds(60)))
        }
    }

    private static func visit(_ fields: Fields) throws(Problem) -> Visit {
        guard let target = Target(parsing: "/v1/visits") else { preconditionFailure("the target is one") }
        return try Visit(Request(method: .get, target: target, fields: fields, caller: .address("127.0.0.1")))
    }

    @Test("header values round-trip, and are described")
    func header() throws {
        var visit = Visit()
        (visit.bed, visit.condition, visit.wait) = (3, .tags([EntityTag("a")]), .seconds(5))
        #expect(visit.headerFields == ["Ward-Bed": "3", "If-Match": "\"a\"", "Ward-Wait": "5s"])
        let read = try Self.visit(visit.headerFields)
        #expect(read.bed == 3 && read.condition == .tags([EntityTag("a")]) && read.wait == .seconds(5))
        let none = try Self.visit([:])
        #expect(none.bed == nil && none.headerFields == [:])
        #expect(Visit.form.inputs.map(\.name) == ["Ward-Bed", "If-Match", "Ward-Wait"])
        #expect(Visit.form.inputs.allSatisfy { $0.kind == .header })
    }

    @Test(
        "an invalid header field is rejected by name",
        arguments: [
            (["Ward-Bed": "10"], "'Ward-Bed': found 10, expected 1 to 9"),
            (["Ward-Bed": ""], "'Ward-Bed': found '', expected a whole number"),
            (["Ward-Bed": "1", "ward-bed": "1"], "'Ward-Bed': given more than once"),
            (["If-Match": "a"], "'If-Match': expected '*' or entity tags"),
            (["Ward-Wait": "90s"], "'Ward-Wait': found 1m30s, expected 1s to 1m"),
        ] as [(Fields, String)]
    )
    func refusedHeader(fields: Fields, detail: String) throws {
        let problem = #expect(throws: Problem.self) { _ = try Self.visit(fields) }
        #expect(problem?.kind == "malformed-field" && problem?.status == .badRequest)
        #expect(problem?.detail.hasPrefix(detail) ?? false, "\(problem?.detail ?? "")")
    }

    // MARK: Failures that carry more

    enum MoveFailureKind: String, FailureKind {
        case early, late

        var type: String { "not-moved" }

        var facts: FailureFacts {
            switch self {
            case .early: FailureFacts(.conflict, "too early", "It is too early.", carrying: Bed.schema)
            case .late: FailureFacts(.unprocessableContent, "too late", "It is too late.")
            }
        }
    }

    @Test("failure kinds may share a type, and carry more than a reason")
    func carried() throws {
        let early = Problem(APIFailure(MoveFailureKind.early, "at noon", carrying: Bed(text: "b").json))
        let late = Problem(APIFailure(MoveFailureKind.late, "at night"))
        #expect(early.status == .conflict && late.status == .unprocessableContent)
        #expect(early.kind == "not-moved" && late.kind == "not-moved")
        #expect(early.json["text"]?.string == "b" && early.json["detail"]?.string == "at noon")
        #expect(late.json["text"] == nil)
    }

    @Test("a client's request decodes at the service")
    func writing() async throws {
        var admission = Admission(ward: "a b/ä", name: "ada")
        (admission.limit, admission.isUrgent, admission.wait) = (2, true, .seconds(90))
        let target = Self.admit.target(for: admission)
        #expect(target == "/v1/wards/a%20b%2F%C3%A4/beds?limit=2&urgent=true")
        let body = String(decoding: try #require(Self.admit.body(for: admission)), as: UTF8.self)
        #expect(body == #"{"name":"ada","wait":"90s"}"# || body == #"{"name":"ada","wait":"1m30s"}"#, "\(body)")
        let answer = try await Self.ask(target, body)
        #expect(answer.json["text"]?.string == "a b/ä 2 true ada ada")
    }

    @Test("a rest path member is one segment for a client")
    func rest() {
        let call = APICall<WardName, Nothing, NoFailureKind>(
            .delete,
            "/v1/wards/{name…}",
            "Close.",
            access: .write,
            answers: [.init(.noContent, "Closed.")],
            fails: []
        )
        #expect(call.target(for: WardName(name: "a/b")) == "/v1/wards/a%2Fb")
    }

    struct WardName: JSONRecord {
        let name: String
        static let form = JSONForm<Self>("WardName", "Which.")

        init(name: String) { self.name = name }
        init(_ members: inout Members<Self>) throws(JSONMismatch) {
            name = try members.path("name", \.name, "Which.")
        }
    }

    @Test("code in the same process gets the same result, with the same validation")
    func inProcess() async throws {
        let route = try #require(Hospital().routes.first)
        let handler = try #require(route.callHandler as? APIHandler<Admission, Bed, WardFailureKind>)
        let reply = try await handler.perform(APIRequest(Admission(ward: "x", name: "a"), rights: .everything("app")))
        #expect(reply.answer == Bed(text: "x 0 false a app"))
        let failure = await #expect(throws: APIFailure<WardFailureKind>.self) {
            try await handler.perform(APIRequest(Admission(ward: "full", name: "a"), rights: .everything("app")))
        }
        #expect(failure?.kind == .full)
        let mismatch = #expect(throws: JSONMismatch.self) { try Admission(ward: "x", name: "").check() }
        #expect(mismatch?.member == "name")
    }

    @Test("command-line texts give the same value")
    func texts() throws {
        let given = ["ward": "x", "limit": "3", "urgent": "true", "name": "ada", "wait": "2m"]
        let admission = try Admission(texts: { name throws(JSONMismatch) in given[name] })
        var expected = Admission(ward: "x", name: "ada")
        (expected.limit, expected.isUrgent, expected.wait) = (3, true, .seconds(120))
        #expect(admission == expected)
        let mismatch = #expect(throws: JSONMismatch.self) {
            try Admission(texts: { name throws(JSONMismatch) in name == "limit" ? "11" : given[name] })
        }
        #expect(mismatch?.member == "limit")
    }
}
