import WireBase
package import WireHTTP

/// The operations on push registration, each declared once.
package enum PushCalls {
    package static let show = APICall<NoInput, PushReport, PushFailureKind>(
        .get,
        "/v1/push",
        "Which push servers know this device.",
        access: .read,
        answers: [.init(.ok, "The servers and the tokens.")],
        fails: []
    )

    package static let showRegistrar = APICall<PushRegistrarName, PushRegistrarReport, PushFailureKind>(
        .get,
        "/v1/push/registrars/{name}",
        "How one push server knows this device.",
        access: .read,
        answers: [.init(.ok, "The server.")],
        fails: [.noSuchRegistrar]
    )

    package static let status = APICall<PushStatusRequest, PushPlatformAnswer, PushFailureKind>(
        .get,
        "/v1/push/registrars/{name}/status",
        "Ask an Altcraft platform what it knows of a subscription.",
        access: .read,
        answers: [.init(.ok, "What the platform answered; of tokens the end.")],
        fails: refusals + [.server]
    )

    // MARK: Registering

    package static let registerAll = APICall<PushRegisterAll, PushReport, PushFailureKind>(
        .post,
        "/v1/push/register",
        "Register this device with all push servers again, with fresh tokens.",
        access: .write,
        answers: [.accepted("servers are told"), .init(.ok, "Nothing is under way any more.")],
        fails: [.unavailable]
    )

    package static let register = atServer(
        PushRegister.self,
        .post,
        "register",
        "Register this device with one push server again.",
        waits: true
    )

    package static let subscribe = wish(
        "subscribe",
        "Subscribe; an Altcraft platform also takes fields and categories."
    )
    package static let unsubscribe = wish("unsubscribe", "End the subscription, until the device is subscribed again.")
    package static let suspend = wish("suspend", "Suspend the subscription at an Altcraft platform.")
    package static let unsuspend = wish("unsuspend", "End the suspension.")

    private static func wish(
        _ word: String,
        _ summary: String
    ) -> APICall<PushSubscription, PushRegistrarReport, PushFailureKind> {
        atServer(PushSubscription.self, .post, word, summary, upTo: .kibibytes(256), waits: true)
    }

    package static let tell = APICall<PushEventReport, PushEventTold, PushFailureKind>(
        .post,
        "/v1/push/events",
        "Tell the server that sent a push what became of it.",
        access: .write,
        upTo: .kibibytes(64),
        answers: [.init(.accepted, "Whose push it is; no server where none wants to know.")],
        fails: [.invalid, .unavailable]
    )

    package static let clear = APICall<PushClearRequest, PushRemoved, PushFailureKind>(
        .post,
        "/v1/push/clear",
        "Remove the registrations of the user, or of all users; nothing is registered again by itself.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.ok, "What was removed.")],
        fails: [.unavailable]
    )

    // MARK: Altcraft

    package static let changeProfile = atServer(
        PushProfileChange.self,
        .post,
        "profile",
        "Change fields of the profile at an Altcraft platform.",
        upTo: .kibibytes(256)
    )
    package static let tellMobileEvent = atServer(
        PushMobileEvent.self,
        .post,
        "events",
        "Tell an Altcraft platform what happened in the app.",
        upTo: .kibibytes(256)
    )
    package static let setJWT = atServer(
        PushJWT.self,
        .put,
        "jwt",
        "Hand in the JWT of the user, where the file says 'jwt: app'.",
        upTo: .kibibytes(32)
    )
    package static let removeJWT = atServer(PushRegistrarName.self, .delete, "jwt", "Take back the JWT of the user.")

    // MARK: Tokens

    package static let setToken = ofDevice(
        PushTokenChange.self,
        .put,
        "tokens/{provider}",
        "Hand in the token of a provider; where it has another source, this one wins until it is taken back.",
        upTo: .kibibytes(8)
    )
    package static let deleteToken = ofDevice(
        PushProviderName.self,
        .delete,
        "tokens/{provider}",
        "Have a provider forget its token, or take back one that was handed in."
    )
    package static let refresh = ofDevice(
        NoInput.self,
        .post,
        "refresh",
        "Ask every provider for a fresh token.",
        fails: []
    )
    package static let setProviders = ofDevice(
        PushProviderOrder.self,
        .put,
        "providers",
        "Change the order in which providers are tried.",
        upTo: .kibibytes(1)
    )
    package static let resetProviders = ofDevice(
        NoInput.self,
        .delete,
        "providers",
        "Return to the order of the file.",
        fails: [.unavailable]
    )

    // MARK: What they share

    /// Something that one server is told later; where the caller waits, the answer is the server's.
    private static func atServer<Input>(
        _ input: Input.Type,
        _ method: Method,
        _ rest: String,
        _ summary: String,
        upTo limit: ByteCount? = nil,
        waits: Bool = false
    ) -> APICall<Input, PushRegistrarReport, PushFailureKind> {
        APICall(
            method,
            "/v1/push/registrars/{name}/\(rest)",
            summary,
            access: .write,
            upTo: limit,
            answers: [.accepted("the server is told")]
                + (waits
                    ? [.init(.ok, "The server has answered, with 'wait'; 'state' tells whether it has refused.")] : []),
            fails: refusals
        )
    }

    /// A change of the tokens of this device, which all servers are told later.
    private static func ofDevice<Input>(
        _ input: Input.Type,
        _ method: Method,
        _ rest: String,
        _ summary: String,
        upTo limit: ByteCount? = nil,
        fails kinds: [PushFailureKind] = refusals
    ) -> APICall<Input, PushReport, PushFailureKind> {
        APICall(
            method,
            "/v1/push/\(rest)",
            summary,
            access: .write,
            upTo: limit,
            answers: [.accepted("servers are told")],
            fails: kinds
        )
    }

    private static let refusals: [PushFailureKind] = [
        .noSuchRegistrar, .noSuchProvider, .notSupported, .notNow, .invalid, .unavailable,
    ]
}

extension APISuccess {
    fileprivate static func accepted(_ then: String) -> APISuccess {
        .init(.accepted, "It is written down; \(then) as soon as that can be.")
    }
}
