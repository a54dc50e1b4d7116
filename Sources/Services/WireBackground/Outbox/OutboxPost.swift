import WireBase
import WireConfig
import WireHTTP
import WireService

/// A request as a program posts it: read strictly, so that what is misspelt is told and not passed over.
struct OutboxPost {
    let request: OutboxRequest

    /// Without a lane it waits in line with others of whoever is signed in.
    init(_ posted: Request, user: String?) throws(Problem) {
        request = try posted.json { members throws(Problem) in try Self.read(&members, user) }
    }

    static let usualLane = "default"

    private static func read(_ members: inout JSONMembers, _ user: String?) throws(Problem) -> OutboxRequest {
        let (method, path) = (try members.textIfAny("method") ?? "POST", try members.text("path"))
        let lane = try members.textIfAny("lane") ?? user ?? usualLane
        var request = OutboxRequest(Method(method), path, lane: lane, service: "app")
        request.id = try members.textIfAny("id")
        if let fields = try members.object("headers", { inner throws(Problem) in try Self.fields(&inner) }) {
            request.fields = fields
        }
        try body(&members, into: &request)
        if let word = try members.textIfAny("authorization") {
            guard let authorization = ServerCall.Authorization(word: word) else {
                throw members.failure(
                    "found \(word.quoted), expected \(ServerCall.Authorization.words.listed())",
                    "authorization"
                )
            }
            request.authorization = authorization
        }
        if let name = try members.textIfAny("idHeader") { request.idField = name.isEmpty ? nil : name }
        request.attempts = try members.integerIfAny("attempts", in: 1...1_000)
        if let text = try members.textIfAny("maxAge") {
            guard let maxAge = try? Duration(parsing: text) else {
                throw members.failure("found \(text.quoted), expected a duration such as 7d", "maxAge")
            }
            request.maxAge = maxAge
        }
        request.replacesFormer = try members.booleanIfAny("replace") ?? false
        return request
    }

    private static func fields(_ members: inout JSONMembers) throws(Problem) -> Fields {
        var fields = Fields()
        for member in try members.all() {
            switch member.value {
            case .string(let value): fields.add(member.key, value)
            case .array(let values):
                for value in values {
                    guard let text = value.string else {
                        throw members.failure("expected text, or an array of texts", member.key)
                    }
                    fields.add(member.key, text)
                }
            default: throw members.failure("expected text, or an array of texts", member.key)
            }
        }
        return fields
    }

    private static func body(_ members: inout JSONMembers, into request: inout OutboxRequest) throws(Problem) {
        let text = try members.textIfAny("text")
        let base64 = try members.textIfAny("base64")
        let json = try members.value("json")
        guard [text != nil, base64 != nil, json != nil].filter({ $0 }).count <= 1 else {
            let second = json != nil ? "json" : "base64"
            throw members.failure("the body is given twice, expected one of 'text', 'base64' and 'json'", second)
        }
        if let text { add(Array(text.utf8), "text/plain; charset=utf-8", to: &request) }
        if let json { add(json.bytes(), "application/json", to: &request) }
        if let base64 {
            guard let bytes = Base64.bytes(of: base64) else {
                throw members.failure("expected base64 with its padding", "base64")
            }
            add(bytes, "application/octet-stream", to: &request)
        }
    }

    private static func add(_ body: [UInt8], _ type: String, to request: inout OutboxRequest) {
        request.body = body
        if request.fields["Content-Type"] == nil { request.fields["Content-Type"] = type }
    }

    static let schema = JSONSchema.object(
        [
            .optional("method", "What it wants done; POST where absent.", .text),
            .required("path", "Below the base URL of the environment, with its query; or a whole URL.", .text),
            .optional("headers", "Fields by their names, each a text or an array of texts.", .anything),
            .optional("json", "The body: any JSON value.", .anything),
            .optional("text", "Or the body as text.", .text),
            .optional("base64", "Or the body as base64.", .text),
            .optional(
                "lane",
                "What it waits in line with; that of the signed-in user where absent, or 'default'.",
                .text(from: 1, upTo: OutboxCheck.laneLength)
            ),
            .optional(
                "id",
                "Never taken twice, and sent to the server; made where absent.",
                .text(pattern: "^[!-.0-~]+$", from: 1, upTo: OutboxCheck.idLength)
            ),
            .optional("idHeader", "The field the id is sent in, Request-ID where absent; none where empty.", .text),
            .optional(
                "authorization",
                "Whose token goes along, to the server of the base URL and to those of network.tokenHosts alone.",
                .words(ServerCall.Authorization.words)
            ),
            .optional("attempts", "How often it is tried, in place of what the file says.", .integer(in: 1...1_000)),
            .optional("maxAge", "How long it may wait, in place of what the file says, such as 7d.", .text),
            .optional("replace", "Whether it takes the place of those of its lane that wait.", .boolean),
        ],
        help: "A request that must arrive."
    ).named("OutboxRequest")

    /// An id as a segment of a path.
    static func escaped(_ id: String) -> String {
        var text = ""
        for byte in id.utf8 {
            if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + Hexadecimal.text(of: [byte]).uppercased()
            }
        }
        return text
    }
}
