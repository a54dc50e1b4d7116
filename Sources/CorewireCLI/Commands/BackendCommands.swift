import WireBackendContract
import WireBase
import WireConfig
import WireHTTP

/// `corewire backends`: the embedded servers, and faults on demand.
enum BackendCommands {
    static let backends = Command(
        name: "backends",
        summary: "Show the embedded servers, and inject faults.",
        subcommands: [status, push, metrics, versions, disableVersion, enableVersion, fault, faults, clear]
    )

    private static let status = Command.call(
        "status",
        BackendCalls.servers,
        summary: "Show the addresses of the embedded servers, and the active faults."
    ) { reply, paint in (BackendText.servers(reply.answer, paint), .success) }

    private static let push = Command.call(
        "push",
        BackendCalls.push,
        summary: "Show registrations, sent and waiting pushes of the embedded push servers."
    ) { reply, paint in (BackendText.push(reply.answer, paint), .success) }

    private static let metrics = Command(
        name: "metrics",
        summary: "Show the messages that the embedded metrics service has received.",
        options: RunnerCommands.outputOptions + [
            .init(name: "last", value: "count", help: "The number of messages, the latest ones. (default: 20)")
        ]
    ) { invocation in
        let (showing, most) = (try Display(invocation), BackendMetricsRequest.most)
        let count = try invocation.count("last", in: 1...most) ?? 20
        let input = BackendMetricsRequest(limit: most)
        let reply = try await RunnerClient(invocation).perform(BackendCalls.metrics, input)
        let items = reply.json["items"]?.array ?? []
        showing.show(.members(["items": .array(items.suffix(count))])) {
            BackendText.metrics(reply.answer.items.suffix(count))
        }
        return .success
    }

    // MARK: Versions

    private static let versions = Command.call(
        "versions",
        BackendCalls.versions,
        summary: "Show the app versions at the embedded mobile security service."
    ) { reply, paint in (BackendText.versions(reply.answer.versions, paint), .success) }

    private static let disableVersion = Command(
        name: "disable-version",
        summary: "Disable a version of the app.",
        discussion: """
            With the security rule 'appVersion', a device with this version shows the effect at
            once:

              corewire backends disable-version 1.4.0 --message "Please update."
              corewire security report
              corewire backends enable-version 1.4.0
            """,
        arguments: [version],
        options: RunnerCommands.outputOptions + [
            .init(name: "message", value: "text", help: "The message for users.")
        ]
    ) { try await say(isDisabled: true, $0) }

    private static let enableVersion = Command(
        name: "enable-version",
        summary: "Enable a version of the app again.",
        arguments: [version],
        options: RunnerCommands.outputOptions
    ) { try await say(isDisabled: false, $0) }

    private static let version = Command.Argument(name: "version", help: "The version, as in 'app.version'.")

    private static func say(isDisabled: Bool, _ invocation: Invocation) async throws -> ExitStatus {
        let (showing, version) = (try Display(invocation), invocation.argument(0) ?? "")
        let message = isDisabled ? invocation.option("message") : nil
        let order = BackendVersionOrder(version, isDisabled: isDisabled, message: message)
        let reply = try await RunnerClient(invocation).perform(BackendCalls.say, order)
        showing.show(reply.json) { BackendText.versions([reply.answer], showing.paint) }
        return .success
    }

    // MARK: Faults

    private static let fault = Command(
        name: "fault",
        summary: "Inject a fault into the embedded servers.",
        discussion: """
            Set the fault with --status, --latency, --drip, or a kind. A fault ends after --for or
            --count, or with 'corewire backends clear'; without either it survives a restart of the
            runner. The latest matching fault applies.

              corewire backends fault --status 503 --retry-after 5s --for 30s --on /api
              corewire backends fault reset --percent 20 --seed 7
            """,
        arguments: [
            .init(
                name: "kind",
                help: "reset, blackHole, truncate, wrongLength; or status, latency, drip.",
                isOptional: true
            )
        ],
        options: RunnerCommands.outputOptions + [
            .init(name: "status", value: "code", help: "Respond with this status."),
            .init(name: "retry-after", value: "duration", help: "The value of 'Retry-After'."),
            .init(name: "latency", value: "duration", help: "Delay responses by this time."),
            .init(name: "drip", value: "bytes", help: "Limit bodies to this many bytes per second."),
            .init(name: "for", value: "duration", help: "The duration of the fault. (default: until it is cleared)"),
            .init(name: "on", value: "path", help: "Only paths with this prefix, such as /api. (default: all)"),
            .init(name: "method", value: "name", help: "Only this method; may be repeated.", isRepeated: true),
            .init(name: "header", value: "name", help: "Only requests with this header field, such as Authorization."),
            .init(name: "percent", value: "number", help: "The percentage of affected requests."),
            .init(name: "count", value: "number", help: "The number of affected requests."),
            .init(name: "seed", value: "number", help: "The seed of the random choice. (default: backends.seed)"),
        ]
    ) { invocation in
        let showing = try Display(invocation)
        let order = try order(invocation)
        let reply = try await RunnerClient(invocation).perform(BackendCalls.fault, order)
        showing.show(reply.json) { BackendText.faults([reply.answer], showing.paint) }
        return .success
    }

    private static let faults = Command.call(
        "faults",
        BackendCalls.faults,
        summary: "List the active faults."
    ) { reply, paint in (BackendText.faults(reply.answer.faults, paint), .success) }

    private static let clear = Command(
        name: "clear",
        summary: "Remove a fault, or all faults.",
        arguments: [
            .init(name: "fault", help: "The id, from 'corewire backends faults'.", isOptional: true)
        ],
        options: RunnerCommands.outputOptions
    ) { invocation in
        let (showing, client) = (try Display(invocation), try RunnerClient(invocation))
        let reply =
            if let id = invocation.argument(0) {
                try await client.perform(BackendCalls.endFault, BackendFaultName(id))
            } else {
                try await client.perform(BackendCalls.endFaults, NoInput())
            }
        showing.show(reply.json) { "\(reply.answer.ended) \(reply.answer.ended == 1 ? "fault" : "faults") ended\n" }
        return .success
    }

    /// Reads the fault from the command line; the runner validates it.
    private static func order(_ invocation: Invocation) throws -> BackendFaultOrder {
        func number<Number>(_ option: String, _ what: String, _ read: (String) -> Number?) throws -> Number? {
            guard let text = invocation.option(option) else { return nil }
            if let number = read(text) { return number }
            throw UsageError("--\(option) takes \(what), not \(text.quoted)", for: invocation.path)
        }
        func whole(_ option: String) throws -> Int? { try number(option, "a whole number") { Int($0) } }
        func duration(_ option: String) throws -> Duration? {
            try invocation.option(option).map { try invocation.duration($0, option: option) }
        }
        var order = BackendFaultOrder()
        if let text = invocation.argument(0) {
            order.kind = try invocation.word(text, argument: "kind")
        }
        (order.status, order.bytesPerSecond) = (try whole("status"), try whole("drip"))
        (order.count, order.seed) = (try whole("count"), try whole("seed"))
        order.percent = try number("percent", "a number") { Double($0).flatMap { $0.isFinite ? $0 : nil } }
        order.retryAfterSeconds = try duration("retry-after").map { Int($0.inSeconds.rounded(.up)) }
        order.seconds = try duration("for").map { Int($0.inSeconds.rounded(.up)) }
        order.latencyMilliseconds = try duration("latency").map { Int($0.inMicroseconds / 1_000) }
        (order.path, order.header) = (invocation.option("on"), invocation.option("header"))
        let amounts: [Int?] = [order.status, order.bytesPerSecond, order.latencyMilliseconds]
        guard order.kind != nil || amounts.contains(where: { $0 != nil }) else {
            throw UsageError("expected <kind>, --status, --latency or --drip", for: invocation.path)
        }
        let methods = invocation.all("method")
        order.methods = methods.isEmpty ? nil : methods.map { $0.uppercased() }
        return order
    }
}
