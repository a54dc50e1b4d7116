import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of metrics.
struct MetricsRoutes: RouteGroup {
    private let desk: MetricsDesk

    init(_ desk: MetricsDesk) { self.desk = desk }

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/metrics",
                "What is told to the metrics service, and what became of it.",
                access: .read,
                answers: [.json(MetricsReport.schema, "The report."), unavailable]
            )
        ) { .work($0.report) },
        .init(
            .init(
                .get,
                "/v1/metrics/preview",
                "What would be sent now, word for word; nothing is.",
                access: .read,
                answers: [.json(previewShape, "The messages."), unavailable]
            )
        ) { .work($0.preview) },
        .init(
            .init(
                .post,
                "/v1/metrics/messages",
                "Have messages sent now, of one type or of all that the file names.",
                access: .write,
                body: .json(wish, upTo: .kibibytes(1), mayBeEmpty: true),
                answers: [
                    .json(sentShape, "They are written down to be sent.", status: .accepted),
                    .problem(.conflict, "not-declared", "The file does not name this type."),
                    .problem(.conflict, "no-results", "No security rules have run."), unavailable,
                ]
            )
        ) { .work($0.send) },
    ]

    private static let unavailable = Operation.Answer.problem(
        .unavailable,
        "metrics-unavailable",
        "The store or the outbox does not take it now."
    )
    private static let kinds = MetricsMessage.Kind.allCases.map(\.rawValue)
    private static let wish = JSONSchema.object([.optional("type", "Only this type.", JSONSchema.words(kinds).orNull)])
        .named("MetricsWish")
    private static let sentShape = JSONSchema.object([
        .required("ids", "What the messages are called in the outbox.", .array(of: .text))
    ])
    private static let previewShape = JSONSchema.object([
        .required(
            "messages",
            "The bodies of the requests, in their order.",
            .array(
                of: .object([
                    .required("clientId", "The name this installation has there.", .text),
                    .required("timestamp", "Now, in milliseconds since 1970.", .integer),
                    .required("type", "What it is of.", .words(kinds)),
                    .required("data", "What it says.", .anything),
                ])
            )
        )
    ])

    // MARK: Looking

    private func report(_ request: Request) async throws -> Response {
        let (settings, host) = (desk.settings, desk.host)
        let client = try await asking { () async throws(Fault) in try await ClientID(host).find() }
        return .json(
            MetricsReport(
                url: settings.address(in: host) ?? "",
                clientID: client,
                isPublishedByProgram: host.find(.broughtPublisher)?.work != nil,
                types: desk.sends.map(\.rawValue),
                atStart: settings.atStart && desk.sends.contains(.initial),
                every: settings.every.map { Int($0.components.seconds) },
                last: desk.outcomes.map { MetricsReport.Last(kind: $0, outcome: $1) }
            ).json
        )
    }

    private func preview(_ request: Request) async throws -> Response {
        let messages = try await asking { () async throws(Fault) in try await desk.preview() }
        return .json(.members(["messages": .array(messages.map(\.json))]))
    }

    // MARK: Sending

    private func send(_ request: Request) async throws -> Response {
        var kinds = desk.sends
        if !request.body.isEmpty {
            let wanted = try request.json { (members) throws(Problem) in
                try members.word("type", as: MetricsMessage.Kind.self)
            }
            if let wanted { kinds = [try declared(wanted)] }
        }
        if kinds == [.security], desk.results.isEmpty {
            throw Problem(
                .conflict,
                "no-results",
                "there are no results of security rules",
                detail: "no section 'security' runs whose results may be sent"
            )
        }
        let chosen = kinds
        let ids = try await asking { () async throws(Fault) in try await desk.send(chosen) }
        return .json(.members(["ids": .array(ids.map(JSONValue.string))]), status: .accepted)
    }

    private func declared(_ kind: MetricsMessage.Kind) throws(Problem) -> MetricsMessage.Kind {
        guard desk.sends.contains(kind) else {
            var problem = Problem(
                .conflict,
                "not-declared",
                "the file does not name this type",
                detail: "metrics.types has \(desk.sends.map { $0.rawValue.quoted }.listed())"
            )
            problem.origin = desk.host.places.origin(of: desk.settings.$types, "metrics.types")
            throw problem
        }
        return kind
    }

    private func asking<Answer>(_ ask: () async throws(Fault) -> Answer) async throws(Problem) -> Answer {
        do throws(Fault) {
            return try await ask()
        } catch {
            var problem = Problem(
                .unavailable,
                "metrics-unavailable",
                "it cannot be done now",
                detail: error.help.map { "\(error.reason); \($0)" } ?? error.reason
            )
            (problem.origin, problem.fields) = (error.origin, ["Retry-After": "5"])
            throw problem
        }
    }
}
