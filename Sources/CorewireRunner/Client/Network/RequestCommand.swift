import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire request`: a request to the environment's server, on the way that those of apps take.
enum RequestCommand {
    static let deeds: Deeds = ["request": run]

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
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
            guard answer.fields["Corewire-Generation"] != nil else { throw Failure.foreign(client.socket) }
            if let refusal = try await refusal(answer, of: client) { throw refusal }
            let facts = AnswerFacts(answer.status, answer.fields)
            if showing.isJSON {
                let bytes = try await client.read(answer.body) { try await $0.collect(upTo: RunnerClient.limit) }
                Console.print(facts.json(with: bytes).text(indented: true) + "\n")
            } else {
                if invocation.flag("include") { Console.print(facts.head) }
                try await client.read(answer.body) { body in
                    while let bytes = try await body.read() {
                        // Nobody listens any more: the rest is not asked for.
                        guard Console.print(bytes: bytes) else { return }
                    }
                }
            }
            if let line = facts.line { Console.say("\(line)\n") }
            return (200..<400).contains(answer.status.code) ? .success : .problemsFound
        }
    }

    /// The runner gives each request its own time, by the file or by what was asked for.
    private static let patience = Duration.seconds(86_400)

    /// What the runner itself has to say, where it is no answer of the server.
    private static func refusal(_ answer: IncomingResponse, of client: RunnerClient) async throws -> RunnerRefusal? {
        guard answer.status.code >= 400,
            let type = answer.fields["Content-Type"].flatMap(MediaType.init(parsing:)),
            type.essence == "application/problem+json", answer.fields["Content-Security-Policy"] == nil
        else { return nil }
        let bytes = try await client.read(answer.body) { try await $0.collect(upTo: RunnerClient.limit) }
        // To a HEAD no reasons are told.
        guard !bytes.isEmpty else { return RunnerRefusal(.members([:]), answer.status) }
        let json = try RunnerAnswer(
            status: answer.status,
            fields: answer.fields,
            bytes: bytes,
            socket: client.socket
        ).json()
        return RunnerRefusal(json, answer.status)
    }
}
