import WireBase
import WireConfig
import WireHTTP
import WireService

/// Faults on demand, by the local API.
extension BackendRoutes {
    static let faultOperations = [listFaults, beginFault, endFaults, endFault]

    var faultRoutes: [Route] {
        [
            Route(
                Self.listFaults,
                .snapshot { _ in
                    _ = try known()
                    return .json(.members(["faults": .array(trouble.faults)]))
                }
            ),
            Route(Self.beginFault, .work { request in try await begin(request) }),
            Route(Self.endFaults, .work { _ in try await end(nil) }),
            Route(Self.endFault, .work { request in try await end(request[parameter: "id"]) }),
        ]
    }

    /// Faults are stored before they begin, and removed from the store before they end: what failed can be repeated.
    private func begin(_ request: Request) async throws -> Response {
        _ = try known()
        let order = try request.json(FaultOrder.init)
        let fault = try await storedFaults.turns.alone {
            guard let fault = trouble.fault(order) else {
                throw Problem(
                    .conflict,
                    "too-many-faults",
                    "there are too many faults",
                    detail: "found \(Trouble.limit), expected \(Trouble.limit - 1) at most; end some first"
                )
            }
            if fault.isLasting { try await storedFaults.keep(fault) }
            trouble.begin(fault)
            return fault
        }
        let told = trouble.faults.first { $0["id"]?.string == fault.id } ?? .null
        tell(.fault, told)
        return .json(told, status: .created)
    }

    private func end(_ id: String?) async throws -> Response {
        _ = try known()
        let count = try await storedFaults.turns.alone {
            let stored = try await storedFaults.forget(id)
            return max(trouble.end(id), stored)
        }
        if let id, count == 0 {
            throw Problem(.notFound, "no-such-fault", "there is no such fault", detail: "found \(id.quoted)")
        }
        let json = JSONValue.members(["ended": .integer(count)])
        if count > 0 { tell(.faultEnded, json) }
        return .json(json)
    }

    // MARK: Described

    static let faultShape: JSONSchema = .object([
        .required("id", "Its name, by which it is ended.", .text), .required("kind", "What happens.", kinds),
        .optional("status", "The status instead of an answer.", .integer),
        .optional("retryAfterSeconds", "What 'Retry-After' says then.", .integer),
        .optional("latencyMilliseconds", "How late answers come.", .integer),
        .optional("bytesPerSecond", "How slowly bodies come.", .integer),
        .required("on", "What the paths begin with that it is about.", .text),
        .optional("methods", "The methods it is about; all without them.", .array(of: .text)),
        .optional("header", "A header field of the requests it is about; all without it.", .text),
        .required("percent", "Which part of the requests it meets.", number),
        .optional("count", "How many requests it meets at the most.", .integer),
        .required("met", "How many it has met.", .count()),
        .optional("endsInSeconds", "When it ends by itself.", .count()),
    ]).named("BackendFault")

    private static let orderShape: JSONSchema = .object([
        .optional("kind", "What happens; it follows from 'status', 'latencyMilliseconds' and 'bytesPerSecond'.", kinds),
        .optional("status", "The status instead of an answer.", .integer(in: 200...599)),
        .optional("retryAfterSeconds", "What 'Retry-After' says then.", .integer(in: 0...86_400)),
        .optional("latencyMilliseconds", "How late answers come.", .integer(in: 1...3_600_000)),
        .optional("bytesPerSecond", "How slowly bodies come.", .integer(in: 1...1_000_000_000)),
        .optional("seconds", "How long it lasts; until it is ended where it does not say.", .integer(in: 1...86_400)),
        .optional("on", "What the paths begin with that it is about; all without it.", .text(pattern: "^/")),
        .optional("methods", "The methods it is about.", .array(of: .text(pattern: "^[A-Z]+$"))),
        .optional("header", "The name of a header field that the requests have which it is about.", .text),
        .optional("percent", "Which part of the requests it meets; all of them without it.", number),
        .optional("count", "How many requests it meets at the most.", .integer(in: 1...1_000_000)),
        .optional("seed", "What chance begins with; 'backends.seed' without it.", .integer),
    ])

    private static let kinds = JSONSchema.words(OrderedFault.Kind.Word.allCases.map(\.rawValue))
    private static let number = JSONSchema.number(above: 0, upTo: 100)
    private static let ended: JSONSchema = .object([.required("ended", "How many faults there were.", .count())])

    private static let listFaults = Operation(
        .get,
        "/v1/backends/faults",
        "List the faults that are on.",
        access: .read,
        answers: [
            .json(.object([.required("faults", "The faults.", .array(of: faultShape))]), "The faults."), refusal,
        ]
    )

    private static let beginFault = Operation(
        .post,
        "/v1/backends/faults",
        "Let requests to the servers built in fail, come late or never end, to see what comes of it.",
        access: .admin,
        body: .json(orderShape),
        answers: [
            .json(faultShape, "The fault, which is on.", status: .created), refusal,
            .problem(.conflict, "too-many-faults", "There are too many faults."),
        ]
    )

    private static let endFaults = Operation(
        .delete,
        "/v1/backends/faults",
        "End all faults.",
        access: .admin,
        answers: [.json(ended, "How many there were."), refusal]
    )

    private static let endFault = Operation(
        .delete,
        "/v1/backends/faults/{id}",
        "End a fault.",
        access: .admin,
        inputs: [.init(.path, "id", "The name of the fault.")],
        answers: [
            .json(ended, "It has ended."), refusal, .problem(.notFound, "no-such-fault", "There is no such fault."),
        ]
    )
}
