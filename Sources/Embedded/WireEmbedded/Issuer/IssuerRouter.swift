import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireJOSE
import WireStore
import WireTelemetry

/// Routes a request to its endpoint and completes the response.
struct IssuerRouter: Sendable {
    let context: RealmRequest

    /// An endpoint of a realm.
    struct Endpoint: Sendable {
        let methods: [Method]
        /// Whether the endpoint shows pages to people or serves programs.
        let isPage: Bool
        /// A response that needs no waiting and is sent even before the generation has started.
        var known: (@Sendable () -> Response)?
        let answer: @Sendable (Request) async throws -> Response
    }

    /// Returns the realm of a path, and the path within the realm.
    static func realm(of segments: [String]) -> (name: String, rest: [String])? {
        guard segments.count >= 3, segments[0] == "realms" else { return nil }
        return (segments[1], Array(segments.dropFirst(2)))
    }

    func endpoint(_ path: [String]) -> Endpoint? {
        let protocolPath = Array(path.dropFirst(2))
        if path.starts(with: ["protocol", "openid-connect"]) { return protocolEndpoint(protocolPath) }
        let context = context
        switch path {
        case [".well-known", "openid-configuration"]:
            return snapshot { .json(Facts(context: context).discovery) }
        case ["login-actions", "authenticate"]:
            return page([.post]) { try await Authorization(context: context).finish($0) }
        case ["login-actions", "logout"]: return page([.post]) { try await Logout(context: context).finish($0) }
        case ["device"]:
            return page([.get, .post]) { request in
                let device = DeviceGrant(context: context)
                return try await request.method == .post ? device.decide(request) : device.page(request)
            }
        default: return nil
        }
    }

    private func protocolEndpoint(_ path: [String]) -> Endpoint? {
        let context = context
        switch path {
        case ["auth"]: return page([.get, .post]) { try await Authorization(context: context).begin($0) }
        case ["logout"]: return page([.get, .post]) { try await Logout(context: context).begin($0) }
        case ["auth", "device"]: return facts([.post]) { try await DeviceGrant(context: context).begin($0) }
        case ["token"]: return facts([.post]) { try await Tokens(context: context).answer($0) }
        case ["token", "introspect"]: return facts([.post]) { try await Facts(context: context).introspect($0) }
        case ["revoke"]: return facts([.post]) { try await Facts(context: context).revoke($0) }
        case ["userinfo"]: return facts([.get, .post]) { try await Facts(context: context).userinfo($0) }
        case ["certs"]:
            return facts([.get, .head]) { _ in .json(try await context.keys.ring(context.records).published.json) }
        default: return nil
        }
    }

    private func page(_ methods: [Method], _ answer: @escaping @Sendable (Request) async throws -> Response) -> Endpoint
    {
        Endpoint(methods: methods, isPage: true, answer: answer)
    }

    private func snapshot(_ known: @escaping @Sendable () -> Response) -> Endpoint {
        Endpoint(methods: [.get, .head], isPage: false, known: known) { _ in known() }
    }

    private func facts(_ methods: [Method], _ answer: @escaping @Sendable (Request) async throws -> Response)
        -> Endpoint
    {
        Endpoint(methods: methods, isPage: false, answer: answer)
    }

    /// Performs a request; errors become responses.
    func perform(_ endpoint: Endpoint, _ request: Request) async -> Response {
        do {
            return try await endpoint.answer(request)
        } catch let error as OAuthError where !endpoint.isPage {
            return error.response
        } catch {
            context.log.error(
                "an endpoint failed",
                ["path": .text(request.target.path), "reason": .text(Self.words(error))]
            )
            return endpoint.isPage
                ? Page.failure("The server failed. Try again.", status: .unavailable).response(context.looks)
                : OAuthError.unavailable.response
        }
    }

    private static func words(_ error: any Error) -> String {
        (error as? StoreFailure)?.reason ?? "\(error)"
    }
}

extension Response {
    /// The response with permission for the caller to cache it, for use while the server cannot be reached.
    func keptByWhoAsked() -> Response {
        guard status.code == 200 else { return self }
        var response = self
        response.fields["Cache-Control"] = "private"
        return response
    }

    /// The response with the fields that all responses have: no shared cache, no framing.
    func guarded() -> Response {
        var response = self
        if response.fields["Cache-Control"] == nil { response.fields.add("Cache-Control", "no-store") }
        response.fields.add("Referrer-Policy", "no-referrer")
        response.fields.add("X-Content-Type-Options", "nosniff")
        if response.fields["Content-Security-Policy"] == nil {
            response.fields.add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
            response.fields.add("X-Frame-Options", "DENY")
        }
        return response
    }
}
