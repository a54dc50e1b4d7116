import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire content`: content of the server and its copies here; 1 is the exit status of what was refused.
enum ContentCommand {
    static let deeds: Deeds = [
        "content modules": modules,
        "content search": search,
        "content get": get,
        "content create": create,
        "content update": update,
        "content remove": delete,
        "content batch": batch,
        "content sync": sync,
    ]

    /// Long enough for a server that takes its time.
    private static let patience = Duration.seconds(120)
    /// As large as an answer of the server may be by the file.
    private static let size = ByteCount.mebibytes(1_025)
    private static let inputLimit = ByteCount.mebibytes(8)

    static func modules(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            var query = try paging(invocation)
            if invocation.flag("with-fields") { query.append("withFields=true") }
            let answer = try await ask(client, .get, path("/v1/content/modules", query), invocation)
            let json = try answer.json()
            showing.show(json) { ContentText.modules(json, showing.paint) + ContentText.origin(answer) }
            return .success
        }
    }

    static func search(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            var query = try paging(invocation)
            for (option, item) in [
                ("module", "module"), ("where", "where"), ("where-meta", "whereMeta"), ("sort", "sort"),
                ("fields", "fields"), ("include", "include"), ("locale", "locale"),
            ] {
                if let value = invocation.option(option) { query.append("\(item)=\(value.percentEncoded)") }
            }
            let answer = try await ask(client, .get, path("/v1/content/search", query), invocation)
            let json = try answer.json()
            showing.show(json) { ContentText.instances(json, showing.paint) + ContentText.origin(answer) }
            return .success
        }
    }

    static func get(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            _ = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let query = invocation.option("locale").map { ["locale=\($0.percentEncoded)"] } ?? []
            let answer = try await ask(client, .get, path(instance(invocation), query), invocation)
            Console.print(try answer.json().text(indented: true) + "\n")
            return .success
        }
    }

    // MARK: Changing

    static func create(_ invocation: Invocation) async throws -> ExitStatus {
        try await change(invocation, .post, "/v1/content/instances", module: invocation.argument(0), "created")
    }

    static func update(_ invocation: Invocation) async throws -> ExitStatus {
        try await change(invocation, .put, instance(invocation), module: invocation.option("module"), "changed")
    }

    private static func change(
        _ invocation: Invocation,
        _ method: Method,
        _ path: String,
        module: String?,
        _ word: String
    ) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let body = JSONValue.members([
                "module": module.map(JSONValue.string), "name": invocation.option("name").map(JSONValue.string),
                "values": try values(invocation),
            ])
            let client = try RunnerClient(invocation)
            let answer = try await client.tell(method, path, body).wellDone()
            let json = answer.bytes.isEmpty ? JSONValue.members(["done": .boolean(true)]) : try answer.json()
            showing.show(json) { "\(word)\(json.line("id").map { " \($0)" } ?? "")\n" }
            return .success
        }
    }

    static func delete(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            _ = try await client.ask(.delete, instance(invocation), within: patience).wellDone()
            showing.show(.members(["removed": .boolean(true)])) { "removed\n" }
            return .success
        }
    }

    static func batch(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let body = try input(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.tell(.post, "/v1/content/batch", body).wellDone().json()
            showing.show(json) { ContentText.outcomes(json, showing.paint) }
            return json["failed"]?.integer ?? 0 == 0 ? .success : .problemsFound
        }
    }

    // MARK: Copies

    static func sync(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let module = invocation.argument(0)
            if invocation.flag("status") {
                let query = module.map { ["module=\($0.percentEncoded)"] } ?? []
                let json = try await client.get(path("/v1/content/sync", query))
                showing.show(json) { ContentText.states(json, showing.paint, withLog: module != nil) }
                return .success
            }
            let wish = JSONValue.members(["module": module.map(JSONValue.string)])
            let json = try await client.tell(.post, "/v1/content/sync", wish).wellDone().json()
            let modules = json["modules"]?.array ?? []
            showing.show(json) { ContentText.synced(modules, showing.paint) }
            return modules.allSatisfy { $0["done"]?.boolean ?? false } ? .success : .problemsFound
        }
    }

    // MARK: What is asked

    private static func ask(_ client: RunnerClient, _ method: Method, _ path: String, _ invocation: Invocation)
        async throws -> RunnerAnswer
    {
        let fields: Fields =
            invocation.flag("offline") ? ["Corewire-Offline-Policy": "returnLocalDataDontLoad"] : [:]
        return try await client.ask(method, path, fields: fields, within: patience, upTo: size).wellDone()
    }

    private static func instance(_ invocation: Invocation) -> String {
        "/v1/content/instances/\((invocation.argument(0) ?? "").percentEncoded)"
    }

    private static func path(_ path: String, _ query: [String]) -> String {
        query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    private static func paging(_ invocation: Invocation) throws -> [String] {
        if invocation.flag("all") {
            for name in ["page", "limit"] where invocation.option(name) != nil {
                throw UsageError("--all and --\(name) exclude each other", for: invocation.path)
            }
            return ["skip=true"]
        }
        return try ["page", "limit"].compactMap { name in
            guard let text = invocation.option(name) else { return nil }
            guard let number = Int(text), number > 0, text.utf8.allSatisfy(\.isDigit) else {
                throw UsageError("--\(name) takes a number from 1 on, not \(text.quoted)", for: invocation.path)
            }
            return "\(name)=\(number)"
        }
    }

    /// The fields on the command line, or on standard input.
    private static func values(_ invocation: Invocation) throws -> JSONValue {
        let bytes = try invocation.argument(1).map { Array($0.utf8) } ?? standardInput()
        return try object(bytes, "values", invocation)
    }

    private static func input(_ invocation: Invocation) throws -> JSONValue {
        try object(try standardInput(), "standard input", invocation)
    }

    private static func object(_ bytes: [UInt8], _ name: String, _ invocation: Invocation) throws -> JSONValue {
        do throws(Unreadable) {
            let json = try JSONValue(parsing: bytes, named: name)
            if case .object = json { return json }
        } catch {
            throw UsageError("\(name): \(error.problem.message)", for: invocation.path)
        }
        throw UsageError("\(name): expected a JSON object", for: invocation.path)
    }

    private static func standardInput() throws -> [UInt8] {
        do throws(Files.Failure) {
            return try Files.read("-", upTo: inputLimit)
        } catch {
            throw Failure(message: "cannot read standard input: \(error.reason)", status: .inputOutput)
        }
    }
}
