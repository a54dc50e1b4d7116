import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireTelemetry

/// The REST API of an AeroGear UnifiedPush Server, below `/ups/rest`.
struct UnifiedPushServer: Sendable {
    let context: PushRequestContext

    /// One operation of the server.
    struct Endpoint: Sendable {
        let method: Method
        /// Whether pages of any origin may call it.
        var isForPages = false
        let answer: @Sendable (Request) async throws -> Response

        init(
            _ method: Method,
            isForPages: Bool = false,
            _ answer: @escaping @Sendable (Request) async throws -> Response
        ) {
            (self.method, self.isForPages, self.answer) = (method, isForPages, answer)
        }
    }

    func exchange(for head: Request, _ path: [String]) -> Exchange {
        guard path.first == "rest" else {
            return Exchange(.answer(EmbeddedError.unifiedPushNotFound.response.guarded()))
        }
        // A trailing slash is ignored.
        let rest = Array(path.dropFirst().last == "" ? path.dropFirst().dropLast() : path.dropFirst())
        let isImport = rest == ["registry", "device", "importer"]
        let endpoints = endpoints(rest)
        guard !endpoints.isEmpty else {
            return Exchange(.answer(EmbeddedError.unifiedPushNotFound.response.guarded()))
        }
        if head.method == .options, endpoints.contains(where: \.isForPages) {
            return Exchange(.answer(Self.preflight(head).guarded()))
        }
        let method = head.method == .head ? .get : head.method
        guard let endpoint = endpoints.first(where: { $0.method == method }) else {
            return .refused(allowing: endpoints.map(\.method))
        }
        return Exchange(
            .collect(upTo: isImport ? .mebibytes(16) : .kibibytes(256)) { request in
                .later { await perform(endpoint, request).guarded() }
            }
        )
    }

    private func perform(_ endpoint: Endpoint, _ request: Request) async -> Response {
        var response = await answer(endpoint, request)
        if endpoint.isForPages, let origin = request.fields["Origin"] {
            response.fields.add("Access-Control-Allow-Origin", origin)
            response.fields.add("Access-Control-Allow-Credentials", "true")
            response.fields.add("Vary", "Origin")
        }
        return response
    }

    private func answer(_ endpoint: Endpoint, _ request: Request) async -> Response {
        do {
            return try await endpoint.answer(request)
        } catch let error as EmbeddedError {
            return error.response
        } catch let problem as Problem {
            return EmbeddedError.unifiedPush(problem).response
        } catch let failure as StoreFailure where failure.kind == .full {
            return EmbeddedError.unifiedPushFull.response
        } catch {
            let reason = (error as? StoreFailure)?.reason ?? "\(error)"
            context.log.error("the push server failed", ["path": .text(request.target.path), "reason": .text(reason)])
            return EmbeddedError.unifiedPush(.internalError, "The server failed; try again").response
        }
    }

    private static func preflight(_ head: Request) -> Response {
        var fields: Fields = [
            "Access-Control-Allow-Methods": "POST, DELETE",
            "Access-Control-Allow-Headers": "accept, origin, content-type, authorization",
            "Access-Control-Allow-Credentials": "true", "Access-Control-Max-Age": "604800", "Vary": "Origin",
        ]
        fields.add("Access-Control-Allow-Origin", head.fields["Origin"] ?? "*")
        return Response(.ok, fields: fields)
    }

    // MARK: Routes

    private func endpoints(_ path: [String]) -> [Endpoint] {
        let registry = UnifiedPushRegistry(context: context)
        switch path.first {
        case "registry" where path.count >= 2 && path[1] == "device":
            return devices(Array(path.dropFirst(2)), registry)
        case "export" where path.count == 3 && path[2] == "installations":
            let variant = path[1]
            return [admin { _ in .json(.array(try await registry.list(variant).map(\.json))) }]
        case "sender" where path.count == 1:
            let sender = UnifiedPushSender(context: context)
            return [
                Endpoint(.post) { request in
                    _ = try await sender.send(request)
                    return .json(.object([]), status: .accepted)
                }
            ]
        case "applications": return applications(Array(path.dropFirst()), registry)
        case "metrics" where path.count == 4 && path[1] == "messages" && path[2] == "application":
            let messages = UnifiedPushMessages(context: context)
            return [admin { request in try await messages.list(request, of: path[3]) }]
        case "metrics" where path.count >= 2 && path[1] == "dashboard": return dashboard(Array(path.dropFirst(2)))
        case "ping" where path.count == 1: return [Endpoint(.get) { _ in .plain("OK", "text/plain") }]
        case "sys" where path == ["sys", "info", "health"]: return [Endpoint(.get) { _ in try await registry.health() }]
        case "prometheus" where path == ["prometheus", "metrics"]:
            let text = Self.metrics(context.counts.now)
            return [Endpoint(.get) { _ in .plain(text, "text/plain; version=0.0.4; charset=utf-8") }]
        default: return []
        }
    }

    private func devices(_ path: [String], _ registry: UnifiedPushRegistry) -> [Endpoint] {
        switch path {
        case []: return [Endpoint(.post, isForPages: true) { try await registry.once($0, registry.register) }]
        case ["importer"]: return [Endpoint(.post) { try await registry.importAll($0) }]
        case _ where path.count == 2 && path[0] == "pushMessage":
            let messages = UnifiedPushMessages(context: context)
            return [
                Endpoint(.put) { request in
                    try await registry.once(request) { request in
                        try await messages.opened(path[1])
                        return .json(.object([]))
                    }
                }
            ]
        default:
            let token = path.joined(separator: "/")
            return [
                Endpoint(.delete, isForPages: true) { request in
                    try await registry.once(request) { try await registry.unregister($0, token) }
                }
            ]
        }
    }

    private func applications(_ path: [String], _ registry: UnifiedPushRegistry) -> [Endpoint] {
        let shown = UnifiedPushApplications(context: context, registry: registry)
        let administration = UnifiedPushAdministration(context: context, shown: shown)
        if path.count >= 2, path[1] == "installations" {
            return installations(path[0], Array(path.dropFirst(2)), registry)
        }
        switch path.count {
        case 0:
            return [admin { try await shown.list($0) }, admin(.post) { try await administration.makeApplication($0) }]
        case 1:
            return [
                admin { _ in .json(try await shown.show(path[0])) },
                admin(.put) { try await administration.changeApplication(path[0], $0) },
                admin(.delete) { _ in try await administration.removeApplication(path[0]) },
            ]
        case 2 where path[1] == "count": return [admin { _ in try await shown.count(path[0]) }]
        case 2 where path[1] == "reset":
            return [admin(.put) { _ in try await administration.resetApplication(path[0]) }]
        default: break
        }
        guard path.count <= 4, let kind = PushVariant.Kind(path: path[1]) else { return [] }
        return variants(path[0], kind, Array(path.dropFirst(2)), shown, administration)
    }

    private func variants(
        _ application: String,
        _ kind: PushVariant.Kind,
        _ path: [String],
        _ shown: UnifiedPushApplications,
        _ administration: UnifiedPushAdministration
    ) -> [Endpoint] {
        guard let id = path.first else {
            return [
                admin { _ in try await shown.variants(application, kind) },
                admin(.post) { try await administration.makeVariant(application, kind, $0) },
            ]
        }
        switch path.dropFirst().first {
        case "reset": return [admin(.put) { _ in try await administration.resetVariant(id, application, kind) }]
        case "renew" where kind == .webPush:
            return [admin(.put) { _ in try await administration.renewVariant(id, application) }]
        case nil: break
        default: return []
        }
        var endpoints = [
            admin { _ in .json(UnifiedPushApplications.json(try await shown.variant(id, application, kind))) },
            admin(.put) { request in
                .json(
                    UnifiedPushApplications.json(try await administration.changeVariant(id, application, kind, request))
                )
            },
            admin(.delete) { _ in try await administration.removeVariant(id, application, kind) },
        ]
        if kind.platform == .ios {
            endpoints.append(
                admin(.patch) { request in
                    _ = try await administration.changeVariant(id, application, kind, request)
                    return Response(.noContent)
                }
            )
        }
        return endpoints
    }

    private func installations(_ variant: String, _ path: [String], _ registry: UnifiedPushRegistry) -> [Endpoint] {
        let installations = UnifiedPushInstallations(context: context, registry: registry)
        guard let id = path.first else { return [admin { try await installations.list(variant, $0) }] }
        guard path.count == 1 else { return [] }
        return [
            admin { _ in .json(try await installations.show(id, of: variant).json) },
            admin(.put) { try await installations.update(id, of: variant, $0) },
            admin(.delete) { _ in try await installations.remove(id, of: variant) },
        ]
    }

    private func dashboard(_ path: [String]) -> [Endpoint] {
        let dashboard = UnifiedPushDashboard(context: context)
        switch path {
        case []: return [admin { _ in try await dashboard.totals() }]
        case ["warnings"]: return [admin { _ in try await dashboard.warnings() }]
        case ["active"]: return [admin { try await dashboard.active($0) }]
        default: return []
        }
    }

    /// An operation for users of the embedded identity server and for senders.
    private func admin(_ method: Method = .get, _ answer: @escaping @Sendable (Request) async throws -> Response)
        -> Endpoint
    {
        let context = context
        return Endpoint(method) { request in
            if try await !context.isSender(request) {
                guard try await context.bearer(request) != nil else { throw EmbeddedError.unifiedPushUnauthorized }
            }
            return try await answer(request)
        }
    }

    private static func metrics(_ numbers: PushCounts.Numbers) -> String {
        [
            ("device_register_requests_total", "Registrations of devices.", numbers.registrations),
            ("push_requests_total", "Requests to send.", numbers.requests),
            ("push_requests_fail_total", "Requests to send that failed.", numbers.failures),
            ("push_requests_android", "Requests to send that reached devices with Android.", numbers.android),
            ("push_requests_ios", "Requests to send that reached devices with iOS.", numbers.ios),
        ].map { name, help, value in
            "# HELP aerogear_ups_\(name) \(help)\n# TYPE aerogear_ups_\(name) counter\naerogear_ups_\(name) \(value)\n"
        }.joined()
    }
}

extension Response {
    static func plain(_ text: String, _ type: String) -> Response {
        Response(.ok, fields: ["Content-Type": type], body: .bytes(Array(text.utf8)))
    }
}
