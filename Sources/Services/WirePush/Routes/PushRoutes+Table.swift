import WireBase
import WireConfig
import WireHTTP

extension PushRoutes: RouteGroup {
    static let table: [RouteEntry<Self>] = looking + asking + altcraft + tokens

    private static let looking: [RouteEntry<Self>] = [
        .init(
            .init(.get, "/v1/push", "Which push servers know this device.", access: .read, answers: [told])
        ) { .snapshot($0.show) },
        .init(
            .init(
                .get,
                "/v1/push/registrars/{name}",
                "How one push server knows this device.",
                access: .read,
                inputs: [name],
                answers: [registrar, unknown]
            )
        ) { .snapshot($0.showOne) },
        .init(
            .init(
                .get,
                "/v1/push/registrars/{name}/status",
                "Ask an Altcraft platform what it knows of a subscription.",
                access: .read,
                inputs: [
                    name,
                    .init(
                        .query,
                        "which",
                        "The latest of the profile, of the provider, or the one of the present token.",
                        .words(AltcraftWire.StatusQuery.allCases.map(\.rawValue))
                    ),
                ],
                answers: [.json(.anything, "What the platform answered; of tokens the end.")] + refusals
                    + [.problem(.badGateway, "push-server", "The platform refused, or could not be asked.")]
            )
        ) { .work($0.status) },
    ]

    private static let asking: [RouteEntry<Self>] = [
        .init(
            .init(
                .post,
                "/v1/push/register",
                "Have all push servers told of this device anew, with tokens asked for anew.",
                access: .write,
                inputs: [wait],
                answers: [accepted, .json(PushReport.schema, "Nothing is under way any more."), unavailable]
            )
        ) { .work($0.registerAll) },
        .init(
            .init(
                .post,
                "/v1/push/registrars/{name}/register",
                "Have one push server told of this device anew.",
                access: .write,
                inputs: [name, wait],
                answers: [acceptedOne, done] + refusals
            )
        ) { .work($0.register) },
        wish(.subscribe, "Subscribe; at an Altcraft platform with fields and categories of one's own."),
        wish(.unsubscribe, "End the subscription, until somebody subscribes."),
        wish(.suspend, "Suspend the subscription at an Altcraft platform."),
        wish(.unsuspend, "End the suspension."),
        .init(
            .init(
                .post,
                "/v1/push/events",
                "Tell the server that sent a push what became of it.",
                access: .write,
                body: .json(event, upTo: .kibibytes(64), mayBeEmpty: false),
                answers: [
                    .json(toldEvent, "Whose push it is; no server where none wants to know.", status: .accepted),
                    .problem(.unprocessableContent, "bad-push-request", "It cannot be so."), unavailable,
                ]
            )
        ) { .work($0.tell) },
        .init(
            .init(
                .post,
                "/v1/push/clear",
                "Remove every trace of whoever uses the device, or of everybody; nothing begins anew by itself.",
                access: .write,
                body: .json(clearing, upTo: .kibibytes(1), mayBeEmpty: true),
                answers: [.json(PushService.Removed.schema, "What was removed."), unavailable]
            )
        ) { .work($0.clear) },
    ]

    private static func wish(_ wish: PushService.Wish, _ summary: String) -> RouteEntry<Self> {
        .init(
            .init(
                .post,
                "/v1/push/registrars/{name}/\(wish.rawValue)",
                summary,
                access: .write,
                body: .json(parameters, upTo: .kibibytes(256), mayBeEmpty: true),
                inputs: [name, wait],
                answers: [acceptedOne, done] + refusals
            )
        ) { group in .work { try await group.wish(wish, $0) } }
    }

    private static let altcraft: [RouteEntry<Self>] = [
        .init(
            .init(
                .post,
                "/v1/push/registrars/{name}/profile",
                "Change fields of the profile at an Altcraft platform.",
                access: .write,
                body: .json(profile, upTo: .kibibytes(256), mayBeEmpty: false),
                inputs: [name],
                answers: [acceptedOne] + refusals
            )
        ) { .work($0.changeProfile) },
        .init(
            .init(
                .post,
                "/v1/push/registrars/{name}/events",
                "Tell an Altcraft platform what happened in the app.",
                access: .write,
                body: .json(mobileEvent, upTo: .kibibytes(256), mayBeEmpty: false),
                inputs: [name],
                answers: [acceptedOne] + refusals
            )
        ) { .work($0.tellEvent) },
        .init(
            .init(
                .put,
                "/v1/push/registrars/{name}/jwt",
                "Hand in the JWT of the user, where the file says 'jwt: app'.",
                access: .write,
                body: .json(token, upTo: .kibibytes(32), mayBeEmpty: false),
                inputs: [name],
                answers: [acceptedOne] + refusals
            )
        ) { .work($0.putJWT) },
        .init(
            .init(
                .delete,
                "/v1/push/registrars/{name}/jwt",
                "Take back the JWT of the user.",
                access: .write,
                inputs: [name],
                answers: [acceptedOne] + refusals
            )
        ) { .work($0.removeJWT) },
    ]

    private static let tokens: [RouteEntry<Self>] = [
        .init(
            .init(
                .put,
                "/v1/push/tokens/{provider}",
                "Hand in the token of a provider; where it has another source, this one wins until it is taken back.",
                access: .write,
                body: .json(token, upTo: .kibibytes(8), mayBeEmpty: false),
                inputs: [provider],
                answers: [accepted] + refusals
            )
        ) { .work($0.putToken) },
        .init(
            .init(
                .delete,
                "/v1/push/tokens/{provider}",
                "Have a provider forget its token, or take back one that was handed in.",
                access: .write,
                inputs: [provider],
                answers: [accepted] + refusals
            )
        ) { .work($0.removeToken) },
        .init(
            .init(
                .post,
                "/v1/push/refresh",
                "Ask every provider for its token anew.",
                access: .write,
                answers: [accepted]
            )
        ) { .work($0.refresh) },
        .init(
            .init(
                .put,
                "/v1/push/providers",
                "Change the order in which providers are tried.",
                access: .write,
                body: .json(order, upTo: .kibibytes(1), mayBeEmpty: false),
                answers: [accepted] + refusals
            )
        ) { .work($0.putProviders) },
        .init(
            .init(
                .delete,
                "/v1/push/providers",
                "Return to the order of the file.",
                access: .write,
                answers: [accepted, unavailable]
            )
        ) { .work($0.removeProviders) },
    ]

    // MARK: What is read and answered

    private static let told = Operation.Answer.json(PushReport.schema, "The servers and the tokens.")
    private static let registrar = Operation.Answer.json(RegistrarReport.schema, "The server.")
    private static let accepted = Operation.Answer.json(
        PushReport.schema,
        "It is written down; servers are told as soon as that can be.",
        status: .accepted
    )
    private static let acceptedOne = Operation.Answer.json(
        RegistrarReport.schema,
        "It is written down; the server is told as soon as that can be.",
        status: .accepted
    )
    private static let done = Operation.Answer.json(
        RegistrarReport.schema,
        "The server has answered, with 'wait'; 'state' tells whether it has refused."
    )
    private static let wait = Route.Input(
        .query,
        "wait",
        "Answer when the server has: 'state' is not 'pending' then.",
        .boolean
    )
    private static let name = Route.Input(.path, "name", "The name the file gives the server.", .text(upTo: 64))
    private static let provider = Route.Input(
        .path,
        "provider",
        "The provider.",
        .words(PushProvider.allCases.map(\.rawValue))
    )
    private static let unknown = Operation.Answer.problem(
        .notFound,
        "no-such-registrar",
        "The file has no registrar of this name."
    )
    private static let unavailable = Operation.Answer.problem(
        .unavailable,
        "push-unavailable",
        "The store or the outbox does not take it now."
    )
    private static let refusals: [Operation.Answer] = [
        unknown, .problem(.notFound, "no-such-provider", "There is no such provider."),
        .problem(.conflict, "not-supported", "The server has no such thing, or the file says otherwise."),
        .problem(.conflict, "not-now", "Nobody knows whose it would be: somebody must sign in."),
        .problem(.unprocessableContent, "bad-push-request", "It cannot be so."), unavailable,
    ]

    private static let category = JSONSchema.object([
        .required("name", "The name the platform knows.", .text),
        .optional("title", "What people see; the name when absent.", JSONSchema.text.orNull),
        .optional("steady", "Whether the user cannot leave it.", JSONSchema.boolean.orNull),
        .optional("active", "Whether the user is in it.", JSONSchema.boolean.orNull),
    ]).named("PushCategory")
    private static let parameters = JSONSchema.object([
        .optional("customFields", "Fields of the subscription, laid over those of the file.", .anything),
        .optional("profileFields", "Fields of the profile: a value, or an action and a value.", .anything),
        .optional(
            "categories",
            "What the user wants to hear about, in place of the file's.",
            .array(of: category).orNull
        ),
        .optional("sync", "Whether the platform answers once it is stored.", JSONSchema.boolean.orNull),
        .optional("replace", "Whether other subscriptions of the profile are replaced.", JSONSchema.boolean.orNull),
        .optional("skipTriggers", "Whether the platform's triggers stay silent.", JSONSchema.boolean.orNull),
    ]).named("PushSubscription")
    private static let profile = JSONSchema.object([
        .required(
            "fields",
            "By name: a value, or an action (set, unset, incr, add, delete, upsert) and a value.",
            .anything
        ),
        .optional("skipTriggers", "Whether the platform's triggers stay silent.", JSONSchema.boolean.orNull),
    ]).named("PushProfile")
    private static let utm = JSONSchema.object(
        ["campaign", "content", "keyword", "medium", "source", "temp"].map {
            .optional($0, "As links tell it.", JSONSchema.text.orNull)
        }
    ).orNull.named("PushUTM")
    private static let mobileEvent = JSONSchema.object([
        .required("sid", "The pixel it is for.", .text), .required("name", "What happened.", .text),
        .optional("clientId", "Who it is, as the web SDK knows it.", JSONSchema.text.orNull),
        .optional("payload", "What is to be known about it.", .anything),
        .optional("push", "The id of the push it comes from.", JSONSchema.text.orNull),
        .optional(
            "matchingType",
            "How the platform finds the profile; as the JWT says when absent.",
            JSONSchema.text.orNull
        ),
        .optional("matching", "Which profile it is; as the JWT says when absent.", .anything),
        .optional("subscription", "A subscription of the profile.", .anything),
        .optional("profileFields", "Fields of the profile.", .anything),
        .optional("utm", "Where the user came from.", utm),
    ]).named("PushMobileEvent")
    private static let token = JSONSchema.object([.required("token", "All of it.", .text)]).named("PushTokenValue")
    private static let order = JSONSchema.object([
        .required(
            "providers",
            "The preferred one first; one alone means only that one.",
            .array(of: .words(PushProvider.allCases.map(\.rawValue)))
        )
    ]).named("PushProviders")
    private static let event = JSONSchema.object([
        .required("event", "What became of it.", .words(["delivery", "open", "dismiss"])),
        .required("payload", "The push as it came.", .anything),
    ]).named("PushEvent")
    private static let toldEvent = JSONSchema.object([
        .optional("registrar", "The server that is told.", JSONSchema.text.orNull),
        .optional("push", "The id of the push.", JSONSchema.text.orNull),
    ]).named("PushEventTold")
    private static let clearing = JSONSchema.object([
        .optional(
            "everybody",
            "Everything of this environment, and not only what is of the user.",
            JSONSchema.boolean.orNull
        )
    ]).named("PushClearing")
}
