import WireHTTP

extension AuthRoutes {
    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/auth",
                "Who is signed in, and how: never tokens.",
                access: .read,
                answers: [.json(AuthStatus.schema, "How it is.")]
            )
        ) { .snapshot($0.status) },
        .init(
            .init(
                .get,
                "/v1/auth/token",
                "A token that is good for as long as is wished; renewed first where there is none.",
                access: .read,
                inputs: tokenInputs,
                answers: [.json(token, "The token; not to be kept.")] + tokenRefusals
            )
        ) { .snapshotOrWork($0.token) },
        .init(
            .init(
                .post,
                "/v1/auth/token/refused",
                "A token in place of one that a server has refused, which is renewed where it is still the present one.",
                access: .read,
                body: .json(
                    .object([
                        .required(
                            "sha256",
                            "The SHA-256 of the refused token, in hexadecimal digits.",
                            .text(pattern: "^[0-9a-fA-F]{64}$")
                        )
                    ])
                ),
                inputs: tokenInputs,
                answers: [
                    .json(token, "The present token, which is not the refused one."),
                    .problem(.conflict, "not-renewable", "There is no refresh token; the user signs in again."),
                    .problem(.tooManyRequests, "refused-too-soon", "It was renewed for the same reason a moment ago.")
                        .with("Retry-After", "When it may be renewed again."),
                ] + tokenRefusals
            )
        ) { .work($0.refused) },
        .init(
            .init(
                .get,
                "/v1/auth/user",
                "The user who is signed in.",
                access: .read,
                answers: [.json(SignedInUserAnswer.schema, "The user."), noUser] + refusals
            )
        ) { .snapshot($0.user) },
        .init(
            .init(
                .post,
                "/v1/auth/login",
                "Begin a sign-in, or join the one of the same flow that waits; one of another flow is ended.",
                access: .write,
                body: .json(login, mayBeEmpty: true),
                answers: [
                    .json(SignInAnswer.schema, "The user is signed in.", status: .ok),
                    .json(SignInAnswer.schema, "What the person must do.", status: .accepted),
                    .problem(.conflict, "signed-in", "Somebody is signed in already."),
                    .problem(.conflict, "undeclared-flow", "The file allows no such flow."), noUser, locked, forbidden,
                    badPIN, store,
                ] + notLockable + failures
            )
        ) { .work($0.login) },
        .init(
            .init(
                .delete,
                "/v1/auth/login",
                "Give up the sign-in that waits.",
                access: .write,
                answers: [
                    .nothing(.noContent, "It is given up."),
                    .problem(.notFound, "no-sign-in", "None waits."), forbidden,
                ]
            )
        ) { group in .work { try group.cancel($0) } },
        .init(
            .init(
                .post,
                "/v1/auth/callback",
                "Finish the sign-in that waits with the address the server has sent the browser to.",
                access: .write,
                body: .json(.object([.required("url", "The whole address.", .text)])),
                answers: [
                    .json(AuthStatus.schema, "The user is signed in."), noUser, forbidden,
                ] + failures
            )
        ) { .work($0.callback) },
        .init(
            .init(
                .post,
                "/v1/auth/logout",
                "Sign out, here and for all processes of the group; the server takes the tokens back.",
                access: .write,
                body: .json(.object([]), mayBeEmpty: true),
                answers: [.json(SignOutAnswer.schema, "How it went."), noUser, forbidden, store]
            )
        ) { .work($0.logout) },
        .init(
            .init(
                .post,
                "/v1/auth/lock",
                "Withhold tokens and user until unlocked; with a PIN, sets it first.",
                access: .write,
                body: .json(.object([.optional("pin", "4 to 12 digits.", pin)]), mayBeEmpty: true),
                answers: [
                    .json(AuthStatus.schema, "It is locked."), noUser, signedOut, locked, forbidden, badPIN, store,
                ] + notLockable
            )
        ) { .work($0.lock) },
        .init(
            .init(
                .post,
                "/v1/auth/unlock",
                "Open the lock, with the PIN or, with method 'pam', the password of the account corewire runs as.",
                access: .write,
                body: .json(
                    .object([.optional("pin", "The PIN.", pin), .optional("password", "The password.", .text)])
                ),
                answers: [
                    .json(AuthStatus.schema, "It is open."), noUser, signedOut,
                    .problem(.unauthorized, "wiped", "It was tried too often, and the session has ended."),
                    .problem(.forbidden, "wrong-pin", "The PIN is wrong.").with("Retry-After", "When to try again."),
                    .problem(.forbidden, "wrong-password", "The password is wrong."),
                    .problem(.tooManyRequests, "too-soon", "The next attempt must wait.")
                        .with("Retry-After", "How long."),
                    .problem(.unavailable, "unlock-unavailable", "The password cannot be checked now.")
                        .with("Retry-After", "When to try again."),
                    store,
                ] + notLockable
            )
        ) { .work($0.unlock) },
    ]

    private static let pin = JSONSchema.text(pattern: "^[0-9]{4,12}$")

    private static let token = JSONSchema.object(
        [
            .required("accessToken", "The token.", .text),
            .required("tokenType", "The scheme it is sent with.", .text),
            .required("mode", "Whose it is.", .words(["app", "appPlus", "user"])),
            .required("scopes", "What it is good for.", .array(of: .text)),
            .optional("expiresAt", "When it ends, where the server has said.", .text),
            .optional("expiresIn", "How many seconds that is from now.", .count()),
        ],
        help: "A token that may be sent."
    ).named("Token")

    private static let tokenInputs: [Route.Input] = [
        .init(
            .query,
            "minTTL",
            "How much longer it must be good, such as 30s, which it is unless it is said; 7d at the most.",
            duration
        ),
        .init(
            .query,
            "mode",
            "Whose; as the file says unless it is said.",
            .words(["app", "appPlus", "user"])
        ),
    ]

    private static let tokenRefusals: [Operation.Answer] =
        refusals + [
            .problem(.notFound, "undeclared-mode", "The file declares no such mode."),
            .problem(.unavailable, "token-unavailable", "There is no token now; trying again helps.")
                .with("Retry-After", "When."),
        ]

    private static let login = JSONSchema.object([
        .optional(
            "flow",
            "How; as the file says unless it is said.",
            .words(LoginFlow.allCases.map(\.rawValue)).orNull
        ),
        .optional("username", "For flow 'password', where it is not the user of the file.", .text),
        .optional("password", "The same.", .text),
        .optional("pin", "The PIN the session is to be locked with.", pin),
    ])

    private static let signedOut = Operation.Answer.problem(.unauthorized, "signed-out", "Nobody is signed in.")
    private static let locked = Operation.Answer.problem(.locked, "locked", "The session is locked.")
    private static let forbidden = Operation.Answer.problem(
        .forbidden,
        "blocked",
        "The account is blocked, or the caller has nothing to do with who is signed in."
    )
    private static let noUser = Operation.Answer.problem(.conflict, "no-user", "The file lets no user sign in.")
    private static let notLockable: [Operation.Answer] = [
        .problem(.conflict, "no-lock", "The file declares no lock."),
        .problem(.conflict, "not-lockable", "There is no PIN."),
        .problem(.conflict, "not-locked", "It is not locked."),
        .problem(.conflict, "other-method", "It is unlocked in another way."),
    ]
    private static let badPIN = Operation.Answer.problem(.unprocessableContent, "bad-pin", "This cannot be a PIN.")

    /// Every way in which a sign-in does not come about, by its own name.
    private static let failures: [Operation.Answer] = {
        var told: Set<Status> = []
        return SignInFailure.Kind.allCases.map { kind in
            let isFirst = told.insert(kind.status).inserted
            let help = isFirst ? "Signing in did not come about." : ""
            let answer = Operation.Answer.problem(kind.status, kind.problemKind, help)
            return isFirst && kind.status == .unavailable ? answer.with("Retry-After", "When to try again.") : answer
        }
    }()

    /// Units from the largest to the smallest, one at least.
    private static let duration = JSONSchema.text(
        pattern: "^([0-6]d|[0-9]{1,2}h|[0-9]{1,3}m|[0-9]{1,5}s|[0-9]{1,6}ms)$"
    )
    private static let store = Operation.Answer.problem(.unavailable, "store-unavailable", "It cannot be kept now.")
    private static let refusals = [signedOut, locked, forbidden]
}
