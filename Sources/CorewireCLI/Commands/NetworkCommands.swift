/// `corewire pin`: the public keys of servers.
enum NetworkCommands {
    static let pin = Command(
        name: "pin",
        summary: "Print the public key of a server as an entry of 'network.pins'.",
        discussion: """
            Connects with TLS, and sends no request. Paste the output below 'network.pins'; details
            are comments. A warning is printed if this machine does not trust the certificate: the
            key may be that of an attacker.

            Exit status: 0 printed, 1 the server has no key or cannot be reached.
            """,
        arguments: [.init(name: "host", help: "The host, and its port if not 443: api.example.com:8443.")],
        options: [
            .init(name: "timeout", value: "duration", help: "The timeout. (default: 10s)"),
            RunnerCommands.format,
        ],
        runnerProgram: .pin
    )
}
