import WireHTTP
import WireNetworkContract

extension NetworkRoutes {
    static let table: [RouteEntry<Self>] = [baseURL, "\(baseURL){path…}"].flatMap { pattern in
        [
            passing(.get, pattern, "Get something of the server.", access: .read),
            passing(.head, pattern, "Get the head of something of the server.", access: .read),
            passing(.options, pattern, "Ask the server what it can do.", access: .read),
            passing(.post, pattern, "Post something to the server.", access: .write),
            passing(.put, pattern, "Put something onto the server.", access: .write),
            passing(.patch, pattern, "Change something on the server.", access: .write),
            passing(.delete, pattern, "Remove something from the server.", access: .write),
        ]
    }

    /// What stands for the base URL itself.
    private static let baseURL = "/v1/network/"

    private static func passing(
        _ method: Method,
        _ pattern: String,
        _ summary: String,
        access: Route.Access
    ) -> RouteEntry<Self> {
        .init(
            .init(
                method,
                pattern,
                summary + " The answer is the server's, whatever its status.",
                access: access,
                body: .streamed(types: [], upTo: nil),
                inputs: pattern == baseURL ? Array(inputs.dropFirst()) : inputs,
                answers: answers
            )
        ) { .stream($0.pass) }
    }

    // MARK: What is told

    private static let inputs: [Route.Input] =
        [
            .init(.path, "path", "What follows the base URL of the environment; slashes may be written as they are."),
            .anyQuery("Passed on as it is."),
        ] + RequestOptions.form.inputs

    private static let answers: [Operation.Answer] =
        [
            .body("*/*", "The answer of the server; its status may be any.")
                .with("Corewire-Attempts", "How often it was sent.")
                .with("Corewire-Cache", "Whether it is stored, and how old.")
                .with(
                    "Corewire-Waited",
                    "How long it waited for the network, its turn or a repetition, such as 1250ms."
                ),
            .problem(.badRequest, "malformed-field", "A field, the path or the query is not as expected."),
            .problem(.contentTooLarge, "body-too-large", "The body is larger than the file allows."),
        ] + failures.map(\.described)

    private static let failures: [RequestFailureKind] = [
        .signedOut, .forbidden, .noAddress, .undeclaredMode, .locked, .unreachable, .offline, .timeout, .notStored,
    ]
}
