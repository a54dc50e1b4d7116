import WireBase
import WireConfig
import WireHTTP
import WirePushContract

/// `corewire push`: the registrations of this device at push servers.
enum PushCommands {
    static let push = Command(
        name: "push",
        summary: "Show and change the registrations at push servers.",
        subcommands: [
            status, register, subscribe,
            action("unsubscribe", PushCalls.unsubscribe, "End the subscription, until the device is subscribed again."),
            action("suspend", PushCalls.suspend, "Suspend a subscription at an Altcraft platform."),
            action("unsuspend", PushCalls.unsuspend, "End the suspension of a subscription."), profile, event,
            mobileEvent, token, subscription, PushSendCommand.command, PushSendCommand.vapidKey, providers, clear,
        ]
    )

    // MARK: Registration

    private static let status = command(
        "status",
        "Show the registrations of this device at push servers.",
        """
        With --which, asks an Altcraft platform for its present state: the latest subscription of
        the profile, the latest of the provider, or the one of the present token.
        """,
        arguments: [registrar],
        options: [
            .init(
                name: "which",
                value: "subscription",
                help: "latest, provider or current.",
                values: .words(PushStatusQuery.words)
            )
        ]
    ) { client, invocation in
        if let query = try invocation.choice("which").flatMap({ PushStatusQuery(rawValue: $0) }) {
            let request = PushStatusRequest(try await client.registrar(invocation), query)
            let json = try await client.change(PushCalls.status, request).json
            return PushAnswer(json) { _ in json.text(indented: true) + "\n" }
        }
        guard let name = invocation.argument(0) else {
            return PushAnswer(try await client.perform(PushCalls.show, NoInput()))
        }
        return PushAnswer(try await client.perform(PushCalls.showRegistrar, PushRegistrarName(name)))
    }

    private static let register = command(
        "register",
        "Register this device with push servers again, with fresh tokens.",
        waiting,
        arguments: [registrar],
        options: [wait]
    ) { client, invocation in
        let waits = invocation.flag("wait")
        guard let name = invocation.argument(0) else {
            let request = PushRegisterAll(waits: waits)
            return try await client.saying(waits, nil) {
                PushAnswer(try await client.change(PushCalls.registerAll, request), waits: waits)
            }
        }
        return try await client.saying(waits, name) {
            PushAnswer(
                try await client.change(PushCalls.register, PushRegister(name, waits: waits)),
                waits: waits
            )
        }
    }

    private static let subscribe = action(
        "subscribe",
        PushCalls.subscribe,
        "Subscribe.",
        options: [
            pair("field", "A field of the subscription: text, a number, true or false."),
            pair("profile", "A field of the profile that is set."),
            .init(name: "category", value: "name", help: "A category that the user subscribes to.", isRepeated: true),
            .init(name: "replace", help: "Replace other subscriptions of the profile."), silent,
            .init(name: "no-sync", help: "Let the platform answer before it has stored the change."),
        ]
    )

    private static func action(
        _ name: String,
        _ call: APICall<PushSubscription, PushRegistrarReport, PushFailureKind>,
        _ summary: String,
        options: [Command.Option] = []
    ) -> Command {
        command(name, summary, waiting, arguments: [one], options: options + [wait]) { client, invocation in
            var request = try PushOptions.subscription(invocation)
            request.registrar = try await client.registrar(invocation)
            return try await client.saying(request.waits, request.registrar) { [request] in
                PushAnswer(try await client.change(call, request), waits: request.waits)
            }
        }
    }

    // MARK: Events

    private static let profile = command(
        "profile",
        "Change fields of the profile at an Altcraft platform.",
        """
        An action changes the present value: --action visits=incr:1, --action tags=add:vip,
        --action nickname=unset. Actions: set, unset, incr, add, delete, upsert.
        """,
        arguments: [one],
        options: [
            pair("set", "A field to set."),
            .init(
                name: "action",
                value: "name=action:value",
                help: "An action on a field.",
                isRepeated: true
            ), silent,
        ]
    ) { client, invocation in
        var change = try PushOptions.profile(invocation)
        change.registrar = try await client.registrar(invocation)
        return PushAnswer(try await client.change(PushCalls.changeProfile, change))
    }

    private static let event = command(
        "event",
        "Report an event of a push to its server.",
        "The push is read from standard input, unchanged.",
        arguments: [.init(name: "event", help: "delivery, open or dismiss.")]
    ) { client, invocation in
        let event: PushEvent = try invocation.word(invocation.argument(0) ?? "", argument: "event")
        let payload = try PushOptions.json(upTo: .kibibytes(64), invocation)
        let reply = try await client.change(PushCalls.report, PushEventReport(event, of: payload))
        return PushAnswer(reply.json) { _ in
            reply.answer.registrar.map { "queued for \($0.shown(upTo: 400))\n" } ?? "no registrar matches this push\n"
        }
    }

    private static let mobileEvent = command(
        "mobile-event",
        "Send an event of the app to an Altcraft platform.",
        """
        The outbox sends the event, also after a restart. The payload is given by --data, or as JSON
        on standard input with --data -.

        Exit status: 0 queued; 1 refused.
        """,
        arguments: [
            .init(name: "name", help: "The name of the event."),
            .init(name: "registrar", help: "The platform. (default: the only registrar)", isOptional: true),
        ],
        options: [
            .init(name: "sid", value: "id", help: "The pixel of the event; required."),
            pair("data", "A member of the payload."),
            .init(name: "client-id", value: "id", help: "The id of the user in the web SDK."),
            .init(name: "push", value: "uid", help: "The push that led to the event."),
            pair("profile", "A field of the profile."),
            pair("utm", "The source of the visit: campaign, content, keyword, medium, source, temp."),
        ]
    ) { client, invocation in
        let event = try PushOptions.mobileEvent(invocation)
        let name = try await client.registrar(invocation, argument: 1)
        let reply = try await client.change(PushCalls.tellMobileEvent, PushMobileEvent(name, event))
        return PushAnswer(reply.json) { _ in "queued for \(reply.answer.name.shown(upTo: 400))\n" }
    }

    // MARK: Tokens

    private static let token = Command(
        name: "token",
        summary: "Set, remove and refresh the tokens of providers.",
        subcommands: [
            command(
                "set",
                "Set the token of a provider.",
                """
                The token is read from standard input, since other processes can see command lines. If
                the file names another source, this token wins until it is removed.
                """,
                arguments: [provider]
            ) { client, invocation in
                let token = try PushOptions.secret(upTo: .kibibytes(16))
                let change = PushTokenChange(invocation.argument(0) ?? "", token)
                return PushAnswer(try await client.change(PushCalls.setToken, change))
            },
            command(
                "remove",
                "Remove the token of a provider.",
                arguments: [provider]
            ) { client, invocation in
                let name = PushProviderName(invocation.argument(0) ?? "")
                return PushAnswer(try await client.change(PushCalls.deleteToken, name))
            },
            command("refresh", "Request a fresh token from every provider.") { client, _ in
                PushAnswer(try await client.change(PushCalls.refresh, NoInput()))
            },
            command(
                "jwt",
                "Set or remove the JWT of the user at an Altcraft platform.",
                "The JWT is read from standard input; empty input removes it.",
                arguments: [one]
            ) { client, invocation in
                let jwt = try PushOptions.secret(upTo: .kibibytes(32))
                let name = try await client.registrar(invocation)
                guard !jwt.reveal().isEmpty else {
                    return PushAnswer(try await client.change(PushCalls.removeJWT, PushRegistrarName(name)))
                }
                return PushAnswer(try await client.change(PushCalls.setJWT, PushJWT(name, jwt)))
            },
        ]
    )

    private static let subscription = command(
        "subscription",
        "Print the Web Push subscription that a push server gets.",
        """
        Any library for Web Push can send to it. Keep it secret: with it, any program can send pushes to this device.

        Exit status: 0 printed; 1 there is none yet.
        """,
        arguments: [one]
    ) { client, invocation in
        let name = try await client.registrar(invocation) { ["unifiedPush", "rest"].contains($0.type) }
        let request = PushRegistrarName(name)
        let json = try await client.perform(PushCalls.subscription, request).json
        return PushAnswer(json) { _ in json.text(indented: true) + "\n" }
    }

    private static let providers = command(
        "providers",
        "Change the order in which providers are tried.",
        arguments: [
            .init(
                name: "providers",
                help: "The order, separated by commas:  firebase,apns; 'file' for the order of the file."
            )
        ]
    ) { client, invocation in
        let given = invocation.argument(0) ?? ""
        if given == "file" { return PushAnswer(try await client.change(PushCalls.resetProviders, NoInput())) }
        let order = try given.split(separator: ",").map {
            try invocation.word(String($0), argument: "providers") as PushProvider
        }
        return PushAnswer(try await client.change(PushCalls.setProviders, PushProviderOrder(order)))
    }

    private static let clear = command(
        "clear",
        "Remove the registrations of the user, until they are registered again.",
        "Queued requests are removed; servers are not notified.",
        options: [.init(name: "everybody", help: "Remove all users and tokens of this environment.")]
    ) { client, invocation in
        let reply = try await client.change(
            PushCalls.clear,
            PushClearRequest(everybody: invocation.flag("everybody"))
        )
        return PushAnswer(reply.json) { _ in PushAnswer.text(of: reply.answer) }
    }

    // MARK: Shared words

    private static let registrar = Command.Argument(
        name: "registrar",
        help: "The name the services file gives the server; all of them when absent.",
        isOptional: true,
        values: .registrars
    )
    private static let one = Command.Argument(
        name: "registrar",
        help: "The name the services file gives the server; not needed where there is one.",
        isOptional: true,
        values: .registrars
    )
    private static let provider = Command.Argument(name: "provider", help: "\(PushProvider.words.listed("or")).")
    private static let silent = Command.Option(name: "skip-triggers", help: "Keep the platform's triggers silent.")
    private static let wait = Command.Option(name: "wait", help: "Wait for the answer of the server.")
    private static let waiting = """
        The request is queued, and sent as soon as possible. Exit status: 0 queued, or with
        --wait done; 1 refused: by the runner, or with --wait by the server.
        """

    private static func pair(_ name: String, _ help: String) -> Command.Option {
        .init(name: name, value: "name=value", help: help, isRepeated: true)
    }

    /// A command that asks a runner.
    private static func command(
        _ name: String,
        _ summary: String,
        _ discussion: String = "",
        arguments: [Command.Argument] = [],
        options: [Command.Option] = [],
        ask: @escaping @Sendable (RunnerClient, Invocation) async throws -> PushAnswer
    ) -> Command {
        Command(
            name: name,
            summary: summary,
            discussion: discussion,
            arguments: arguments,
            options: RunnerCommands.outputOptions + options
        ) { invocation in
            let showing = try Display(invocation)
            return try await ask(try RunnerClient(invocation), invocation).show(showing)
        }
    }
}

extension RunnerClient {
    /// Makes a call with a long timeout.
    fileprivate func change<Input, Answer>(
        _ call: APICall<Input, Answer, PushFailureKind>,
        _ input: Input
    ) async throws -> RunnerReply<Answer> {
        try await perform(call, input, within: Self.changeLimit)
    }
}
