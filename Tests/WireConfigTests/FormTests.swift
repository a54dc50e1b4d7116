import Testing
import WireConfig

/// Where something is sent: a value of two shapes, told apart by a key.
private enum Destination: OneOf {
    case letter(Letter)
    case parcel(Parcel)

    static var discriminator: String? { "type" }

    static var alternatives: [Alternative<Destination>] {
        [
            Alternative("letter", "A letter.") { .letter($0) },
            Alternative("parcel", "A parcel.") { .parcel($0) },
        ]
    }
}

private struct Letter: Record {
    @Setting var stamp: String

    init(_ keys: inout Keys) { _stamp = keys.required("stamp", "The stamp.") }
}

private struct Parcel: Record {
    @Setting var weight: Int?

    init(_ keys: inout Keys) { _weight = keys.optional("weight", "The weight.", .in(1...30)) }
}

private struct PostSection: Section {
    static let name = "post"
    static let summary = "What is sent."
    @Setting var days: [String]
    @Setting var to: Destination?

    init(_ keys: inout Keys) {
        _days = keys.value("days", "When it is sent.", or: ["monday"], .notEmpty)
        _to = keys.optional("to", "Where it is sent.")
    }
}

@Suite("Forms of sections")
struct FormTests {
    private let catalogue = Catalogue([PostSection.self])

    @Test(
        "a key is found by its path, in any alternative or environment",
        arguments: [
            (["post"], "What is sent."), (["post", "days"], "When it is sent."),
            (["post", "to", "type"], "The kind of the value."), (["post", "to", "stamp"], "The stamp."),
            (["post", "to", "weight"], "The weight."), (["environments", "prod"], "An environment."),
            (["environments", "prod", "post", "to", "weight"], "The weight."), (["post", "days", "0"], ""),
            (["post", "to", "colour"], nil), (["post", "to", "type", "more"], nil),
            (["post", "days", "0", "more"], nil), (["letters"], nil),
        ] as [([String], String?)]
    )
    func keys(path: [String], help: String?) {
        #expect(FileForm(catalogue).key(at: path)?.help == help)
    }

    @Test("the discriminator of alternatives lists their names, and its nested keys are known")
    func names() throws {
        let form = FileForm(catalogue)
        let key = try #require(form.key(at: ["post", "to", "type"]))
        guard case .choice(let words) = key.form else {
            Issue.record("it is no choice")
            return
        }
        #expect(words.map(\.name) == ["letter", "parcel"] && key.isRequired)
        #expect(form.names(below: ["post"]) == ["days", "to", "required"])
        #expect(form.names(below: ["post", "to"]) == ["type", "stamp", "weight"])
        #expect(form.names(below: []).contains("post"))
    }

    @Test("the schema requires a key only if no environment can set it")
    func schema() {
        let definitions = SchemaWriter(catalogue).file["definitions"]
        let complete = definitions?["complete.post"]?["properties"]
        let partial = definitions?["partial.post"]?["properties"]
        #expect(complete?["days"]?["minItems"]?.integer == 1)
        #expect(partial?["days"]?["minItems"]?.integer == 1)
        // Two shapes, one that only the deployment knows, and null.
        #expect(complete?["to"]?["anyOf"]?.array?.count == 4)
        #expect(complete?["to"]?["anyOf"]?.array?.first?["required"]?.text() == #"["type","stamp"]"#)
        #expect(complete?["to"]?["anyOf"]?.array?[1]["required"]?.text() == #"["type"]"#)
        #expect(partial?["to"]?["anyOf"]?.array?.count == 4)
        #expect(partial?["to"]?["anyOf"]?.array?.first?["required"] == nil)
        #expect(partial?["to"]?["anyOf"]?.array?.last?.text() == #"{"type":"null"}"#)
        let weight = complete?["to"]?["anyOf"]?.array?[1]["properties"]?["weight"]?["anyOf"]?.array?.first
        #expect(weight?.text() == #"{"type":"integer","minimum":1,"maximum":30}"#)
    }
}
