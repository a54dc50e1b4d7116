import Testing
import WireBase
import WireConfig
import WireHTTP

@Suite("Calls with event streams")
struct APIStreamTests {
    enum ClockFailureKind: String, FailureKind {
        case stopped = "clock-stopped"

        var facts: FailureFacts { FailureFacts(.conflict, "the clock is stopped", "It is stopped.", retryAfter: 3) }
    }

    struct ClockRequest: JSONRecord {
        let name: String
        let last: Int64?
        let zone: String?

        static let form = JSONForm<Self>("ClockRequest", "Which clock.")

        init(_ members: inout Members<Self>) throws(JSONMismatch) {
            name = try members.path("name", \.name, "Which one.")
            last = try members.header("Last-Event-ID", \.last, "After this.")
            zone = try members.query("zone", \.zone, "Where.")
        }
    }

    static let show = APICall<ClockRequest, NoInput, ClockFailureKind>(
        .get,
        "/v1/clocks/{name}",
        "The time; as text/event-stream as it passes.",
        access: .read,
        answers: [.init(.ok, "The time,")],
        streams: APIStream("or as it passes.", asked: "Send the time as it passes."),
        fails: [.stopped]
    )

    struct Clocks: RouteGroup {
        static let table: [RouteEntry<Self>] = [
            .call(APIStreamTests.show, by: show, orStreaming: ticks).inline,
            .init(.init(.post, "/v1/clocks/{name}/stop", "Stop it.", access: .write)) { .work($0.stop) },
        ]

        func show(_ request: APIRequest<ClockRequest>) throws(APIFailure<ClockFailureKind>) -> APIReply<NoInput> {
            APIReply(NoInput())
        }

        func ticks(_ request: APIRequest<ClockRequest>) throws(APIFailure<ClockFailureKind>) -> Response {
            guard request.name != "stopped" else { throw APIFailure(.stopped, "it is stopped") }
            var answer = Response.events { _ in }
            answer.fields["Corewire-After"] = request.last.map { "\($0)" }
            return answer
        }

        func stop(_ request: Request) async throws -> Response {
            throw APIFailure(ClockFailureKind.stopped, "it is stopped already", help: "start it")
        }
    }

    private static func ask(_ method: Method, _ target: String, _ fields: Fields = [:]) async throws -> Response {
        var request = Request(
            method: method,
            target: try #require(Target(parsing: target)),
            fields: fields,
            caller: .address("127.0.0.1")
        )
        request.rights = .everything("ada")
        switch Router(Clocks().routes).exchange(for: request).plan {
        case .answer(let answer): return answer
        case .collect(_, let collect):
            switch collect(request) {
            case .now(let answer): return answer
            case .later(let work): return await work()
            }
        case .stream: throw CancellationError()
        }
    }

    @Test(
        "events are returned for 'watch' or Accept, otherwise the response of the call",
        arguments: [
            ("", [:], false), ("?watch", [:], true), ("?watch=true", [:], true), ("?watch=false", [:], false),
            ("", ["Accept": "text/event-stream"], true), ("", ["Accept": "text/html , text/event-stream;q=0.5"], true),
            ("", ["Accept": "application/json"], false), ("", ["Accept": "text/event-streams"], false),
        ] as [(String, Fields, Bool)]
    )
    func choice(query: String, fields: Fields, isStream: Bool) async throws {
        let answer = try await Self.ask(.get, "/v1/clocks/wall\(query)", fields)
        #expect(answer.status == .ok)
        #expect(answer.fields["Content-Type"] == (isStream ? "text/event-stream" : "application/json"))
        #expect(try await Self.ask(.get, "/v1/clocks/wall?wach").status == .badRequest)
    }

    @Test("parameters of the response are rejected for events; the last id is a member")
    func members() async throws {
        #expect(try await Self.ask(.get, "/v1/clocks/wall?zone=utc").status == .ok)
        #expect(try await Self.ask(.get, "/v1/clocks/wall?zone=utc&watch").status == .badRequest)
        #expect(try await Self.ask(.get, "/v1/clocks/wall?watch", ["Last-Event-ID": "x"]).status == .badRequest)
        let answer = try await Self.ask(.get, "/v1/clocks/wall?watch", ["Last-Event-ID": "7"])
        #expect(answer.fields["Corewire-After"] == "7")
    }

    @Test("the description has both, and in-process code finds the call")
    func description() throws {
        let entry = try #require(Clocks.operations.first)
        #expect(entry.inputs.map(\.name) == ["name", "Last-Event-ID", "zone", "watch", "Accept"])
        let text = APIDescription([entry]).value.text()
        #expect(text.contains("The time, or as it passes.") && text.contains(#""text/event-stream":{"schema":{}}"#))
        let handler = Clocks().routes.first?.callHandler
        #expect(handler is APIHandler<ClockRequest, NoInput, ClockFailureKind>)
    }

    @Test(
        "a failure thrown by a route becomes its problem",
        arguments: [(Method.get, "?watch"), (.post, "/stop")]
    )
    func failure(method: Method, rest: String) async throws {
        let answer = try await Self.ask(method, "/v1/clocks/stopped\(rest)")
        #expect(answer.status == .conflict)
        #expect(answer.fields["Retry-After"] == "3")
        guard case .bytes(let bytes) = answer.body else { throw CancellationError() }
        #expect(String(decoding: bytes, as: UTF8.self).contains("urn:corewire:problem:clock-stopped"))
    }

    @Test("a path is built from a pattern, also with a rest placeholder")
    func target() throws {
        let admission = APICallTests.Admission(ward: "a/b c", name: "x")
        #expect(admission.target(in: "/v1/{ward}") == "/v1/a%2Fb%20c")
        #expect(admission.target(in: "/v1/{ward…}") == "/v1/a%2Fb%20c")
    }
}
