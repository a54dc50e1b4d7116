import WireNotificationContract

/// `corewire push send` and `corewire push vapid-key`, executed by the runner's program: they need a network client and
/// cryptography.
enum PushSendCommand {
    static let command = Command(
        name: "send",
        summary: "Send a notification to a Web Push subscription, an ntfy topic or an MQTT topic.",
        discussion: """
            Needs no runner and no services file. A subscription is JSON as printed by
            'corewire push subscription': the message is encrypted for it, and signed if there is a
            --vapid-key. A message of MQTT has QoS 1, and is sent when the broker has acknowledged
            it. Without a body, the title is the text. Proxies and certificate authorities are those
            of the environment (HTTPS_PROXY, CURL_CA_BUNDLE).

            Exit status: 0 sent; 1 rejected, or the subscription has ended; 66 no such file; 75 try
            again later; 77 the server does not accept the key, the token or the password.
            """,
        arguments: words.arguments,
        options: [
            .init(
                name: "subscription",
                value: "file",
                help: "The Web Push subscription; '-' reads standard input.",
                values: .files
            ),
            .init(
                name: "vapid-key",
                value: "file",
                help: "The key of the sender: PKCS #8 in PEM, of P-256; '-' reads standard input.",
                values: .files
            ),
            .init(name: "subject", value: "url", help: "Where the sender can be reached: mailto: or https:."),
            .init(
                name: "ttl",
                value: "duration",
                help: "How long the service keeps the message. (default: 1d; MQTT: without a limit)"
            ),
            .init(
                name: "topic",
                value: "name",
                help: "Replace undelivered messages with the same topic; the topic of MQTT."
            ),
            .init(name: "ntfy", value: "url", help: "The ntfy topic: https://ntfy.example.com/topic."),
            .init(
                name: "token",
                value: "file",
                help: "The access token of the ntfy server; '-' reads standard input.",
                values: .files
            ),
            .init(
                name: "mqtt",
                value: "url",
                help: "The MQTT broker: mqtts://broker.example.com, or wss:// over a WebSocket."
            ),
            .init(name: "retain", help: "Let the broker keep the message for later subscribers."),
            .init(name: "username", value: "name", help: "The user name at the broker."),
            .init(
                name: "password",
                value: "file",
                help: "The password of the user; '-' reads standard input.",
                values: .files
            ),
        ] + words.options + [RunnerCommands.format],
        runnerProgram: .sendPush
    )

    static let vapidKey = Command(
        name: "vapid-key",
        summary: "Print the public key of a VAPID key; make the key if there is none.",
        discussion: """
            The file has a key of P-256, as PKCS #8 in PEM. The public key is for 'vapid' of a
            registrar, and for 'applicationServerKey' in browsers.

            Exit status: 0 printed; 1 not such a key; 66 not readable; 73 the file cannot be written.
            """,
        arguments: [.init(name: "file", help: "The file of the key.", values: .files)],
        options: [RunnerCommands.format],
        runnerProgram: .vapidKey
    )

    static let words = CallWords<NewNotification>(
        ["title": .argument("title", "The title."), "body": .argument("body", "Its text.")]
            + NotificationOptions.content + [
                "category": .consumed(
                    .init(name: "category", value: "name", help: "The category; a tag of ntfy.", isRepeated: true)
                ),
                "urgency": .consumed(
                    .init(
                        name: "urgency",
                        value: "level",
                        help: "very-low, low, normal, high or critical.",
                        values: .words(OutgoingPush.Urgency.allCases.map(\.rawValue))
                    )
                ),
                "expires": .hidden, "payload": .hidden, "carrier": .hidden, "subtitle": .hidden,
            ]
    )
}
