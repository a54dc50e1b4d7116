import Testing
import WireConfig
import WireHTTP

@Suite("Problems in the API description")
struct DescriptionTests {
    /// What an operation is described to answer with a status.
    private func described(_ operation: Operation, _ status: Int) -> String {
        let method = APIDescription([operation]).value["paths"]?[operation.pattern]?[operation.method.name.lowercased()]
        return method?["responses"]?["\(status)"]?.text() ?? ""
    }

    private func operation(_ pattern: String, _ body: Route.BodyRule = .none, _ inputs: [Route.Input] = []) -> Operation
    {
        Operation(.post, pattern, "Does something.", access: .read, body: body, inputs: inputs)
    }

    @Test("only a path with a placeholder can be not found")
    func paths() {
        #expect(described(operation("/v1/things/{name}"), 404).contains("urn:corewire:problem:no-such-path"))
        #expect(described(operation("/v1/things"), 404).isEmpty)
    }

    @Test("possible problems of a body follow from its type")
    func bodies() {
        let none = operation("/v1/things")
        #expect(described(none, 400).contains("body-not-expected") && !described(none, 400).contains("invalid-body"))
        #expect(described(none, 413).isEmpty && described(none, 415).isEmpty)
        let json = operation("/v1/things", .json(.text))
        #expect(!described(json, 400).contains("body-not-expected") && described(json, 400).contains("invalid-body"))
        #expect(described(json, 413).contains("body-too-large"))
        #expect(described(json, 415).contains("unsupported-media-type"))
        let any = operation("/v1/things", .collected(types: []))
        #expect(!described(any, 400).contains("body-not-expected") && !described(any, 400).contains("invalid-body"))
        #expect(described(any, 413).contains("body-too-large") && described(any, 415).isEmpty)
        let text = operation("/v1/things", .streamed(types: ["text/*"], upTo: nil))
        #expect(described(text, 413).contains("body-too-large"))
        #expect(described(text, 415).contains("unsupported-media-type"))
    }

    @Test("only a declared field can be malformed")
    func fields() {
        let field = operation("/v1/things", .none, [.init(.header, "If-Match", "A tag.")])
        #expect(described(field, 400).contains("malformed-field"))
        let item = operation("/v1/things", .none, [.init(.query, "q", "A word.")])
        #expect(!described(item, 400).contains("malformed-field"))
    }

    @Test("common responses are references, unless an operation adds details")
    func shared() {
        #expect(described(operation("/v1/things"), 403) == ##"{"$ref":"#/components/responses/403"}"##)
        let own = Operation(
            .post,
            "/v1/things",
            "Does something.",
            access: .read,
            answers: [.problem(.forbidden, "not-yours", "It is not yours.")]
        )
        #expect(described(own, 403).contains("urn:corewire:problem:not-yours"))
        #expect(described(own, 403).contains("urn:corewire:problem:forbidden"))
    }
}
