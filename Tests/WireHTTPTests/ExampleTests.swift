import Testing
import WireConfig
import WireHTTP

@Suite("Examples in the API description")
struct ExampleTests {
    private func api<Input: JSONRecord, Answer: JSONRecord>(_ input: Input.Type, _ answer: Answer.Type)
        -> APIDescription
    {
        let call = APICall<Input, Answer, NoFailureKind>(
            .post,
            "/v1/letters/{box}",
            "Send a letter.",
            access: .write,
            answers: [.init(.ok, "It is sent.")],
            fails: []
        )
        return APIDescription([call.operation])
    }

    @Test("an example consists of required members, and those with an example")
    func follows() {
        let components = api(Letter.self, Sent.self).value["components"]
        let letter = components?["examples"]?["Letter"]?["value"]?.text()
        #expect(letter == #"{"to":["ada@example.com"],"size":1,"colour":"blue"}"#)
        #expect(components?["examples"]?["Sent"]?["value"]?.text() == #"{"letters":[{"kind":"usual"}]}"#)
    }

    @Test("bodies and responses refer to it, parameters have their own")
    func places() {
        let operation = api(Letter.self, Sent.self).value["paths"]?["/v1/letters/{box}"]?["post"]
        let reference = ##"{"usual":{"$ref":"#/components/examples/Letter"}}"##
        #expect(operation?["requestBody"]?["content"]?["application/json"]?["examples"]?.text() == reference)
        let answer = operation?["responses"]?["200"]?["content"]?["application/json"]?["examples"]?["usual"]
        #expect(answer?.text() == ##"{"$ref":"#/components/examples/Sent"}"##)
        #expect(operation?["parameters"]?.array?.map { $0["example"]?.string } == ["out"])
    }

    @Test("without an example for a member there is none for its type")
    func missing() {
        let api = api(Letter.self, Unclear.self)
        #expect(api.withoutExample == ["Unclear"])
        #expect(api.value["components"]?["examples"]?["Unclear"] == nil)
    }

    @Test("an invalid example is detected")
    func refused() {
        #expect(api(Letter.self, Sent.self).refusedExamples.isEmpty)
        #expect(api(Letter.self, Wrong.self).refusedExamples == ["Wrong/name: found 5 bytes, expected 1 to 3"])
    }
}

private enum Colour: String, JSONWord, PlainCodable { case red, blue }

private struct Letter: JSONRecord {
    let box: String
    let to: [String]
    let size: Int
    let colour: Colour?
    let note: String?
    static let form = JSONForm<Self>("Letter", "A letter.")
}

extension Letter {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        box = try members.path("box", \.box, "The box.", .length(1...3), .example("out"))
        to = try members.required("to", \.to, "Whom it is for.", .example(["ada@example.com"]))
        size = try members.required("size", \.size, "Its size.", .in(1...9))
        colour = try members.optional("colour", \.colour, "Its colour.", .example(.blue))
        note = try members.optional("note", \.note, "What is written on it.")
    }
}

private struct Sent: JSONRecord {
    struct Kept: JSONRecord {
        enum Kind: String, JSONWord, PlainCodable { case usual, registered }
        let kind: Kind
        static let form = JSONForm<Self>("Kept", "A letter that is kept.")
        init(_ members: inout Members<Self>) throws(JSONMismatch) {
            kind = try members.required("kind", \.kind, "Its kind.")
        }
    }

    let letters: [Kept]
    static let form = JSONForm<Self>("Sent", "What was sent.")
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        letters = try members.required("letters", \.letters, "The letters.")
    }
}

private struct Unclear: JSONRecord {
    let name: String
    static let form = JSONForm<Self>("Unclear", "A record without an example.")
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its name.")
    }
}

private struct Wrong: JSONRecord {
    let name: String
    static let form = JSONForm<Self>("Wrong", "A record whose example is none.")
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its name.", .length(1...3), .example("Lotte"))
    }
}
