import WireBase
import WireConfig
import WireHTTP
import WireSyncContract

/// `corewire sync watch` and `corewire sync subscribe`: show results until interrupted.
enum SyncStreamCommands {
    static let watch = Command(
        name: "watch",
        summary: "Watch the result of a query.",
        discussion: "With --format json each line is an object.",
        arguments: [SyncCommands.operation],
        options: RunnerCommands.outputOptions + SyncCommands.asking + [
            .init(
                name: "policy",
                value: "word",
                help: "The cache policy. (default: from the services file)",
                values: .words(CachePolicy.allCases.map(\.rawValue))
            )
        ]
    ) { invocation in
        try await follow("/v1/sync/watch", invocation, ["policy": try invocation.choice("policy")])
    }

    static let subscribe = Command(
        name: "subscribe",
        summary: "Follow the events of a subscription.",
        discussion: "With --format json each line is an object.",
        arguments: [SyncCommands.operation],
        options: RunnerCommands.outputOptions + SyncCommands.asking
    ) { invocation in
        try await follow("/v1/sync/subscribe", invocation, [:])
    }

    private static func follow(_ path: String, _ invocation: Invocation, _ more: [String: String?]) async throws
        -> ExitStatus
    {
        let asked = try SyncCommands.Asked(invocation)
        let items: [(String, String?)] =
            [
                ("operation", asked.operation), ("query", asked.document),
                ("variables", asked.variables?.text()),
            ] + more.map { ($0.key, $0.value) }
        let query = items.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }
        let showing = try Display(invocation)
        var feed = EventFeed(
            try RunnerClient(invocation),
            "\(path)?\(query.joined(separator: "&"))",
            failing: SyncFailureKind.self
        )
        return try await feed.follow { event in
            guard let json = try? JSONValue(parsing: Array(event.data.utf8), named: "event") else { return true }
            if showing.isJSON {
                let line = JSONValue.object([("event", .string(event.event ?? ""))] + (json.members ?? []))
                return Console.print("\(line.text())\n") && event.event != "complete"
            }
            switch event.event {
            case "answer", "next":
                var answer = SyncAnswer(data: json["data"], errors: json["errors"]?.array)
                answer.source = json["source"]?.string == SyncSource.cache.rawValue ? .cache : .server
                (answer.age, answer.isStale) = (json["age"]?.integer, json["stale"]?.boolean ?? false)
                return Console.print(SyncText.answer(answer, showing.paint).text)
            case "failure":
                let reason = json["reason"]?.string ?? json["errors"]?.text() ?? ""
                Console.printError("failed: \(reason.shown(upTo: 400))\n")
            case "gap": Console.printError("events may be missing\n")
            case "complete": return false
            default: break
            }
            return true
        }
    }
}
