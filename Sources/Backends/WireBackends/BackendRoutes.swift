import WireBase
import WireConfig
import WireHTTP
import WireService

/// The servers built in, as the local API shows them.
struct BackendRoutes: Sendable {
    /// What there is to be shown, where the environment has it.
    struct Present: Sendable {
        let issuer: Issuer
        let push: EmbeddedPushServers
        let metrics: MetricsBook
        let versions: VersionBook
        let base: String
        /// Which server is where, by its name.
        let addresses: [(name: String, address: String)]
    }

    let present: @Sendable () -> Present?
    let trouble: Trouble
    let storedFaults: StoredFaults
    /// Hears of faults that begin and end.
    let tell: @Sendable (_ event: BackendEvents, _ data: JSONValue) -> Void

    static let operations = [all, look, rotate] + faultOperations + pushOperations + securityOperations

    var routes: [Route] {
        [
            Route(
                Self.all,
                .snapshot { _ in
                    let present = try known()
                    return .json(
                        .members([
                            "baseUrl": .string(present.base),
                            "servers": .array(
                                present.addresses.map { name, address in
                                    .members(["name": .string(name), "address": .string(address)])
                                }
                            ), "faults": .array(trouble.faults),
                        ])
                    )
                }
            ),
            Route(Self.look, .snapshot { _ in answer(try known().issuer) }),
            Route(
                Self.rotate,
                .work { _ in
                    let issuer = try known().issuer
                    try await issuer.rotateKeys(always: true)
                    return answer(issuer)
                }
            ),
        ] + faultRoutes + pushRoutes + securityRoutes
    }

    func known() throws(Problem) -> Present {
        if let present = present() { return present }
        throw Problem(
            .conflict,
            "not-embedded",
            "the environment has no servers built in",
            detail: "they run where the environment says 'backend: embedded'"
        )
    }

    private func answer(_ issuer: Issuer) -> Response {
        let present = issuer.present
        let keys = (try? present.keys.known(present.records))?.members ?? []
        return .json(
            .members([
                "address": .string(present.address), "realms": .array(issuer.realms.map(JSONValue.string)),
                "users": .array(present.settings.users.map { .string($0.name) }),
                "keys": .array(keys.map { .string($0.id) }),
            ])
        )
    }

    private static let shape: JSONSchema = .object(
        [
            .required("address", "What the names of its issuers begin with.", .text),
            .required("realms", "The realms the services file has asked for.", .array(of: .text)),
            .required("users", "Who can sign in.", .array(of: .text)),
            .required(
                "keys",
                "The ids of the keys, the one that signs first; none before one is needed.",
                .array(of: .text)
            ),
        ]
    )

    private static let all = Operation(
        .get,
        "/v1/backends",
        "Tell where the servers built in listen, and which faults are on.",
        access: .read,
        answers: [
            .json(
                .object([
                    .required("baseUrl", "What stands for the base URL of the environment.", .text),
                    .required(
                        "servers",
                        "The servers.",
                        .array(
                            of: .object([
                                .required("name", "Which one it is.", .text),
                                .required("address", "Where it listens.", .text),
                            ])
                        )
                    ),
                    .required("faults", "The faults that are on.", .array(of: faultShape)),
                ]),
                "The servers."
            ), refusal,
        ]
    )

    static let refusal = Operation.Answer.problem(
        .conflict,
        "not-embedded",
        "The environment has no servers built in."
    )

    private static let look = Operation(
        .get,
        "/v1/backends/issuer",
        "Tell where the identity server built in listens, and who can sign in.",
        access: .read,
        answers: [.json(shape, "The identity server."), refusal]
    )

    private static let rotate = Operation(
        .post,
        "/v1/backends/issuer/rotate",
        "Sign tokens with a new key from now on; the one before stays known.",
        access: .admin,
        answers: [.json(shape, "The identity server, with its new keys."), refusal]
    )
}
