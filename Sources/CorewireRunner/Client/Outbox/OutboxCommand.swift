import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire outbox`: requests that must arrive, from the command line.
enum OutboxCommand {
    static let deeds: Deeds = [
        "outbox list": list,
        "outbox show": show,
        "outbox retry": retry,
        "outbox drop": drop,
        "outbox pause": { try await setPause(true, $0) },
        "outbox resume": { try await setPause(false, $0) },
        "outbox post": post,
    ]

    static func list(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let limit = try invocation.count("limit", in: 1...1_000_000) ?? 100
            let client = try RunnerClient(invocation)
            let lane = invocation.option("lane").map { "&lane=\($0.percentEncoded)" } ?? ""
            var found: [JSONValue] = []
            var next: Int?
            var head: JSONValue
            repeat {
                let size = min(1_000, limit - found.count)
                let after = next.map { "&after=\($0)" } ?? ""
                head = try await client.get("/v1/outbox?limit=\(size)\(lane)\(after)")
                guard let page = head["requests"]?.array else { throw Failure.foreign(client.socket) }
                found += page
                // A list that does not get on would never end.
                guard head["next"] == nil || (!page.isEmpty && head["next"]?.integer != next) else {
                    throw Failure.foreign(client.socket)
                }
                next = head["next"]?.integer
            } while next != nil && found.count < limit
            let members = (head.members ?? []).map { $0.key == "requests" ? ($0.key, .array(found)) : $0 }
            showing.show(.object(members)) { OutboxText.list(head, found, showing.paint) }
            return .success
        }
    }

    static func show(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let query = invocation.flag("content") ? "?content=true" : ""
            let entry = try await client.get(invocation.requestPath + query)
            guard let state = entry["state"]?.string else { throw Failure.foreign(client.socket) }
            showing.show(entry) { OutboxText.entry(entry, showing.paint) }
            return state == "failed" || state == "dropped" ? .problemsFound : .success
        }
    }

    static func retry(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            _ = try await client.ask(.post, invocation.requestPath + "/retry", within: patience).wellDone()
            showing.show(.members(["retried": .boolean(true)])) { "it is tried now\n" }
            return .success
        }
    }

    static func drop(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            _ = try await client.ask(.delete, invocation.requestPath, within: patience).wellDone()
            showing.show(.members(["dropped": .boolean(true)])) { "dropped\n" }
            return .success
        }
    }

    static func setPause(_ isPaused: Bool, _ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let body = JSONValue.members(["lane": invocation.option("lane").map(JSONValue.string)])
            let path = "/v1/outbox/\(isPaused ? "pause" : "resume")"
            let answer = try await client.tell(.post, path, body).wellDone().json()
            showing.show(answer) { (isPaused ? "" : "resumed; ") + OutboxText.pauses(answer) }
            return .success
        }
    }

    static func post(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let request = try OutboxEnvelope(invocation).json
            let client = try RunnerClient(invocation)
            let answer = try await client.tell(.post, "/v1/outbox", request).wellDone().json()
            guard let id = answer.line("id"), let isNew = answer["new"]?.boolean else {
                throw Failure.foreign(client.socket)
            }
            showing.show(answer) { isNew ? "taken: \(id)\n" : "\(id) was taken before\n" }
            return .success
        }
    }

    /// Long enough for a write that waits for a slow disk.
    private static let patience = Duration.seconds(60)
}

/// A request as the command line gives it.
private struct OutboxEnvelope {
    let json: JSONValue

    /// As large as the file lets a body be.
    private static let limit = ByteCount.mebibytes(8)

    init(_ invocation: Invocation) throws {
        let body = try Self.body(invocation)
        var headers: [(key: String, value: JSONValue)] = []
        if body != nil { headers.append(("Content-Type", .string(invocation.option("type") ?? "application/json"))) }
        for header in invocation.all("header") {
            guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
                throw UsageError("--header takes 'name: value', not \(header.quoted)", for: invocation.path)
            }
            let name = String(header[..<colon])
            let value = String(header[header.index(after: colon)...].drop { $0 == " " })
            headers.removeAll { $0.key.isSameField(as: name) }
            headers.append((name, .string(value)))
        }
        let text = body.flatMap { String(validating: $0, as: UTF8.self) }
        if let maxAge = invocation.option("max-age") { _ = try invocation.duration(maxAge, option: "max-age") }
        json = .members([
            "path": .string(invocation.argument(0) ?? ""), "method": invocation.option("method").map(JSONValue.string),
            "headers": headers.isEmpty ? nil : .object(headers), "text": text.map(JSONValue.string),
            "base64": text == nil ? body.map { .string(Base64.text(of: $0)) } : nil,
            "lane": invocation.option("lane").map(JSONValue.string),
            "id": invocation.option("id").map(JSONValue.string),
            "authorization": try invocation.choice("authorization").map(JSONValue.string),
            "attempts": try invocation.count("attempts", in: 1...1_000).map(JSONValue.integer),
            "maxAge": invocation.option("max-age").map(JSONValue.string),
            "replace": invocation.flag("replace") ? .boolean(true) : nil,
        ])
    }

    private static func body(_ invocation: Invocation) throws -> [UInt8]? {
        guard let given = invocation.argument(1) else { return nil }
        guard given == "-" else { return Array(given.utf8) }
        do throws(Files.Failure) {
            return try Files.read("-", upTo: limit)
        } catch {
            throw Failure(message: "cannot read standard input: \(error.reason)", status: .inputOutput)
        }
    }
}

extension Invocation {
    /// Where the API has the request that the argument names.
    fileprivate var requestPath: String { "/v1/outbox/\((argument(0) ?? "").percentEncoded)" }
}
