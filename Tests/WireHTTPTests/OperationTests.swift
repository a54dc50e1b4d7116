import Testing
import WireBase
import WireConfig
import WireHTTP

@Suite("Operations in the API description")
struct OperationTests {
    private struct Visit: JSONObject {
        let id: Int64
        var note: String?

        static let shape = JSONShape<Self>(
            "Visit",
            "One visit.",
            [
                .member("id", "Its number.") { $0.id },
                .member("note", "What was said.") { $0.note },
            ]
        )
    }

    private static let operations = [
        Operation(
            .get,
            "/v1/wards/{ward}/visits/{id}",
            "Show a visit.",
            access: .read,
            inputs: [
                .init(.query, "id", "Another number."), .init(.path, "ward", "The ward."),
                .init(.path, "id", "The number of the visit.", .integer),
                .init(.header, "Accept-Language", "A language."),
            ],
            answers: [.json(Visit.schema, "The visit.")]
        ),
        Operation(
            .put,
            "/v1/wards/{ward}/visits/{id}",
            "Replace a visit.",
            access: .write,
            body: .json(Visit.schema, upTo: .bytes(10)),
            answers: [.nothing(.noContent, "It is replaced.")]
        ),
        Operation(.post, "/v1/any", "Store bytes.", access: .write, body: .collected(types: [], upTo: .bytes(10))),
        Operation(
            .put,
            "/v1/files/{path…}",
            "Store a file.",
            access: .admin,
            body: .streamed(types: ["image/png"], upTo: nil)
        ),
        Operation(.patch, "/v1/any", "Change it.", access: .write, body: .json(Visit.schema, mayBeEmpty: true)),
        Operation(.get, "/health", "Say that it lives.", access: .anyone, answers: [.nothing(.noContent, "It lives.")]),
    ]

    private let api = APIDescription(Self.operations).value

    private func operation(_ method: String, _ path: String) throws -> JSONValue {
        try #require(api["paths"]?[path]?[method])
    }

    @Test("a description has the declared members, without empty ones")
    func told() {
        #expect(Visit(id: 1_772_323_199_999).json.text() == #"{"id":1772323199999}"#)
        #expect(Visit(id: 1, note: "x").json.text() == #"{"id":1,"note":"x"}"#)
        let visit = api["components"]?["schemas"]?["Visit"]
        #expect(visit?["required"]?.array?.compactMap(\.string) == ["id"])
        #expect(visit?["properties"]?["id"]?["type"]?.string == "integer")
        #expect(visit?["properties"]?["note"]?["type"]?.string == "string")
        #expect(api["components"]?["schemas"]?.members?.map(\.key) == ["Problem", "Visit"])
    }

    @Test("a path occurs once, with its methods in order of declaration")
    func paths() throws {
        let expected = ["/v1/wards/{ward}/visits/{id}", "/v1/any", "/v1/files/{path}", "/health"]
        #expect(api["paths"]?.members?.map(\.key) == expected)
        #expect(api["paths"]?[expected[0]]?.members?.map(\.key) == ["get", "put"])
        #expect(api["paths"]?[expected[1]]?.members?.map(\.key) == ["post", "patch"])
        #expect(try operation("get", expected[0])["operationId"]?.string == "getWardsWardVisitsId")
        #expect(try operation("get", expected[0])["security"] == nil)
        #expect(try operation("get", "/health")["security"]?.array?.first?.members?.isEmpty == true)
        let changing = try #require(operation("put", expected[0])["security"]?.array)
        #expect(changing.map { $0.members?.map(\.key) } == [["token", "notFromAPage"], ["session", "notFromAPage"]])
    }

    @Test("a placeholder is described by its path input, or as text")
    func placeholders() throws {
        let parameters = try #require(operation("get", "/v1/wards/{ward}/visits/{id}")["parameters"]?.array)
        let told = parameters.map { parameter in
            let words = ["in", "name", "description"].map { parameter[$0]?.string ?? "" }
            let type = parameter["schema"]?["type"]?.string ?? ""
            return words.joined(separator: " ") + " \(type) \(parameter["required"]?.boolean ?? false)"
        }
        #expect(
            told == [
                "path ward The ward. string true", "path id The number of the visit. integer true",
                "query id Another number. string false", "header Accept-Language A language. string false",
            ]
        )
        let rest = try #require(operation("put", "/v1/files/{path}")["parameters"]?.array)
        #expect(rest.map { $0["name"]?.string } == ["path"])
        #expect(rest[0]["schema"]?["type"]?.string == "string" && rest[0]["description"] == nil)
    }

    @Test("a body is described by its media types, or as any type")
    func bodies() throws {
        let bytes = try #require(operation("post", "/v1/any")["requestBody"])
        #expect(
            bytes["content"]?.members?.map(\.key) == ["application/octet-stream"]
                && bytes["description"]?.string == "At most 10B."
        )
        let file = try #require(operation("put", "/v1/files/{path}")["requestBody"])
        #expect(file["content"]?.members?.map(\.key) == ["image/png"] && file["description"] == nil)
        let visit = try #require(operation("put", "/v1/wards/{ward}/visits/{id}")["requestBody"])
        #expect(visit["content"]?.members?.map(\.key) == ["application/json"] && visit["required"]?.boolean == true)
        #expect(try operation("patch", "/v1/any")["requestBody"]?["required"]?.boolean == false)
        #expect(try operation("get", "/health")["requestBody"] == nil)
    }
}
