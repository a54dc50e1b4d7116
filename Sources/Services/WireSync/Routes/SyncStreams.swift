import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireService
import WireSyncContract

/// Watched queries and subscriptions of the local API, as server-sent events.
struct SyncStreams: Sendable {
    let service: SyncService

    static let watched = Operation(
        .get,
        "/v1/sync/watch",
        "Watch a query: stream its result and each new result when the data changes, as server-sent events.",
        access: .read,
        inputs: inputs + [
            .init(.query, "policy", "The cache policy.", .words(CachePolicy.allCases.map(\.rawValue)))
        ],
        answers: answers(
            "'answer' with data, errors, source, age and stale; 'failure' when the server cannot be reached."
        )
    )

    static let subscribed = Operation(
        .get,
        "/v1/sync/subscribe",
        "Run a subscription: stream its events as server-sent events.",
        access: .read,
        inputs: inputs,
        answers: answers("'next' with data and errors; 'gap' when events may be missing; 'failure'; 'complete'.")
    )

    private static let inputs: [Route.Input] = [
        .init(.query, "operation", "The name of a declared operation."),
        .init(.query, "query", "A document with one operation, instead of 'operation'."),
        .init(.query, "variables", "The variables, as a JSON object."),
    ]

    private static func answers(_ help: String) -> [Operation.Answer] {
        [.body("text/event-stream", help)]
            + SyncCalls.asking.map { .problem($0.facts.status, $0.rawValue, $0.facts.help) }
    }

    func watch(_ request: Request) async throws -> Response {
        let policy: CachePolicy? = try request.queryWord("policy")
        guard service.policy(policy) != .noCache else { throw Problem(SyncFailure.watchWithoutCache) }
        let asked = try asked(request, .query)
        return events { outlet in
            await service.watch(asked, policy: policy) { event in
                switch event {
                case .answer(let answer): await outlet.write(Self.event("answer", answer.json))
                case .failure(let failure): await outlet.write(Self.event("failure", failure.eventJSON))
                }
                return await !outlet.isGone
            }
        }
    }

    func subscribe(_ request: Request) async throws -> Response {
        let asked = try asked(request, .subscription)
        return events { outlet in
            let hasFailed = Mutex(false)
            await service.subscribe(asked) { event in
                switch event {
                case .next(let answer): await outlet.write(Self.event("next", answer.response))
                case .gap(let gap): await outlet.write(Self.event("gap", gap.json))
                case .refused(let errors):
                    hasFailed.withLock { $0 = true }
                    await outlet.write(Self.event("failure", .members(["errors": .array(errors)])))
                case .failure(let failure):
                    hasFailed.withLock { $0 = true }
                    await outlet.write(Self.event("failure", failure.eventJSON))
                }
                return await !outlet.isGone
            }
            guard !hasFailed.withLock({ $0 }) else { return }
            await outlet.write(ServerSentEvent(event: "complete", data: "{}").bytes)
        }
    }

    private func asked(_ request: Request, _ kind: OperationKind) throws -> AskedOperation {
        let text = try request.queryText("variables")
        var variables: [(key: String, value: JSONValue)] = []
        if let text {
            let json = try? JSONValue(parsing: Array(text.utf8), named: "variables", exactNumbers: true)
            guard let members = json?.members else {
                throw SyncFailure(.invalid, "'variables': expected a JSON object")
            }
            variables = members
        }
        let prepared = try service.prepared(
            request.target.query.first { $0.name == "operation" }?.value,
            request.target.query.first { $0.name == "query" }?.value,
            expected: kind
        )
        return try service.asked(prepared, variables, tokens: request.rights.tokens)
    }

    private func events(_ work: @escaping @Sendable (EventOutlet) async -> Void) -> Response {
        let clock = service.host.clock
        return .events { writer in
            let outlet = EventOutlet(writer)
            await firstOf([{ await work(outlet) }, { await outlet.beat(clock) }])
        }
    }

    private static func event(_ name: String, _ json: JSONValue) -> [UInt8] {
        ServerSentEvent(event: name, data: json.text()).bytes
    }
}

extension SyncAnswer {
    fileprivate var json: JSONValue {
        .members([
            "data": data, "errors": errors.map(JSONValue.array), "source": .string(source.rawValue),
            "age": age.map(JSONValue.integer), "stale": isStale ? .boolean(true) : nil,
        ])
    }
}

extension SyncFailure {
    fileprivate var eventJSON: JSONValue {
        .members(["kind": .string(kind.rawValue), "reason": .string(reason), "help": help.map(JSONValue.string)])
    }
}

extension SubscriptionEvent.Gap {
    var json: JSONValue {
        switch self {
        case .reconnected: .members(["because": .string("reconnected")])
        case .dropped(let count): .members(["because": .string("dropped"), "count": .integer(count)])
        }
    }
}
