import WireBase
package import WireHTTP

/// The operations on push registration.
package enum PushCalls {
    package static let show = APICall<NoInput, PushReport, PushFailureKind>(
        .get,
        "/v1/push",
        "Return the registrations of this device at push servers.",
        access: .read,
        answers: [.init(.ok, "The registrars and the tokens.")],
        fails: [.unavailable]
    )

    package static let showRegistrar = APICall<PushRegistrarName, PushRegistrarReport, PushFailureKind>(
        .get,
        "/v1/push/registrars/{name}",
        "Return the registration at one push server.",
        access: .read,
        answers: [.init(.ok, "The server.")],
        fails: [.noSuchRegistrar]
    )

    package static let status = APICall<PushStatusRequest, PushPlatformAnswer, PushFailureKind>(
        .get,
        "/v1/push/registrars/{name}/status",
        "Query the status of a subscription at an Altcraft platform.",
        access: .read,
        answers: [.init(.ok, "The response of the platform, with tokens shortened.")],
        fails: refusals + [.server]
    )

    package static let subscription = APICall<PushRegistrarName, WebPushSubscription, PushFailureKind>(
        .get,
        "/v1/push/registrars/{name}/subscription",
        "Return the Web Push subscription that a push server gets: with it anybody can send pushes to this device.",
        access: .admin,
        answers: [.init(.ok, "The subscription.")],
        fails: refusals
    )

    // MARK: Registering

    package static let registerAll = APICall<PushRegisterAll, PushReport, PushFailureKind>(
        .post,
        "/v1/push/register",
        "Register this device with all push servers again, with fresh tokens.",
        access: .write,
        answers: [.accepted("the servers are notified"), .init(.ok, "All servers have responded.")],
        fails: [.unavailable]
    )

    package static let register = atServer(
        PushRegister.self,
        .post,
        "register",
        "Register this device with one push server again.",
        waits: true
    )

    package static let subscribe = action(
        "subscribe",
        "Subscribe; an Altcraft platform also takes fields and categories."
    )
    package static let unsubscribe = action(
        "unsubscribe",
        "End the subscription, until the device is subscribed again."
    )
    package static let suspend = action("suspend", "Suspend the subscription at an Altcraft platform.")
    package static let unsuspend = action("unsuspend", "End the suspension.")

    private static func action(
        _ word: String,
        _ summary: String
    ) -> APICall<PushSubscription, PushRegistrarReport, PushFailureKind> {
        atServer(PushSubscription.self, .post, word, summary, upTo: .kibibytes(256), waits: true)
    }

    package static let report = APICall<PushEventReport, PushEventReceipt, PushFailureKind>(
        .post,
        "/v1/push/events",
        "Report a push event to the server that sent the push.",
        access: .write,
        upTo: .kibibytes(64),
        answers: [.init(.accepted, "The server of the push; absent where none accepts reports.")],
        fails: [.invalid, .unavailable]
    )

    package static let clear = APICall<PushClearRequest, PushRemoved, PushFailureKind>(
        .post,
        "/v1/push/clear",
        "Remove the registrations of the user, or of all users; does not register again automatically.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.ok, "The removed data.")],
        fails: [.unavailable]
    )

    // MARK: Altcraft

    package static let changeProfile = atServer(
        PushProfileChange.self,
        .post,
        "profile",
        "Change profile fields at an Altcraft platform.",
        upTo: .kibibytes(256)
    )
    package static let tellMobileEvent = atServer(
        PushMobileEvent.self,
        .post,
        "events",
        "Send an app event to an Altcraft platform.",
        upTo: .kibibytes(256)
    )
    package static let setJWT = atServer(
        PushJWT.self,
        .put,
        "jwt",
        "Set the JWT of the user, where the file says 'jwt: app'.",
        upTo: .kibibytes(32)
    )
    package static let removeJWT = atServer(PushRegistrarName.self, .delete, "jwt", "Remove the JWT of the user.")

    // MARK: Tokens

    package static let setToken = ofDevice(
        PushTokenChange.self,
        .put,
        "tokens/{provider}",
        "Set the token of a provider; it overrides other sources until it is removed.",
        upTo: .kibibytes(8)
    )
    package static let deleteToken = ofDevice(
        PushProviderName.self,
        .delete,
        "tokens/{provider}",
        "Delete the token of a provider, or remove one that was set."
    )
    package static let refresh = ofDevice(
        NoInput.self,
        .post,
        "refresh",
        "Request fresh tokens from all providers.",
        fails: [.unavailable]
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
        "Reset the order of providers to that of the file.",
        fails: [.unavailable]
    )

    // MARK: Shared

    /// An asynchronous request to one server; responds with its result where the caller waits.
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
            answers: [.accepted("the server is notified")]
                + (waits
                    ? [.init(.ok, "The server has responded (with 'wait'); see 'state'.")] : []),
            fails: refusals
        )
    }

    /// A change of this device's tokens, which all servers receive asynchronously.
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
            answers: [.accepted("the servers are notified")],
            fails: kinds
        )
    }

    private static let refusals: [PushFailureKind] = [
        .noSuchRegistrar, .noSuchProvider, .notSupported, .notNow, .invalid, .unavailable,
    ]
}

extension APISuccess {
    fileprivate static func accepted(_ then: String) -> APISuccess {
        .init(.accepted, "The request is queued; \(then) as soon as possible.")
    }
}
