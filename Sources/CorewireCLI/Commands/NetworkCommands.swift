/// Requests to the servers of the file, and the keys that servers have.
enum NetworkCommands {
    static let request = Command(
        name: "request",
        summary: "Send a request to the environment's server, as apps do.",
        discussion: """
            The runner sends it: below the base URL, with the token, repetitions and offline policy of
            the file. The body of the answer is on standard output as it is, and as it comes; where it
            comes from the store, standard error says how old it is.

            Exit status: 0 for an answer from 200 to 399, 1 for any other or none, 69 no runner answers.
            """,
        arguments: [
            .init(name: "method", help: "GET, POST … (default: GET, with --data POST)", isOptional: true),
            .init(name: "path", help: "The path below the base URL, with its query."),
        ],
        options: RunnerCommands.speaking + [
            .init(name: "method", value: "name", help: "The method, in place of the argument.", letter: "X"),
            .init(
                name: "header",
                value: "field",
                help: "A header field: 'Accept: text/csv'.",
                letter: "H",
                isRepeated: true
            ),
            .init(
                name: "data",
                value: "body",
                help: "The body; @file takes it from a file, - from standard input.",
                letter: "d",
                values: .files
            ),
            .init(name: "type", value: "media-type", help: "What the body is. (default: application/json)"),
            .init(
                name: "token",
                value: "mode",
                help: "Whose token goes along: app, appPlus, user or none. (default: as the file says)",
                values: .words(["app", "appPlus", "user", "none"])
            ),
            .init(
                name: "offline-policy",
                value: "policy",
                help:
                    "none, loadAndStoreLocalData or returnLocalDataDontLoad. (default: as the file says)",
                values: .words(["none", "loadAndStoreLocalData", "returnLocalDataDontLoad"])
            ),
            .init(name: "retries", value: "count", help: "How often it is repeated where that is safe."),
            .init(name: "timeout", value: "duration", help: "How long one attempt may take."),
            .init(
                name: "idempotency-key",
                value: "key",
                help: "By it the server knows a repetition, so that any request may be repeated."
            ),
            .init(name: "include", help: "Print status and header fields before the body.", letter: "i"),
        ],
        isRunners: true
    )

    static let pin = Command(
        name: "pin",
        summary: "Show the key a server has, as 'network.pins' of the file takes it.",
        discussion: """
            Connects with TLS, and sends nothing. The answer can be pasted below 'network.pins'; what
            else there is to know are comments. Where this machine does not trust the certificate,
            a warning says so: the key is then anybody's who is on the way.

            Exit status: 0 shown, 1 the server shows none or cannot be reached.
            """,
        arguments: [.init(name: "host", help: "The host, with its port unless that is 443: api.example.com:8443.")],
        options: [
            .init(name: "timeout", value: "duration", help: "How long it may take. (default: 10s)"),
            RunnerCommands.output,
        ],
        isRunners: true
    )
}
