/// The keys that servers have.
enum NetworkCommands {
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
            RunnerCommands.format,
        ],
        isRunners: true
    )
}
