import Testing
import WireBase
import WireHTTP

@Suite("The router")
struct RouterTests {
    private static func echo(_ method: Method, _ pattern: String, _ body: Route.BodyRule = .none) -> Route {
        Route(
            method,
            pattern,
            "says who answered",
            access: .read,
            body: body,
            inputs: pattern.contains("…") ? [.anyQuery("What is passed on.")] : [.init(.query, "q", "Text.")],
            .snapshot { request in
                let values = request.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
                return Response(.ok, body: .bytes(Array("\(method.name) \(pattern) \(values)".utf8)))
            }
        )
    }

    private let router = Router([
        echo(.get, "/"),
        echo(.get, "/v1/state/{space}/{key}"),
        echo(.put, "/v1/state/{space}/{key}", .collected(types: ["application/json"])),
        echo(.get, "/v1/state/{space}/all"),
        echo(.get, "/v1/network/{path…}"),
        echo(.get, "/v1/network/status"),
        echo(.post, "/v1/login", .collected(types: ["application/json", "text/*"], upTo: .bytes(10))),
        echo(.delete, "/v1/login"),
        echo(.post, "/v1/pause"),
    ])

    private func answer(_ request: Request) async -> Response {
        await router.exchange(for: request).response(to: request)
    }

    @Test("an undeclared query item is rejected, with the nearest name")
    func unknownQuery() async throws {
        let answer = await answer(try request(.get, "/v1/state/a/b?qq=1"))
        #expect(answer.status == .badRequest)
        #expect(answer.text.contains("found 'qq', expected 'q'"))
        #expect(await self.answer(try request(.get, "/v1/network/x?qq=1")).status == .ok)
    }

    @Test(
        "a path matches its route: literals before placeholders before rests",
        arguments: [
            ("/", "GET / "),
            ("/v1/state/a/b", "GET /v1/state/{space}/{key} space=a,key=b"),
            ("/v1/state/a/all", "GET /v1/state/{space}/all space=a"),
            ("/v1/state/a%2Fb/%C3%A9", "GET /v1/state/{space}/{key} space=a/b,key=é"),
            ("/v1/network/x", "GET /v1/network/{path…} path=x"),
            ("/v1/network/x/y/?q=1", "GET /v1/network/{path…} path=x/y/"),
            ("/v1/network/status", "GET /v1/network/status "),
            ("/v1/network/status/more", "GET /v1/network/{path…} path=status/more"),
        ]
    )
    func finds(target: String, expected: String) async throws {
        #expect(await answer(try request(.get, target)).text == expected)
    }

    @Test(
        "an unknown path gets 404 with the nearest path",
        arguments: [
            ("/v1/lgin", "found '/v1/lgin', did you mean '/v1/login'?"),
            ("/v1/stat/a/b", "found '/v1/stat/a/b', did you mean '/v1/state/a/b'?"),
            ("/completely/different", "found '/completely/different'"),
            ("/v1/state/a", "found '/v1/state/a'"),
            ("/v1/state//b", "found '/v1/state//b'"),
            ("/v1/network/", "found '/v1/network/'"),
        ]
    )
    func unknown(target: String, detail: String) async throws {
        let response = await answer(try request(.get, target))
        #expect(response.status == .notFound)
        #expect(response.fields["Content-Type"] == "application/problem+json")
        #expect(response.text.contains("\"detail\":\"\(detail)\""), "\(response.text)")
    }

    @Test(
        "an unknown method gets 405 with the allowed ones; literal paths precede placeholders",
        arguments: [("/v1/state/a/all", "GET, HEAD"), ("/v1/state/a/b", "GET, HEAD, PUT")]
    )
    func methods(path: String, allowed: String) async throws {
        let response = await answer(try request(.patch, path))
        #expect(response.status == .methodNotAllowed)
        #expect(response.fields["Allow"] == allowed)
    }

    @Test("GET implies HEAD")
    func head() async throws {
        #expect(await answer(try request(.head, "/")).status == .ok)
        #expect(await answer(try request(.head, "/v1/login")).status == .methodNotAllowed)
    }

    @Test("an unexpected body is rejected")
    func unexpectedBody() async throws {
        #expect(await answer(try request(.get, "/", body: "x")).status == .badRequest)
        #expect(await answer(try request(.get, "/", ["Content-Length": "0"])).status == .ok)
        #expect(await answer(try request(.get, "/", ["Transfer-Encoding": "chunked"])).status == .badRequest)
    }

    @Test("an empty JSON object is accepted where no body is expected, and nothing else")
    func emptyObject() async throws {
        for body in ["{}", " {\r\n\t}\n"] {
            let response = await answer(try request(.post, "/v1/pause", body: body))
            #expect(response.text == "POST /v1/pause ", "\(body)")
            #expect(await answer(try request(.delete, "/v1/login", body: body)).status == .ok)
            #expect(await answer(try request(.get, "/", body: body)).status == .badRequest)
        }
        let long = "{" + String(repeating: " ", count: 100) + "}"
        for body in ["x", "[]", "null", "\"\"", "{}{}", #"{"a":1}"#, long] {
            #expect(await answer(try request(.post, "/v1/pause", body: body)).status == .badRequest, "\(body)")
        }
    }

    @Test(
        "a body must have a media type of the route",
        arguments: [
            ("application/json", 200), ("Application/JSON; charset=utf-8", 200), ("application/problem+json", 200),
            ("text/anything", 200), ("image/png", 415), ("application", 415), ("", 415),
        ]
    )
    func types(type: String, status: Int) async throws {
        let fields: Fields = type.isEmpty ? [:] : ["Content-Type": type]
        let response = await answer(try request(.post, "/v1/login", fields, body: "{}"))
        #expect(response.status.code == status)
        if status == 415 { #expect(response.fields["Accept"] == "application/json, text/*") }
    }

    @Test("the body limit is that of the route, or the default")
    func limits() throws {
        func limit(_ target: String, _ method: Method) throws -> ByteCount? {
            let plan = router.exchange(for: try request(method, target)).plan
            guard case .collect(let limit, _) = plan else { return nil }
            return limit
        }
        #expect(try limit("/v1/login", .post) == .bytes(10))
        #expect(try limit("/v1/state/a/b", .put) == .mebibytes(1))
    }

    @Test("access control runs before the body is read, and its problem is the response")
    func accessCheck() async throws {
        let router = Router([Self.echo(.get, "/secret/{name}")]) { route, request in
            #expect(route.access == .read)
            return Problem(.forbidden, "no", "no", detail: request[parameter: "name"])
        }
        let request = try request(.get, "/secret/x", body: "unexpected")
        let response = await router.exchange(for: request).response(to: request)
        #expect(response.status == .forbidden)
        #expect(response.text.contains("\"detail\":\"x\""))
    }

    @Test(
        "a route with a synchronous fast path collects its body first, and falls back to async work",
        arguments: [
            ("now", "now", "now: now"), ("later", "later", "later: later"), ("refused", "now", "refused"),
            ("refused later", "later", "refused"),
        ]
    )
    func atOnce(body: String, kind: String, text: String) async throws {
        let problem = Problem(.conflict, "refused", "refused", detail: "refused")
        let route = Route(
            .post,
            "/",
            "Answer.",
            access: .anyone,
            body: .collected(types: [], upTo: .bytes(20)),
            .snapshotOrWork { request in
                let text = String(decoding: request.body, as: UTF8.self)
                if text == "refused" { throw problem }
                guard text == "now" else {
                    return .later {
                        if text != "later" { throw problem }
                        return Response(.ok, body: .bytes(Array("later: \(text)".utf8)))
                    }
                }
                return .now(Response(.ok, body: .bytes(Array("now: \(text)".utf8))))
            }
        )
        let request = try request(.post, "/", body: body)
        var head = request
        head.body = []
        guard case .collect(let limit, let collector) = Router([route]).exchange(for: head).plan else {
            Issue.record("the body is not collected")
            return
        }
        #expect(limit == .bytes(20))
        switch collector(request) {
        case .now(let answer):
            #expect(kind == "now")
            #expect(answer.text.contains(text), "\(answer.text)")
        case .later(let work):
            #expect(kind == "later")
            let answer = await work()
            #expect(answer.text.contains(text), "\(answer.text)")
        }
    }

    @Test("bodies of one media type are streamed, others use another handler", arguments: ["a/b", "c/d"])
    func streamOf(type: String) throws {
        let answer = Response(.ok)
        let route = Route(
            .post,
            "/",
            "Answer.",
            access: .anyone,
            body: .collected(types: ["a/b", "c/d"], upTo: .bytes(20)),
            .streamOf("a/b", { _, _ in answer }, orElse: .snapshotOrWork { _ in .now(answer) })
        )
        switch Router([route]).exchange(for: try request(.post, "/", ["Content-Type": type], body: "x")).plan {
        case .stream(let limit, _): #expect(type == "a/b" && limit == nil)
        case .collect(let limit, _): #expect(type == "c/d" && limit == .bytes(20))
        case .answer(let answer): Issue.record("\(answer.text)")
        }
    }

    @Test("an unexpected error is logged, and not shown to the caller")
    func unexpectedErrors() async throws {
        struct Canary: Error { let secret = "tr0ub4dor" }
        let route = Route(.get, "/", "fails", access: .anyone, .work { _ in throw Canary() })
        try await confirmation { told in
            let router = Router([route], mishap: { _, error in if error is Canary { told() } })
            let request = try request(.get, "/")
            let response = await router.exchange(for: request).response(to: request)
            #expect(response.status == .internalError)
            #expect(!response.text.contains("tr0ub4dor"))
        }
    }

    @Test("ambiguous routes trap at start")
    func duplicates() async {
        await #expect(processExitsWith: .failure) {
            _ = Router([RouterTests.echo(.get, "/a/{one}"), RouterTests.echo(.get, "/a/{other}")])
        }
    }

    @Test("a path of many segments is matched in one pass", .timeLimit(.minutes(1)))
    func manySegments() async throws {
        let target = "/v1" + String(repeating: "/network", count: 1_000)
        #expect(await answer(try request(.get, target)).status == .ok)
    }
}
