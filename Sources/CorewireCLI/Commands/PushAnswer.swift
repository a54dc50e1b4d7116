import WireBase
import WireConfig
import WireHost
import WireHTTP
import WirePushContract

/// The output and the exit status of a push command.
struct PushAnswer: Sendable {
    private let json: JSONValue
    private let text: @Sendable (Paint) -> String
    /// The servers of the command, with or without waiting for them.
    private var asked: (servers: [PushRegistrarReport], areWaitedFor: Bool)?

    init(_ json: JSONValue, _ text: @escaping @Sendable (Paint) -> String) { (self.json, self.text) = (json, text) }

    init(_ reply: RunnerReply<PushReport>, waits: Bool? = nil) {
        let report = reply.answer
        self.init(reply.json) { paint in Self.table(report.registrars, paint) + Self.tokens(report) }
        asked = waits.map { (report.registrars, $0) }
    }

    init(_ reply: RunnerReply<PushRegistrarReport>, waits: Bool? = nil) {
        let registrars = [reply.answer]
        self.init(reply.json) { paint in Self.table(registrars, paint) }
        asked = waits.map { (registrars, $0) }
    }

    /// Exits with 1 where an awaited server has refused or could not be reached.
    func show(_ showing: Display) -> ExitStatus {
        showing.show(json) { text(showing.paint) }
        guard let asked else { return .success }
        let states = asked.servers.map(\.state)
        guard asked.areWaitedFor else {
            if states.contains(.pending) { Console.printError("queued; wait for the server with '--wait'\n") }
            return .success
        }
        // A pending request is left by a service that shuts down.
        return states.contains { [.refused, .failed, .pending].contains($0) } ? .problemsFound : .success
    }

    // MARK: Text

    private static func table(_ registrars: [PushRegistrarReport], _ paint: Paint) -> String {
        guard !registrars.isEmpty else { return "no registrars\n" }
        var table = Table(["registrar", "type", "state", "since", "token"])
        var notes = ""
        for one in registrars {
            let tint: Paint.Tint? =
                switch one.state {
                case .registered: .good
                case .refused, .failed: .error
                case .pending: .warning
                case .suspended, .unregistered: nil
                }
            let name = one.name.shown(upTo: 400)
            let token = [one.provider, one.token].map { $0?.shown(upTo: 400) ?? "" }.joined(separator: " ")
            table.add([
                .init(name), .init(one.type.shown(upTo: 400)), .init(one.state.rawValue, tint),
                .init(Display.time(one.since)), .init(token == " " ? "" : token),
            ])
            guard let reason = one.reason else { continue }
            notes += "\(name): \(reason.shown(upTo: 400))\n"
            if let refused = one.refused, let since = one.since {
                notes += "  '\(refused.shown(upTo: 400))' was refused; the former registration holds, "
                notes += "since \(Display.time(since))\n"
            }
            if let origin = one.origin { notes += "  --> \(origin.place.shown(upTo: 400))\n" }
            if let help = one.help { notes += "  = help: \(help.shown(upTo: 400))\n" }
        }
        return table.text(paint) + (notes.isEmpty ? "" : "\n\(notes)")
    }

    private static func tokens(_ report: PushReport) -> String {
        let order = report.providers.map { $0.shown(upTo: 32) }.joined(separator: ", ")
        let tokens = report.tokens.map { token in
            "\(token.provider.shown(upTo: 400)) \(token.ending.shown(upTo: 400))"
                + (token.isManual ? " (set by 'push token set')" : "")
        }
        return "\nproviders: \(order)\ntokens: \(tokens.isEmpty ? "none" : tokens.joined(separator: ", "))\n"
    }

    static func text(of removed: PushRemoved) -> String {
        let names = removed.registrations.map { $0.shown(upTo: 64) }
        let lines = [
            "registrations: \(names.isEmpty ? "none" : names.joined(separator: ", "))", "tokens: \(removed.tokens)",
            "JWTs: \(removed.jwts)",
        ]
        return "removed\n" + lines.map { "  \($0)\n" }.joined()
    }
}

extension RunnerClient {
    /// The named push server, or the only one.
    func registrar(
        _ invocation: Invocation,
        argument index: Int = 0,
        where fits: (PushRegistrarReport) -> Bool = { _ in true }
    ) async throws -> String {
        if let name = invocation.argument(index) { return name }
        let names = try await perform(PushCalls.show, NoInput()).answer.registrars.filter(fits).map(\.name)
        guard let name = names.first, names.count == 1 else {
            throw UsageError(
                names.isEmpty
                    ? "the services file has no push registrar that fits"
                    : "missing registrar; expected \(names.map { $0.shown(upTo: 64) }.listed())",
                for: invocation.path
            )
        }
        return name
    }

    /// Makes a call; prints the reason of a wait once.
    func saying(
        _ waits: Bool,
        _ name: String?,
        _ ask: @escaping @Sendable () async throws -> PushAnswer
    ) async throws -> PushAnswer {
        guard waits else { return try await ask() }
        return try await withThrowingTaskGroup(of: PushAnswer?.self) { group in
            group.addTask { try await ask() }
            group.addTask {
                // A failed status request is ignored: the answer reports the problem.
                while (try? await TimeSource.host.sleep(.milliseconds(500))) != nil {
                    let reasons = ((try? await servers(name)) ?? []).compactMap { server in
                        server.reason.map { "\(server.name.shown(upTo: 400)): \($0.shown(upTo: 400))\n" }
                    }
                    guard !reasons.isEmpty else { continue }
                    Console.printError(reasons.joined())
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

    /// The servers that have not answered yet: one, or all where nil.
    private func servers(_ name: String?) async throws -> [PushRegistrarReport] {
        let all =
            if let name { [try await perform(PushCalls.showRegistrar, PushRegistrarName(name)).answer] } else {
                try await perform(PushCalls.show, NoInput()).answer.registrars
            }
        return all.filter { $0.state == .pending }
    }
}
