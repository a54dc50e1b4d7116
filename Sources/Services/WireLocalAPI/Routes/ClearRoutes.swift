import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry

/// Everything that is kept of a person, of an environment or at all is removed, by all who keep anything.
struct ClearRoutes: RouteGroup {
    let clearings: Clearings?
    let stores: Stores
    let clock: Clockwork
    let log: Log

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .post,
                "/v1/clear",
                "End what is under way and remove what services keep; says what was removed. Broken off, it goes on when asked again.",
                access: .admin,
                body: .json(
                    JSONSchema.object([
                        .required("scope", "How much.", .words(ClearingScope.allCases.map(\.rawValue))),
                        .optional(
                            "services",
                            "Of these services alone; of all where absent.",
                            .array(of: .text).orNull
                        ),
                    ]).named("ClearWish"),
                    upTo: .kibibytes(4)
                ),
                answers: [
                    .json(answer, "What was removed."),
                    .problem(.notFound, "no-such-service", "None of that name keeps anything."),
                    .problem(
                        .unavailable,
                        "not-cleared",
                        "Something is still there; the answer says what.",
                        carrying: answer
                    ),
                ]
            )
        ) { .work($0.clear) }
    ]

    private static let answer = JSONSchema.object([
        .required(
            "services",
            "Each that keeps something, in the order in which it was cleared, and the store itself, last.",
            .array(
                of: .object([
                    .required("service", "The service.", .text),
                    .optional(
                        "removed",
                        "What there was, each kind of it; none of a kind is told as 0.",
                        .array(
                            of: .object([
                                .required("what", "A kind of things.", .text),
                                .required("count", "How many.", .count()),
                            ])
                        )
                    ), .optional("reason", "Why it is still there.", .text),
                    .optional("help", "What can be done about that.", .text),
                ])
            )
        )
    ]).named("Cleared")

    private func clear(_ request: Request) async throws -> Response {
        let (scope, wanted) = try request.json { members throws(Problem) in
            guard let scope = try members.word("scope", as: ClearingScope.self) else {
                throw members.failure("'scope' is missing", "scope")
            }
            return (scope, try members.texts("services"))
        }
        let keepers = clearings?.all ?? []
        if let unknown = wanted?.first(where: { name in !keepers.contains { $0.service == name } }) {
            throw Problem(
                .notFound,
                "no-such-service",
                "there is nothing to clear",
                detail: "found \(unknown.quoted), expected \(keepers.map(\.service).listed())"
            )
        }
        var told: [JSONValue] = []
        let answers = await clearings?.clear(scope, of: wanted, in: stores, clock) ?? []
        for answer in answers {
            if let fault = answer.fault {
                log.warning(
                    "something is still there",
                    ["service": .text(answer.service), "reason": .text(fault.reason)]
                )
            } else {
                log.notice("cleared", ["service": .text(answer.service), "scope": .text(scope.rawValue)])
            }
            let list = answer.removed?.map { item in
                JSONValue.members(["what": .string(item.what), "count": .integer(item.count)])
            }
            told.append(
                .members([
                    "service": .string(answer.service), "removed": list.map(JSONValue.array),
                    "reason": (answer.fault?.reason).map(JSONValue.string),
                    "help": (answer.fault?.help).map(JSONValue.string),
                ])
            )
        }
        let isWhole = answers.allSatisfy { $0.fault == nil }
        let answer = JSONValue.members(["services": .array(told)])
        guard !isWhole else { return .json(answer) }
        let problem = Problem(.unavailable, "not-cleared", "something is still there", detail: "the answer says what")
        return .json(
            .object((problem.json.members ?? []) + (answer.members ?? [])),
            status: .unavailable,
            type: "application/problem+json"
        )
    }
}
