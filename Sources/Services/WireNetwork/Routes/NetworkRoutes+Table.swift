import WireHTTP
import WireNetworkContract

extension NetworkRoutes {
    static let table: [RouteEntry<Self>] = [baseURL, "\(baseURL){path…}"].flatMap { pattern in
        [
            passing(.get, pattern, "Send a GET request to the server.", access: .read),
            passing(.head, pattern, "Send a HEAD request to the server.", access: .read),
            passing(.options, pattern, "Send an OPTIONS request to the server.", access: .read),
            passing(.post, pattern, "Send a POST request to the server.", access: .write),
            passing(.put, pattern, "Send a PUT request to the server.", access: .write),
            passing(.patch, pattern, "Send a PATCH request to the server.", access: .write),
            passing(.delete, pattern, "Send a DELETE request to the server.", access: .write),
        ]
    }

    /// The path for the base URL itself.
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
                summary + " The response is the server's, with any status.",
                access: access,
                body: .streamed(types: [], upTo: nil),
                inputs: pattern == baseURL ? Array(inputs.dropFirst()) : inputs,
                answers: answers
            )
        ) { .stream($0.pass) }
    }

    // MARK: Description

    private static let inputs: [Route.Input] =
        [
            .init(.path, "path", "The path after the base URL of the environment; slashes need no escape."),
            .anyQuery("Passed on unchanged."),
        ] + RequestOptions.form.inputs

    private static let answers: [Operation.Answer] =
        [
            .body("*/*", "The response of the server, with any status.")
                .with("Corewire-Attempts", "The number of attempts.")
                .with("Corewire-Cache", "The cache's part in the response, and the age.")
                .with(
                    "Corewire-Waited",
                    "The time spent waiting for the network, a slot or a retry, such as 1250ms."
                ),
            .problem(.badRequest, "malformed-field", "A field, the path or the query is malformed."),
            .problem(.contentTooLarge, "body-too-large", "The body is larger than the file allows."),
        ] + failures.map(\.described)

    private static let failures: [RequestFailureKind] = [
        .signedOut, .forbidden, .noAddress, .undeclaredMode, .locked, .unreachable, .offline, .timeout, .notStored,
    ]
}
