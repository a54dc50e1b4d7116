import WireConfig
import WireHTTP

/// The servers built in, as the local API shows them.
struct BackendRoutes: Sendable {
    /// The identity server, where the environment has it.
    let issuer: @Sendable () -> Issuer?

    static let operations = [look, rotate]

    var routes: [Route] {
        [
            Route(Self.look, .snapshot { _ in answer(try known()) }),
            Route(
                Self.rotate,
                .work { _ in
                    let issuer = try known()
                    try await issuer.rotateKeys(always: true)
                    return answer(issuer)
                }
            ),
        ]
    }

    private func known() throws(Problem) -> Issuer {
        if let issuer = issuer() { return issuer }
        throw Problem(
            .conflict,
            "not-embedded",
            "the environment has no servers built in",
            detail: "they run where the environment says 'backend: embedded'"
        )
    }

    private func answer(_ issuer: Issuer) -> Response {
        let present = issuer.present
        return .json(
            .members([
                "address": .string(present.address), "realms": .array(issuer.realms.map(JSONValue.string)),
                "users": .array(present.settings.users.map { .string($0.name) }),
                "keys": .array(present.keys.present.members.map { .string($0.id) }),
            ])
        )
    }

    private static let shape: JSONSchema = .object(
        [
            .required("address", "What the names of its issuers begin with.", .text),
            .required("realms", "The realms the services file has asked for.", .array(of: .text)),
            .required("users", "Who can sign in.", .array(of: .text)),
            .required("keys", "The ids of the keys, the one that signs first.", .array(of: .text)),
        ]
    )

    private static let refusal = Operation.Answer.problem(
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
