import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WirePushContract
import WireService

/// The local API of push registration.
struct PushRoutes: RouteGroup {
    private let service: PushService

    init(_ service: PushService) { self.service = service }

    static let table: [RouteEntry<Self>] = [
        .call(PushCalls.show, by: Self.show).inline,
        .call(PushCalls.showRegistrar, by: Self.showRegistrar).inline,
        .call(PushCalls.status, by: Self.status),
        .call(PushCalls.subscription, by: Self.subscription),
        .call(PushCalls.registerAll, by: Self.registerAll),
        atServer(PushCalls.register) { service, input async throws(PushFailure) in
            try await service.register(input.registrar)
        },
        action(PushCalls.subscribe, .subscribe),
        action(PushCalls.unsubscribe, .unsubscribe),
        action(PushCalls.suspend, .suspend),
        action(PushCalls.unsuspend, .unsuspend),
        .call(PushCalls.report, by: Self.tell),
        .call(PushCalls.clear, by: Self.clear),
        atServer(PushCalls.changeProfile, "profile") { service, input async throws(PushFailure) in
            try await service.changeProfile(input)
        },
        atServer(PushCalls.tellMobileEvent, "mobileEvent") { service, input async throws(PushFailure) in
            try await service.report(input)
        },
        atServer(PushCalls.setJWT) { service, input async throws(PushFailure) in
            try await service.setJWT(input.token, at: input.registrar)
        },
        atServer(PushCalls.removeJWT) { service, input async throws(PushFailure) in
            try await service.setJWT(nil, at: input.registrar)
        },
        ofDevice(PushCalls.setToken) { service, input async throws(PushFailure) in
            try await service.setToken(input.token, of: try provider(input.provider))
        },
        ofDevice(PushCalls.deleteToken) { service, input async throws(PushFailure) in
            try await service.deleteToken(of: try provider(input.provider))
        },
        ofDevice(PushCalls.refresh) { service, _ in service.refreshTokens() },
        ofDevice(PushCalls.setProviders) { service, input async throws(PushFailure) in
            try await service.setProviders(input.providers)
        },
        ofDevice(PushCalls.resetProviders) { service, _ async throws(PushFailure) in
            try await service.setProviders(nil)
        },
    ]

    // MARK: Looking

    private func show(_: APIRequest<NoInput>) async throws(PushFailure) -> APIReply<PushReport> {
        APIReply(try await service.report())
    }

    private func showRegistrar(
        _ request: APIRequest<PushRegistrarName>
    ) async throws(PushFailure) -> APIReply<PushRegistrarReport> {
        APIReply(await service.report(try service.registrar(request.registrar)))
    }

    private func status(
        _ request: APIRequest<PushStatusRequest>
    ) async throws(PushFailure) -> APIReply<PushPlatformAnswer> {
        let json = try await service.status(request.which ?? .latest, at: request.registrar)
        return APIReply(PushPlatformAnswer(json))
    }

    private func subscription(
        _ request: APIRequest<PushRegistrarName>
    ) async throws(PushFailure) -> APIReply<WebPushSubscription> {
        APIReply(try await service.subscription(at: request.input.registrar))
    }

    // MARK: Asking

    private func registerAll(_ request: APIRequest<PushRegisterAll>) async throws(PushFailure) -> APIReply<PushReport> {
        try await service.register()
        if request.waits { await service.settled(nil) }
        return APIReply(try await service.report(), request.waits ? .ok : .accepted)
    }

    private static func action(
        _ call: APICall<PushSubscription, PushRegistrarReport, PushFailureKind>,
        _ action: PushService.Action
    ) -> RouteEntry<Self> {
        atServer(call, action.rawValue) { service, input async throws(PushFailure) in
            try await service.request(action, input)
        }
    }

    private func tell(_ request: APIRequest<PushEventReport>) async throws(PushFailure) -> APIReply<PushEventReceipt> {
        guard request.payload.members != nil else { throw .poor("expected an object", "payload") }
        let push = service.read(request.payload)
        try await service.kept { () async throws(Fault) in
            try await service.report(request.event, of: push, at: service.reconciler.host.clock.wall())
        }
        let isTold = push.registrar.flatMap { service.reconciler.registrar($0) }?.takes(.init(request.event)) ?? false
        return APIReply(PushEventReceipt(registrar: isTold ? push.registrar : nil, push: push.id))
    }

    private func clear(_ request: APIRequest<PushClearRequest>) async throws(PushFailure) -> APIReply<PushRemoved> {
        APIReply(try await service.clear(everybody: request.everybody))
    }

    private static func provider(_ word: String) throws(PushFailure) -> PushProvider {
        if let provider = PushProvider(rawValue: word) { return provider }
        throw PushFailure(
            .noSuchProvider,
            "unknown provider \(word.quoted), expected \(PushProvider.words.listed("or"))"
        )
    }

    // MARK: What they share

    /// Declares an operation at one server, whose response is the server's state; a body without JSON is reported as
    /// the platform's SDKs do.
    private static func atServer<Input: PushRegistrarRequest>(
        _ call: APICall<Input, PushRegistrarReport, PushFailureKind>,
        _ what: String? = nil,
        _ work: @escaping @Sendable (PushService, Input) async throws(PushFailure) -> Void
    ) -> RouteEntry<Self> {
        .call(
            call,
            by: { routes in
                { request async throws(PushFailure) in
                    let (service, input) = (routes.service, request.input)
                    try await work(service, input)
                    if input.waits { await service.settled(input.registrar) }
                    let report = await service.report(try service.registrar(input.registrar))
                    return APIReply(report, input.waits ? .ok : .accepted)
                }
            },
            misread: { routes in
                { request, _ in
                    guard let what, (try? request.jsonValue()) == nil else { return }
                    routes.service.reject(.notJSON, what, at: request[parameter: "name"])
                }
            }
        )
    }

    /// Declares a change of the device's tokens, whose response is the state of all servers.
    private static func ofDevice<Input>(
        _ call: APICall<Input, PushReport, PushFailureKind>,
        _ work: @escaping @Sendable (PushService, Input) async throws(PushFailure) -> Void
    ) -> RouteEntry<Self> {
        .call(
            call,
            by: { routes in
                { request async throws(PushFailure) in
                    try await work(routes.service, request.input)
                    return APIReply(try await routes.service.report())
                }
            }
        )
    }
}
