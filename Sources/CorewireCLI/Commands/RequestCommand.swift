import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// `corewire request`: sends a request to the environment's server through the runner.
enum RequestCommand {
    static let command = Command(
        name: "request",
        summary: "Send a request through the runner, as apps do.",
        discussion: """
            The runner sends the request to a path below the base URL, with the token, retries and
            offline policy of the services file. The body of the response is streamed to standard
            output; for a cached response, standard error shows its age.

            Exit status: 0 for a response status from 200 to 399, 1 for any other status or no
            response.
            """,
        arguments: [
            .init(name: "method", help: "GET, POST … (default: GET, with --data POST)", isOptional: true),
            .init(name: "path", help: "The path below the base URL, with its query."),
        ],
        options: RunnerCommands.outputOptions + [
            .init(name: "method", value: "name", help: "The method, instead of the argument.", letter: "X"),
            .init(
                name: "header",
                value: "field",
                help: "A header field, such as 'Accept: text/csv'.",
                letter: "H",
                isRepeated: true
            ),
            .init(
                name: "data",
                value: "body",
                help: "The body; @file reads a file, - reads standard input.",
                letter: "d",
                values: .files
            ),
            .init(name: "type", value: "media-type", help: "The type of the body. (default: application/json)"),
        ] + words.options + [
            .init(name: "include", help: "Print status and header fields before the body.", letter: "i")
        ],
        run: run
    )

    static let words = CallWords<RequestOptions>([
        "Corewire-Token": .option(
            named: "token",
            value: "mode",
            "The token: app, appPlus, user or none. (default: from the services file)",
            values: ["app", "appPlus", "user", "none"]
        ),
        "Corewire-Offline-Policy": .option(
            named: "offline-policy",
            value: "policy",
            "none, loadAndStoreLocalData or returnLocalDataDontLoad. (default: from the services file)"
        ),
        "Corewire-Retries": .option(named: "retries", "The maximum number of retries of a safe or idempotent request."),
        "Corewire-Timeout": .option(named: "timeout", "The timeout of one attempt."),
        "Idempotency-Key": .option(
            named: "idempotency-key",
            value: "key",
            "The idempotency key, with which any request may be retried."
        ),
    ])

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let request = try TypedRequest(invocation)
        let client = try RunnerClient(invocation)
        let answer = try await client.open(
            request.method,
            request.target,
            body: request.body,
            fields: request.fields,
            within: patience,
            silence: patience
        )
        if let refusal = try await refusal(answer, of: client) { throw refusal }
        guard answer.fields["Corewire-Generation"] != nil else { throw Failure.foreign(client.socket) }
        let facts = AnswerFacts(answer.status, answer.fields)
        if showing.isJSON {
            let bytes = try await client.read(answer.body) { try await $0.collect(upTo: RunnerClient.limit) }
            Console.print(facts.json(with: bytes).text(indented: true) + "\n")
        } else {
            if invocation.flag("include") { Console.print(facts.head) }
            var last: UInt8?
            try await client.read(answer.body) { body in
                while let bytes = try await body.read() {
                    last = bytes.last ?? last
                    // The reader is gone, so the rest is not read.
                    guard Console.print(bytes: bytes) else { return }
                }
            }
            // A pipe or a file gets the exact body.
            if Console.isTerminal(1), let last, last != UInt8(ascii: "\n") { Console.print("\n") }
        }
        if let line = facts.line { Console.printError("\(line)\n") }
        return (200..<400).contains(answer.status.code) ? .success : .problemsFound
    }

    /// The runner applies the timeout of the file or of the options.
    private static let patience = Duration.seconds(86_400)

    /// The runner's own problem, if the response is not the server's.
    private static func refusal(_ answer: IncomingResponse, of client: RunnerClient) async throws -> RunnerRefusal? {
        guard answer.status.code >= 400,
            let type = answer.fields["Content-Type"].flatMap(MediaType.init(parsing:)),
            type.essence == "application/problem+json", answer.fields["Content-Security-Policy"] == nil
        else { return nil }
        let bytes = try await client.read(answer.body) { try await $0.collect(upTo: RunnerClient.limit) }
        // A response to HEAD has no body with a problem.
        let isOfGeneration = answer.fields["Corewire-Generation"] != nil
        guard !bytes.isEmpty else {
            return isOfGeneration ? RunnerRefusal(.members([:]), answer.status, among: RequestFailureKind.self) : nil
        }
        let json = try RunnerAnswer(
            status: answer.status,
            fields: answer.fields,
            bytes: bytes,
            socket: client.socket
        ).json()
        // A request that is refused before it reaches a generation names none.
        let isOwn = json["type"]?.string?.hasPrefix("urn:corewire:problem:") ?? false
        return isOwn || isOfGeneration ? RunnerRefusal(json, answer.status, among: RequestFailureKind.self) : nil
    }
}
