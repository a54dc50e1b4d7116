import Testing
import WireBase
import WireConfig
import WireHTTP

@Suite("Operations that are answered with events where the caller asks for them")
struct APIStreamTests {
    struct PatientID: JSONRecord {
        let id: String

        static let form = JSONForm<Self>("PatientID", "Who.")

        init(_ members: inout Members<Self>) throws(JSONMismatch) {
            id = try members.path("id", \.id, "Who.")
        }
    }

    static let look = APICall<PatientID, APICallTests.Bed, APICallTests.WardFailureKind>(
        .get,
        "/v1/patients/{id}",
        "Look.",
        access: .read,
        answers: [.init(.ok, "How it is,")],
        streams: APIStream("or how it gets on.", asked: "Send how it gets on."),
        fails: [.unknown]
    )

    struct Hospital: RouteGroup {
        static let table: [RouteEntry<Self>] = [
            .call(APIStreamTests.look, atOnce: Hospital.look, orStreaming: Hospital.stream)
        ]

        func look(
            _ request: APIRequest<PatientID>
        ) throws(APIFailure<APICallTests.WardFailureKind>) -> APIReply<APICallTests.Bed> {
            APIReply(APICallTests.Bed(text: request.id))
        }

        func stream(_ request: APIRequest<PatientID>) throws(APIFailure<APICallTests.WardFailureKind>) -> Response {
            if request.id == "none" { throw APIFailure(.unknown, "nothing is known of 'none'") }
            return .events { _ in }
        }
    }

    private static func ask(_ target: String, accepts type: String? = nil) async throws -> Response {
        var asked = try request(.get, target, type.map { ["Accept": $0] } ?? [:])
        asked.rights = .everything("ada")
        return await Router(Hospital().routes).exchange(for: asked).response(to: asked)
    }

    @Test(
        "'watch' decides, and 'Accept' where it is absent",
        arguments: [
            ("", nil, false), ("", "application/json", false), ("", "text/event-stream", true),
            ("", "Text/Event-Stream; q=1", true), ("?watch", nil, true), ("?watch=true", "application/json", true),
            ("?watch=false", "text/event-stream", false),
        ] as [(String, String?, Bool)]
    )
    func asked(query: String, type: String?, isStreamed: Bool) async throws {
        let answer = try await Self.ask("/v1/patients/ada\(query)", accepts: type)
        #expect(answer.status == .ok)
        #expect((answer.fields["Content-Type"] == "text/event-stream") == isStreamed)
        if !isStreamed { #expect(answer.text == #"{"text":"ada"}"#) }
    }

    @Test("what is wrong is a problem before anything is streamed")
    func wrong() async throws {
        #expect(try await Self.ask("/v1/patients/none?watch=true").status == .notFound)
        let answer = try await Self.ask("/v1/patients/ada?watch=maybe")
        #expect(answer.status == .badRequest && answer.text.contains("'watch': found 'maybe'"), "\(answer.text)")
    }

    @Test("the description has both ways to ask, and both answers; a client writes 'watch'")
    func described() throws {
        let operation = Self.look.operation
        #expect(operation.inputs.map(\.name) == ["id", "watch", "Accept"])
        let id = try PatientID(texts: { _ throws(JSONMismatch) in "a b" })
        #expect(Self.look.streamTarget(for: id) == "/v1/patients/a%20b?watch=true")
    }
}
