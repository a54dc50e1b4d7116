package import WireAuthContract
import WireBase
package import WireHTTP

/// `corewire auth token`: with --refused it is done by the runner's program, which can make the digest of a token.
package enum TokenCommand {
    static let command: Command = {
        var command = Command.call(
            "token",
            AuthCalls.token,
            summary: "Print an access token that is good for a while.",
            discussion: """
                The token and nothing else is on standard output, so that it can be passed on without
                being seen: curl -H "Authorization: Bearer $(corewire auth token)" …

                With --refused, a token that a server has refused is read from standard input, and
                renewed where it is still the present one: echo "$token" | corewire auth token --refused
                """,
            words: words,
            perform: { client, request, _ in try await client.token(AuthCalls.token, request) }
        ) { reply, _ in (text(reply.answer), .success) }
        command.runnersFlags = ["refused"]
        return command
    }()

    private static let words: KeyValuePairs<String, MemberWords> = [
        "minTTL": .option(named: "min-ttl", value: "duration", "How much longer it must be good. (default: 30s)"),
        "mode": .option(value: "mode", "app, appPlus or user. (default: as the file says)"),
        "refused": .own(.init(name: "refused", help: "Renew the token that standard input has.")),
    ]

    /// For how long and whose a token is asked for.
    package static func request(_ invocation: Invocation) throws -> TokenRequest {
        try CallWords<TokenRequest>(words).input(invocation)
    }

    /// The token alone on its line.
    package static func text(_ token: GivenToken) -> String { "\(token.token.secret.reveal())\n" }
}

extension RunnerClient {
    /// Asks for a token, which the identity server may have to be asked for first.
    package func token<Input>(
        _ call: APICall<Input, GivenToken, AuthFailureKind>,
        _ input: Input
    ) async throws -> RunnerReply<GivenToken> {
        let reply = try await perform(call, input, within: Self.changeLimit)
        guard reply.answer.token.secret.reveal().utf8.allSatisfy(\.isVisible) else { throw Failure.foreign(socket) }
        return reply
    }
}
