import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireSync
import WireTransfer

@Suite("File uploads", .timeLimit(.minutes(2)))
struct UploadTests {
    private static let schema = """
        scalar Upload
        type Stored { name: String!, size: Int!, hash: String!, title: String }
        type Query { nothing: Int }
        type Mutation { store(files: [Upload!]!, title: String): [Stored!]!, touch: Int }
        """
    private static let rules = "uploads: { maxFiles: 2, maxFileSize: 1MiB }"
    private static let document =
        "mutation Store($files: [Upload!]!, $title: String) { store(files: $files, title: $title) { name size title } }"
    private static let hasAriadne =
        ScriptedServer.hasModules("ariadne, aiohttp")

    @Test("uploads reach a third-party server, whatever the chunks", arguments: [1, 7, 65_536])
    func arrives(piece: Int) async throws {
        guard Self.hasAriadne else { return }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "upload_server.py"
        )
        let server = try await SubscriptionServers(script)
        let traffic = ClientPool(clock: HandClock().clockwork)
        let client = traffic.client {
            var rules = TrafficRules()
            rules.declaredHosts = ["127.0.0.1"]
            return rules
        }
        let url = server.scripted + "/graphql"
        let requests = PlainRequests(client, base: try WebURL(parsing: url), nil, .none)
        let bench = try await AskBench(Self.rules, schema: Self.schema, url: url, requests: requests)
        let form = Form(Self.document, files: ["one", String(repeating: "two\r\n--x", count: 400)], title: "T")
        let answer = try await bench.send(form, piece: piece)
        #expect(answer.status == 200)
        let stored = answer.json["data"]?["store"]?.text()
        #expect(
            stored == #"[{"name":"0.txt","size":3,"title":"T"},{"name":"1.txt","size":3200,"title":"T"}]"#,
            "\(answer.json.text())"
        )
        try await server.saw("length True true")
        await bench.end()
        await traffic.stop()
    }

    @Test(
        "an invalid upload is rejected by the file's limits and the specification",
        arguments: [
            ("", Form(document, files: ["a"]), 415, "'sync.uploads'"),
            (rules, Form("query Q { nothing }", files: ["a"]), 400, "found a query"),
            (rules, Form(document, files: ["a", "b", "c"]), 400, "more than 2 files"),
            (rules, Form(document, files: ["a"], map: #"{"0":["variables.title.x"]}"#), 400, "expected null at"),
            (rules, Form(document, files: ["a"], map: #"{"0":["query"]}"#), 400, "expected paths"),
            (rules, Form(document, files: ["a"], map: "[]"), 400, "expected an object"),
            (rules, Form(document, files: ["a", "b"], sends: 1), 400, "the file '1' is missing"),
            (
                rules, Form(document, files: ["a"], map: #"{"8":["variables.files.0"]}"#), 400,
                "does not name the file '0'"
            ),
            (rules, Form(document, files: [String(repeating: "x", count: 1_100_000)]), 400, "more than 1MiB"),
            (rules, Form(document, files: ["a"], isCut: true), 400, "in the middle of a file"),
            (rules, Form(document, files: ["a"], order: ["map", "operations"]), 400, "expected the part 'operations'"),
            (rules, Form("mutation { touch(a: 1) }", files: ["a"]), 400, "argument"),
            (
                rules, Form(document, files: ["a"], map: #"{"Operations":["variables.files.0"]}"#), 400,
                "is not a valid file name"
            ),
            (
                rules, Form(document, files: ["a"], head: "Content-Disposition: form-data; name=\"operations\""), 400,
                "'Content-Disposition' twice"
            ),
            (rules, Form(document, files: ["a"], head: "A: b\nC: d"), 400, "control character"),
            (rules, Form(document, files: ["a"], head: "Content-Type: text"), 400, "is not a media type"),
            (rules, Form(document, files: ["a"], head: "Content-Transfer-Encoding: base64"), 400, "expected 'binary'"),
            (rules, Form(document, files: ["a"], boundary: #"a\";boundary=\"b"#), 400, "no valid boundary"),
            (rules, Form(document, files: ["a"], end: String(repeating: " ", count: 1_100)), 400, "after its end"),
        ]
    )
    func refused(section: String, form: Form, status: Int, words: String) async throws {
        let bench = try await AskBench(section, schema: Self.schema, requests: SwallowingServer())
        let answer = try await bench.send(form, ["Accept": "application/graphql-response+json"])
        #expect(answer.status == status, "\(answer.json.text())")
        let message = (answer.json["errors"]?.array?.first?["message"] ?? answer.json["detail"])?.string
        #expect(message?.contains(words) == true, "\(answer.json.text())")
        await bench.end()
    }

    @Test("an upload is re-encoded, so that the server finds no other parts")
    func rewritten() async throws {
        let server = SwallowingServer()
        let bench = try await AskBench(Self.rules, schema: Self.schema, requests: server)
        let file = "a\n--\(Form.boundary)\nContent-Disposition: form-data; name=\"operations\"\n\nb"
        let heads = "Content-Type: TEXT/plain; charset=utf-8; boundary=x\r\nX-Other: 1"
        let form = Form(
            Self.document,
            files: [file],
            map: #"{"é":["variables.files.0"]}"#,
            head: heads,
            name: "é",
            fileName: #"c\"; name=\"operations\\"#
        )
        #expect(try await bench.send(form).status == 200)
        let sent = try #require(server.sent.last)
        let boundary = try #require(sent.type.split(separator: "=").last)
        #expect(sent.type == "multipart/form-data; boundary=\(boundary)")
        #expect(boundary.hasPrefix("corewire-") && boundary.count == 41)
        let parts = sent.text.components(separatedBy: "--\(boundary)")
        #expect(
            parts.dropFirst(3) == [
                "\r\nContent-Disposition: form-data; name=\"0\"; filename=\"c%22; name=%22operations%5C\"\r\n"
                    + "Content-Type: text/plain; charset=utf-8\r\n\r\n\(file)\r\n", "--\r\n",
            ]
        )
        #expect(parts[2].hasSuffix("\r\n\r\n" + #"{"0":["variables.files.0"]}"# + "\r\n"), "\(parts[2])")
        #expect(sent.length == sent.text.utf8.count)
        await bench.end()
    }

    @Test("short uploads have a length, and timeouts exclude the transfer")
    func length() async throws {
        let server = SwallowingServer()
        let bench = try await AskBench(Self.rules, schema: Self.schema, requests: server)
        let file = String(repeating: "x", count: 1_048_576)
        #expect(try await bench.send(Form(Self.document, files: [file]), piece: 1_000).status == 200)
        let sent = try #require(server.sent.last)
        #expect(sent.length == nil)
        #expect(sent.text.contains("\r\n\r\n\(file)\r\n--corewire-"))
        #expect(sent.timeout == nil && sent.deadline == .seconds(3_600))
        await bench.end()
    }

    @Test("an upload requires the right to write")
    func rights() async throws {
        let server = HandServer()
        let bench = try await AskBench(Self.rules, schema: Self.schema, server: server)
        let form = Form(Self.document, files: ["a"])
        let answer = try await bench.send(form, rights: Rights(access: .read, tokens: .all, account: "reader"))
        #expect(answer.json["errors"]?.array?.first?["message"]?.string?.contains("may not run mutations") == true)
        #expect(server.count == 0)
        await bench.end()
    }
}

/// A form of the GraphQL multipart request specification.
struct Form: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let testDescription: String
    let type: String
    static let boundary = "----WebKitFormBoundary7MA4YWxk"

    init(
        _ document: String,
        files: [String],
        title: String? = nil,
        map: String? = nil,
        order: [String] = ["operations", "map"],
        isCut: Bool = false,
        sends: Int? = nil,
        head: String = "Content-Type: text/plain",
        name: String? = nil,
        fileName: String? = nil,
        boundary: String = Form.boundary,
        end: String = "\r\n"
    ) {
        let variables = JSONValue.members([
            "files": .array(files.map { _ in .null }), "title": title.map(JSONValue.string),
        ])
        let places = files.indices.map { ("\($0)", JSONValue.array([.string("variables.files.\($0)")])) }
        let parts = [
            "operations": JSONValue.members(["query": .string(document), "variables": variables]).text(),
            "map": map ?? JSONValue.object(places).text(),
        ]
        var text = ""
        for name in order {
            text +=
                "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(parts[name] ?? "")\r\n"
        }
        for (number, file) in files.prefix(sends ?? files.count).enumerated() {
            let (name, fileName) = (name ?? "\(number)", fileName ?? "\(number).txt")
            text +=
                "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(fileName)\"\r\n"
            text += "\(head)\r\n\r\n\(file)" + (isCut ? "" : "\r\n")
        }
        if !isCut { text += "--\(Self.boundary)--\(end)" }
        type = "multipart/form-data; boundary=\"\(boundary)\""
        bytes = Array(text.utf8)
        testDescription = "\(document.prefix(20)) \(files.count) \(map ?? "") \(isCut) \(head.prefix(30)) \(boundary)"
    }
}

/// A server that reads what it is sent.
private final class SwallowingServer: ServerClient {
    struct Sent: Sendable {
        let type: String
        let length: Int?
        let text: String
        let timeout: Duration?
        let deadline: Duration?
    }

    private let all = Mutex<[Sent]>([])

    var sent: [Sent] { all.withLock { $0 } }

    func url(of address: Address) -> WebURL? { address.absolute }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        do {
            if case .stream(let length, let body) = call.body {
                let text = String(decoding: try await body.collect(upTo: .mebibytes(4)), as: UTF8.self)
                let type = call.fields["Content-Type"] ?? ""
                let sent = Sent(
                    type: type,
                    length: length,
                    text: text,
                    timeout: call.timeout,
                    deadline: call.deadline
                )
                all.withLock { $0.append(sent) }
            }
        } catch {
            throw CallFailure(.transfer(.interrupted), "cut", wasNotSent: false)
        }
        let body = Piecewise(Array(#"{"data":{"store":[]}}"#.utf8))
        return ServerAnswer(status: .ok, fields: ["Content-Type": "application/json"], body: body)
    }
}

extension AskBench {
    func send(
        _ form: Form,
        _ fields: Fields = [:],
        piece: Int = 65_536,
        rights: Rights = .everything("test")
    ) async throws -> (status: Int, fields: Fields, json: JSONValue) {
        var fields = fields
        fields["Content-Type"] = form.type
        fields["Content-Length"] = "\(form.bytes.count)"
        return try await ask(
            .post,
            "/v1/sync/graphql",
            bytes: form.bytes,
            fields,
            rights: rights,
            piece: piece
        )
    }
}
