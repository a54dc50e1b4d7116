import CorewireCLI
import WireBase
import WireConfig
import WireHTTP
import WireHost

/// `corewire push`: which push servers know this device; 1 is the exit status of what was refused.
enum PushCommand {
    static let deeds: Deeds = [
        "push status": status,
        "push register": register,
        "push subscribe": { try await wish("subscribe", $0) },
        "push unsubscribe": { try await wish("unsubscribe", $0) },
        "push suspend": { try await wish("suspend", $0) },
        "push unsuspend": { try await wish("unsuspend", $0) },
        "push profile": profile,
        "push event": event,
        "push mobile-event": mobileEvent,
        "push token set": setToken,
        "push token delete": deleteToken,
        "push token refresh": refresh,
        "push token jwt": setJWT,
        "push providers": providers,
        "push clear": clear,
    ]

    private static let path = "/v1/push"

    static func status(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            if let which = try invocation.choice("which") {
                let name = try await registrar(invocation, client)
                let answer = try await client.ask(
                    .get,
                    "\(name)/status?which=\(which)",
                    within: RunnerClient.changeLimit
                )
                let json = try answer.wellDone().json()
                showing.show(json) { json.text(indented: true) + "\n" }
                return .success
            }
            guard let name = invocation.argument(0) else {
                return try tellAll(try await client.ask(.get, path), client, showing)
            }
            return try tell(
                try await client.ask(.get, "\(path)/registrars/\(name.percentEncoded)"),
                client,
                showing
            )
        }
    }

    static func register(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let waits = invocation.flag("wait")
            guard invocation.argument(0) != nil else {
                let answer = try await saying(waits, path, client) {
                    try await client.ask(.post, "\(path)/register\(wait(waits))", within: RunnerClient.changeLimit)
                }
                return try end(of: answer, waits, showing) { try tellAll(answer, client, showing) }
            }
            let name = try await registrar(invocation, client)
            let answer = try await saying(waits, name, client) {
                try await client.ask(.post, "\(name)/register\(wait(waits))", within: RunnerClient.changeLimit)
            }
            return try end(of: answer, waits, showing) { try tell(answer, client, showing) }
        }
    }

    static func wish(_ wish: String, _ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let body = wish == "subscribe" ? try PushWords.subscription(invocation) : .object([])
            let name = try await registrar(invocation, client)
            let waits = invocation.flag("wait")
            let answer = try await saying(waits, name, client) {
                try await client.tell(.post, "\(name)/\(wish)\(wait(waits))", body)
            }
            return try end(of: answer, waits, showing) { try tell(answer, client, showing) }
        }
    }

    private static func wait(_ waits: Bool) -> String { waits ? "?wait" : "" }

    /// Asks, and where the answer is waited for says once what it waits for.
    private static func saying(
        _ waits: Bool,
        _ path: String,
        _ client: RunnerClient,
        _ ask: @escaping @Sendable () async throws -> RunnerAnswer
    ) async throws -> RunnerAnswer {
        guard waits else { return try await ask() }
        return try await withThrowingTaskGroup(of: RunnerAnswer?.self) { group in
            group.addTask { try await ask() }
            group.addTask {
                // A look that fails says nothing: what went wrong is told by the answer.
                while (try? await Clockwork.host.sleep(.milliseconds(500))) != nil {
                    guard let json = try? await client.get(path) else { continue }
                    let reasons = (json["registrars"]?.array ?? [json]).compactMap { one in
                        one.line("state") == "pending"
                            ? one.line("reason").map { "\(one.line("name") ?? ""): \($0)" } : nil
                    }
                    guard !reasons.isEmpty else { continue }
                    Console.say(reasons.map { "\($0)\n" }.joined())
                    break
                }
                return nil
            }
            defer { group.cancelAll() }
            while let answer = try await group.next() {
                if let answer { return answer }
            }
            throw CancellationError()
        }
    }

    /// Shows the answer; 1 where it was waited for, and a server has refused or could not be told.
    private static func end(
        of answer: RunnerAnswer,
        _ waits: Bool,
        _ showing: Showing,
        _ tell: () throws -> ExitStatus
    ) throws -> ExitStatus {
        let status = try tell()
        let json = try answer.json()
        let states = (json["registrars"]?.array ?? [json]).compactMap { $0["state"]?.string }
        guard waits else {
            if states.contains("pending") { Console.say("queued: '--wait' waits until it is told\n") }
            return status
        }
        // One that is still pending is left so by a service that ends.
        return states.allSatisfy { !["refused", "failed", "pending"].contains($0) } ? status : .problemsFound
    }

    static func profile(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let body = try PushWords.profile(invocation)
            let name = try await registrar(invocation, client)
            return try tell(try await client.tell(.post, "\(name)/profile", body), client, showing)
        }
    }

    static func event(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let payload = try PushWords.json(upTo: .kibibytes(64), invocation)
            let body = JSONValue.members([
                "event": .string(invocation.argument(0) ?? ""), "payload": payload,
            ])
            let json = try await RunnerClient(invocation).tell(.post, "\(path)/events", body).wellDone().json()
            showing.show(json) {
                json.line("registrar").map { "\($0) is told\n" } ?? "no push server wants to know\n"
            }
            return .success
        }
    }

    static func mobileEvent(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let body = try PushWords.mobileEvent(invocation)
            let client = try RunnerClient(invocation)
            let name = try await registrar(invocation, client, argument: 1)
            let json = try await client.tell(.post, "\(name)/events", body).wellDone().json()
            showing.show(json) { "\(json.line("name") ?? "the platform") is told\n" }
            return .success
        }
    }

    // MARK: Tokens

    static func setToken(_ invocation: Invocation) async throws -> ExitStatus {
        try await changing(invocation) { client in
            let token = String(decoding: try PushWords.input(upTo: .kibibytes(16)).filter { $0 > 0x20 }, as: UTF8.self)
            return try await client.tell(.put, invocation.tokenPath, .members(["token": .string(token)]))
        }
    }

    static func deleteToken(_ invocation: Invocation) async throws -> ExitStatus {
        try await changing(invocation) { client in
            try await client.ask(.delete, invocation.tokenPath, within: RunnerClient.changeLimit)
        }
    }

    static func refresh(_ invocation: Invocation) async throws -> ExitStatus {
        try await changing(invocation) { client in
            try await client.ask(.post, "\(path)/refresh", within: RunnerClient.changeLimit)
        }
    }

    static func setJWT(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let jwt = String(decoding: try PushWords.input(upTo: .kibibytes(32)).filter { $0 > 0x20 }, as: UTF8.self)
            let name = try await registrar(invocation, client)
            let answer =
                jwt.isEmpty
                ? try await client.ask(.delete, "\(name)/jwt", within: RunnerClient.changeLimit)
                : try await client.tell(.put, "\(name)/jwt", .members(["token": .string(jwt)]))
            return try tell(answer, client, showing)
        }
    }

    static func providers(_ invocation: Invocation) async throws -> ExitStatus {
        try await changing(invocation) { client in
            let given = invocation.argument(0) ?? ""
            if given == "file" {
                return try await client.ask(.delete, "\(path)/providers", within: RunnerClient.changeLimit)
            }
            let names = given.split(separator: ",").map { JSONValue.string(String($0)) }
            return try await client.tell(.put, "\(path)/providers", .members(["providers": .array(names)]))
        }
    }

    static func clear(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let body = JSONValue.members(["everybody": .boolean(invocation.flag("everybody"))])
            let json = try await RunnerClient(invocation).tell(.post, "\(path)/clear", body).wellDone().json()
            showing.show(json) {
                let names = (json["registrations"]?.array ?? []).compactMap(\.string).map { $0.shown(upTo: 64) }
                let lines = [
                    "registrations: \(names.isEmpty ? "none" : names.joined(separator: ", "))",
                    "tokens: \(json["tokens"]?.integer ?? 0)", "JWTs: \(json["jwts"]?.integer ?? 0)",
                ]
                return "removed\n" + lines.map { "  \($0)\n" }.joined()
            }
            return .success
        }
    }

    private static func changing(
        _ invocation: Invocation,
        _ work: (RunnerClient) async throws -> RunnerAnswer
    ) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            return try tellAll(try await work(client), client, showing)
        }
    }

    // MARK: What is shown

    /// The path of the registrar that is named, or of the only one there is.
    private static func registrar(_ invocation: Invocation, _ client: RunnerClient, argument index: Int = 0)
        async throws -> String
    {
        if let name = invocation.argument(index) { return "\(path)/registrars/\(name.percentEncoded)" }
        let names = (try await client.get(path)["registrars"]?.array ?? []).compactMap { $0["name"]?.string }
        guard let name = names.first, names.count == 1 else {
            throw UsageError(
                names.isEmpty
                    ? "the services file has no push registrars"
                    : "which registrar? there are \(names.map { $0.shown(upTo: 64) }.listed("and"))",
                for: invocation.path
            )
        }
        return "\(path)/registrars/\(name.percentEncoded)"
    }

    private static func tellAll(_ answer: RunnerAnswer, _ client: RunnerClient, _ showing: Showing) throws -> ExitStatus
    {
        let json = try answer.wellDone().json()
        guard let registrars = json["registrars"]?.array else { throw Failure.foreign(client.socket) }
        showing.show(json) { text(registrars, showing.paint) + tokens(json) }
        return .success
    }

    private static func tell(_ answer: RunnerAnswer, _ client: RunnerClient, _ showing: Showing) throws -> ExitStatus {
        let json = try answer.wellDone().json()
        guard json["state"]?.string != nil else { throw Failure.foreign(client.socket) }
        showing.show(json) { text([json], showing.paint) }
        return .success
    }

    private static func text(_ registrars: [JSONValue], _ paint: Paint) -> String {
        guard !registrars.isEmpty else { return "no registrars\n" }
        var table = Table(["registrar", "type", "state", "since", "token"])
        var notes = ""
        for one in registrars {
            let state = one.line("state") ?? ""
            let tint: Paint.Tint? =
                switch state {
                case "registered": .good
                case "refused", "failed": .error
                case "pending": .warning
                default: nil
                }
            let token = "\(one.line("provider") ?? "") \(one.line("token") ?? "")"
            table.add([
                .init(one.line("name") ?? ""), .init(one.line("type") ?? ""), .init(state, tint),
                .init(Showing.time(one["since"]?.integer)), .init(token == " " ? "" : token),
            ])
            guard let reason = one.line("reason") else { continue }
            notes += "\(one.line("name") ?? ""): \(reason)\n"
            if let refused = one.line("refused"), let since = one["since"]?.integer {
                notes += "  '\(refused)' was refused; what it was told before holds, since \(Showing.time(since))\n"
            }
            if let place = one["config"]?.line("place") { notes += "  --> \(place)\n" }
            if let help = one.line("help") { notes += "  = help: \(help)\n" }
        }
        return table.text(paint) + (notes.isEmpty ? "" : "\n\(notes)")
    }

    private static func tokens(_ json: JSONValue) -> String {
        let order = (json["providers"]?.array ?? []).compactMap(\.string).map { $0.shown(upTo: 32) }
        let tokens = (json["tokens"]?.array ?? []).map { token in
            "\(token.line("provider") ?? "") \(token.line("ending") ?? "")"
                + (token["manual"]?.boolean == true ? " (handed in)" : "")
        }
        return
            "\nproviders: \(order.joined(separator: ", "))\ntokens: \(tokens.isEmpty ? "none" : tokens.joined(separator: ", "))\n"
    }
}

extension Invocation {
    fileprivate var tokenPath: String { "/v1/push/tokens/\((argument(0) ?? "").percentEncoded)" }
}
