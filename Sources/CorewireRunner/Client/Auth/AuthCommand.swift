import CorewireCLI
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireSecrets

/// `corewire auth …`: who is signed in, from the command line.
enum AuthCommand {
    static let deeds: Deeds = [
        "auth logout": logout,
        "auth status": status,
        "auth token": token,
        "auth user": user,
        "auth lock": lock,
        "auth unlock": unlock,
        "auth callback": callback,
    ]

    static func status(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.get("/v1/auth")
            guard let state = json["state"]?.string else { throw Failure.foreign(client.socket) }
            showing.show(json) { AuthText(json, showing.paint).text }
            return state == "signedIn" ? .success : .problemsFound
        }
    }

    /// Nothing but the token on standard output.
    static func token(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            var query: [String] = []
            if let least = invocation.option("min-ttl") {
                _ = try invocation.duration(least, option: "min-ttl")
                query.append("minTTL=\(least.percentEncoded)")
            }
            if let mode = try invocation.choice("mode") { query.append("mode=\(mode)") }
            let client = try RunnerClient(invocation)
            let rest = query.isEmpty ? "" : "?\(query.joined(separator: "&"))"
            let answer: RunnerAnswer
            if invocation.flag("refused") {
                let refused = try HiddenInput.ask("The refused token: ", upTo: .kibibytes(64)).reveal()
                let digest = try OpenSSLSecrecy().digest(Array(refused.utf8)).hexadecimal
                let body = JSONValue.members(["sha256": .string(digest)])
                answer = try await client.tell(.post, "/v1/auth/token/refused\(rest)", body)
            } else {
                // The server may have to be asked first.
                answer = try await client.ask(.get, "/v1/auth/token\(rest)", within: RunnerClient.changeLimit)
            }
            let json = try answer.wellDone().json()
            guard let token = json["accessToken"]?.string, token.utf8.allSatisfy(\.isVisible) else {
                throw Failure.foreign(client.socket)
            }
            showing.show(json) { "\(token)\n" }
            return .success
        }
    }

    static func user(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let json = try await RunnerClient(invocation).get("/v1/auth/user")
            showing.show(json) { AuthText.user(json, showing.paint) }
            return .success
        }
    }

    static func logout(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let json = try await RunnerClient(invocation).tell(.post, "/v1/auth/logout", .object([])).wellDone().json()
            showing.show(json) {
                guard let revocation = json.line("revocation") else { return "nobody was signed in\n" }
                var text = "signed out\n" + AuthText.revocation(revocation)
                if let url = json.line("endSessionUrl", upTo: 8_192) {
                    text += "to sign out at the server as well, open\n\n  \(url.withoutHint)\n"
                }
                return text
            }
            return .success
        }
    }

    static func lock(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            var body: [(key: String, value: JSONValue)] = []
            if invocation.flag("set-pin") {
                let pin = try HiddenInput.ask("New PIN, 4 to 12 digits: ")
                if HiddenInput.isTerminal {
                    guard try HiddenInput.ask("The same again: ").reveal() == pin.reveal() else {
                        throw Failure(message: "the two are not the same; nothing was changed", status: .problemsFound)
                    }
                }
                body.append(("pin", .string(pin.reveal())))
            }
            return try await change(invocation, "/v1/auth/lock", .object(body), "locked\n")
        }
    }

    static func unlock(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            // Asked for before anything is typed: what is wanted depends on the file that runs.
            let status = try await RunnerClient(invocation).get("/v1/auth")
            let isPassword = status["lock"]?.line("method") == "pam"
            let key = try HiddenInput.ask(isPassword ? "Password of the account corewire runs as: " : "PIN: ")
            return try await change(
                invocation,
                "/v1/auth/unlock",
                .object([(isPassword ? "password" : "pin", .string(key.reveal()))]),
                "unlocked\n"
            )
        }
    }

    static func callback(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let url = invocation.argument(0) ?? ""
            return try await change(
                invocation,
                "/v1/auth/callback",
                .object([("url", .string(url))]),
                "signed in\n"
            )
        }
    }

    private static func change(
        _ invocation: Invocation,
        _ path: String,
        _ body: JSONValue,
        _ text: String
    ) async throws -> ExitStatus {
        let showing = try Showing(invocation)
        let json = try await RunnerClient(invocation).tell(.post, path, body).wellDone().json()
        showing.show(json) { text }
        return .success
    }
}

extension String {
    /// An address that ends a session, without the token that says whose: on a screen it would stay, and the server asks
    /// the person instead.
    fileprivate var withoutHint: String {
        guard let question = firstIndex(of: "?") else { return self }
        let items = self[index(after: question)...].split(separator: "&").filter { !$0.hasPrefix("id_token_hint=") }
        return items.isEmpty ? String(self[..<question]) : "\(self[...question])\(items.joined(separator: "&"))"
    }
}
