import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// The commands that make the next generation, or say what it would be: `reload`, `env use`, `rollback`, `plan`, `confirm`.
enum ChangeCommands {
    static let deeds: Deeds = [
        "reload": reload,
        "env use": use,
        "rollback": rollback,
        "plan": plan,
        "confirm": confirm,
    ]

    static func reload(_ invocation: Invocation) async throws -> ExitStatus {
        var body: [(key: String, value: JSONValue)] = []
        if invocation.flag("force") { body.append(("force", .boolean(true))) }
        var fields: Fields = [:]
        if let hash = invocation.option("if-hash") {
            guard !hash.isEmpty, hash.utf8.allSatisfy(\.isTokenByte) else {
                throw UsageError(
                    "--if-hash takes a hash as 'corewire status' shows it, not \(hash.quoted)",
                    for: invocation.path
                )
            }
            fields["If-Match"] = "\"\(hash)\""
        }
        return try await change(invocation, .post, "/v1/reload", body, fields)
    }

    static func use(_ invocation: Invocation) async throws -> ExitStatus {
        let name = invocation.argument(0) ?? ""
        return try await change(invocation, .put, "/v1/environment", [("environment", .string(name))])
    }

    static func rollback(_ invocation: Invocation) async throws -> ExitStatus {
        let number = try invocation.generation(invocation.argument(0) ?? "")
        return try await change(invocation, .post, "/v1/generations/\(number)/rollback", [])
    }

    static func plan(_ invocation: Invocation) async throws -> ExitStatus {
        var body: [(key: String, value: JSONValue)] = []
        if let name = invocation.option("env") { body.append(("environment", .string(name))) }
        if let number = invocation.option("generation") {
            guard body.isEmpty else { throw UsageError("--env and --generation are two plans", for: invocation.path) }
            body.append(("generation", .integer(try invocation.generation(number))))
        }
        return try await change(invocation, .post, "/v1/plan", body)
    }

    private static func change(
        _ invocation: Invocation,
        _ method: Method,
        _ path: String,
        _ body: [(key: String, value: JSONValue)],
        _ fields: Fields = [:]
    ) async throws -> ExitStatus {
        let showing = try Showing(invocation)
        var body = body
        if let text = invocation.option("confirm-within") {
            let limit = try invocation.duration(text, option: "confirm-within")
            guard (1...86_400).contains(limit.components.seconds) else {
                throw UsageError("--confirm-within takes 1s to 24h, not \(text.quoted)", for: invocation.path)
            }
            body.append(("confirmWithinSeconds", .integer(Int(limit.components.seconds))))
        }
        let client = try RunnerClient(invocation)
        let answer = try await client.tell(method, path, .object(body), fields: fields)
        let json = try answer.json()
        guard let outcome = json["outcome"]?.string else {
            // A refusal that is not about the change itself: no permission, nothing of that number.
            _ = try answer.wellDone()
            throw Failure.foreign(client.socket)
        }
        if showing.isJSON {
            Console.print(json.text(indented: true) + "\n")
        } else if answer.status.code < 300 {
            Console.print(ChangeText(json, showing.paint).text)
        } else {
            Console.say(ChangeText(json, Paint(isOn: Console.wantsColour(on: 2))).refusal)
        }
        return ["applied", "unchanged", "planned"].contains(outcome) ? .success : .problemsFound
    }

    static func confirm(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Showing(invocation)
        let client = try RunnerClient(invocation)
        let json = try await client.tell(.post, "/v1/confirm", .object([])).wellDone().json()
        guard let isConfirmed = json["confirmed"]?.boolean else { throw Failure.foreign(client.socket) }
        if showing.isJSON {
            Console.print(json.text(indented: true) + "\n")
        } else if isConfirmed {
            Console.print("confirmed: the generation that runs stays\n")
        } else {
            Console.say("error: no generation waits to be confirmed\n")
            Console.say(
                "  = help: it was confirmed already, or its time is over; 'corewire history' tells which runs\n"
            )
        }
        return isConfirmed ? .success : .problemsFound
    }
}

extension Invocation {
    /// The number of a generation.
    func generation(_ text: String) throws -> Int {
        guard let number = Int(text), number > 0, text.utf8.allSatisfy(\.isDigit) else {
            throw UsageError("a generation is a number as 'corewire history' lists it, not \(text.quoted)", for: path)
        }
        return number
    }
}
