import WireHTTP
import WireService

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

    private static let inputs: [Route.Input] = [
        .init(.path, "path", "What follows the base URL of the environment; slashes may be written as they are."),
        .anyQuery("Passed on as it is."),
        .init(
            .header,
            "Corewire-Token",
            "Whose token goes along; by the file's auth.mode where absent.",
            .words(TokenMode.allCases.map(\.rawValue) + ["none"])
        ),
        .init(
            .header,
            "Corewire-Retries",
            "How often it is repeated where that is safe; as the file says where absent.",
            .integer(in: 0...10)
        ),
        .init(
            .header,
            "Corewire-Timeout",
            "How long one attempt may take, such as 5s; as the file says where absent.",
            .text(pattern: "^([0-9]+(ms|s|m|h|d))+$")
        ),
        .init(
            .header,
            "Corewire-Offline-Policy",
            "What stored answers are for; as the file says where absent.",
            .words(OfflinePolicy.allCases.map(\.rawValue))
        ),
        .init(.header, "Idempotency-Key", "By it the server knows a repetition; passed on, and allows repeating."),
    ]

    private static let answers: [Operation.Answer] = [
        .body("*/*", "The answer of the server; its status may be any.")
            .with("Corewire-Attempts", "How often it was sent.")
            .with("Corewire-Cache", "Whether it is stored, and how old.")
            .with("Corewire-Waited", "How long it waited for the network, its turn or a repetition, such as 1250ms."),
        .problem(.badRequest, "malformed-field", "A field, the path or the query is not as expected."),
        .problem(.unauthorized, "signed-out", "Nobody is signed in."),
        .problem(.forbidden, "forbidden", "The file does not allow it, or the caller may not have the token."),
        .problem(.conflict, "no-address", "The environment has no base URL."),
        .problem(.conflict, "undeclared-mode", "The file declares no such token."),
        .problem(.contentTooLarge, "body-too-large", "The body is larger than the file allows."),
        .problem(.locked, "locked", "The session is locked."),
        .problem(.badGateway, "unreachable", "The server cannot be reached, or its answer is none."),
        .problem(
            .unavailable,
            "offline",
            "There is no network, no token or no turn now; Retry-After tells when to come."
        ),
        .problem(.gatewayTimeout, "timeout", "The server did not answer in time."),
        .problem(.gatewayTimeout, "not-stored", "The offline policy asks for what is stored, and nothing is."),
    ]
}
