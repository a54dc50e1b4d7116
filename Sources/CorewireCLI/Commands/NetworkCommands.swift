/// `corewire pin`: the public keys of servers.
enum NetworkCommands {
    static let pin = Command(
        name: "pin",
        summary: "Print the public key of a server in the form of 'network.pins'.",
        discussion: """
            Connects with TLS, and sends no request. Paste the output below 'network.pins';
            further facts are comments. Where this machine does not trust the certificate,
            a warning says so: the key may then be that of an attacker in between.

            Exit status: 0 shown, 1 the server has no key or cannot be reached.
            """,
        arguments: [.init(name: "host", help: "The host, with its port unless that is 443: api.example.com:8443.")],
        options: [
            .init(name: "timeout", value: "duration", help: "The timeout. (default: 10s)"),
            RunnerCommands.format,
        ],
        isRunners: true
    )
}
