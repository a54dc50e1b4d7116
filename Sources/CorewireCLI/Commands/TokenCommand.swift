package import WireAuthContract
import WireBase
package import WireHTTP

/// `corewire auth token`; with --refused executed by the runner's program, which can compute digests.
package enum TokenCommand {
    static let command: Command = {
        var command = Command.call(
            "token",
            AuthCalls.token,
            summary: "Print an access token.",
            discussion: """
                Standard output is only the token, for use in scripts:
                  curl -H "Authorization: Bearer $(corewire auth token)" …

                With --refused, a token that a server has rejected is read from standard input, and
                refreshed if it is still the current token:
                  echo "$token" | corewire auth token --refused
                """,
            words: words,
            perform: { client, request, _ in try await client.token(AuthCalls.token, request) }
        ) { reply, _ in (text(reply.answer), .success) }
        (command.runnerProgram, command.runnerFlags) = (.refuseToken, ["refused"])
        return command
    }()

    private static let words: MemberWordList = [
        "minTTL": .option(named: "min-ttl", value: "duration", "The minimum remaining lifetime. (default: 30s)"),
        "mode": .option(value: "mode", "app, appPlus or user. (default: from the services file)"),
        "refused": .consumed(.init(name: "refused", help: "Refresh the rejected token on standard input.")),
    ]

    /// The request of the command line.
    package static func request(_ invocation: Invocation) throws -> TokenRequest {
        try CallWords<TokenRequest>(words).input(invocation)
    }

    /// The token alone on its line.
    package static func text(_ token: TokenResponse) -> String { "\(token.token.secret.reveal())\n" }
}

extension RunnerClient {
    /// Requests a token, which may need a request to the identity server.
    package func token<Input>(
        _ call: APICall<Input, TokenResponse, AuthFailureKind>,
        _ input: Input
    ) async throws -> RunnerReply<TokenResponse> {
        let reply = try await perform(call, input, within: Self.changeLimit)
        guard reply.answer.token.secret.reveal().utf8.allSatisfy(\.isVisible) else { throw Failure.foreign(socket) }
        return reply
    }
}
