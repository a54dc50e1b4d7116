import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireTelemetry

/// AeroGear's metrics service (`/metrics`), and its mobile security service (`/api/init`, `/api/apps`).
struct SecurityServer: BuiltInServer {
    let metrics: ReceivedMetrics
    let versions: AppVersionRegistry
    let clock: TimeSource
    let log: Log
    /// Called when the state of versions may have changed.
    let changed: @Sendable () -> Void

    private static let limit = ByteCount.kibibytes(256)

    var segments: [String] { ["metrics"] }

    /// The paths below `/api` that are not HALO's.
    private static let own: Set<String> = ["init", "apps", "user", "ping", "healthz", "metrics"]

    func answers(_ path: [String]) -> Bool {
        switch path.first {
        case "metrics", "healthz": path.count == 1
        case "api": path.count > 1 && Self.own.contains(path[1])
        default: false
        }
    }

    func signs(at address: String) -> [EndpointInfo] {
        [
            EndpointInfo(title: "AeroGear's metrics service", places: ["\(address)/metrics"]),
            EndpointInfo(
                title: "AeroGear's mobile security service",
                places: ["\(address)/api/init", "\(address)/api/apps"]
            ),
        ]
    }

    private typealias Work = @Sendable (Request) async throws -> Response

    func exchange(for head: Request) -> Exchange {
        let work = works(head.target.segments)
        guard !work.isEmpty else { return Exchange(.answer(EmbeddedError.securityItemNotFound.response.guarded())) }
        let method = head.method == .head ? .get : head.method
        guard let answer = work.first(where: { $0.0 == method })?.1 else { return .refused(allowing: work.map(\.0)) }
        // A page of another origin may send any other media type without a preflight (CORS).
        guard head.target.segments.first != "api" || method == .get || method == .delete || head.bringsJSON else {
            return Exchange(.answer(EmbeddedError.security(Status(415), "Unsupported Media Type").response.guarded()))
        }
        return .embedded(
            "metrics and security",
            log,
            upTo: Self.limit,
            failure: { _ in .securityInternalError },
            answer
        )
    }

    private func works(_ path: [String]) -> [(Method, Work)] {
        let (metrics, versions, changed) = (metrics, versions, changed)
        switch path {
        case ["metrics"]:
            return [
                (
                    .post,
                    { request in
                        try await metrics.receive(request.body)
                        return Response(.noContent)
                    }
                )
            ]
        case ["healthz"]:
            let now = Timestamp(milliseconds: clock.wall()).description
            return [(.get, { _ in .json(.members(["time": .string(now), "status": .string("ok")])) })]
        case ["api", "ping"], ["api", "healthz"]: return [(.get, { _ in .json(.string("OK")) })]
        case ["api", "user"]: return [(.get, Self.user)]
        case ["api", "metrics"]:
            return [(.get, { _ in .plain(try await Self.counts(versions), "text/plain; version=0.0.4") })]
        case ["api", "init"]: return [(.post, { .json(try await versions.start($0.body)) })]
        case ["api", "apps"]:
            return [
                (
                    .get,
                    { request in
                        let found = try await versions.list(request.target.query.first { $0.name == "appId" }?.value)
                        return found.map { .json($0) } ?? Response(.noContent)
                    }
                ), (.post, { .json(try await versions.make($0.body), status: .created) }),
            ]
        case _ where path.count == 3 && path[1] == "apps":
            let id = path[2]
            return [
                (.get, { _ in .json(try await versions.show(id)) }),
                (
                    .patch,
                    { request in
                        try await versions.rename(id, request.body)
                        return Response(.noContent)
                    }
                ),
                (
                    .delete,
                    { _ in
                        try await versions.remove(id)
                        changed()
                        return Response(.noContent)
                    }
                ),
            ]
        case _ where path.count == 4 && path[1] == "apps" && path[3] == "versions":
            return [
                (
                    .put,
                    { request in
                        try await versions.update(path[2], request.body)
                        changed()
                        return Response(.noContent)
                    }
                )
            ]
        case _ where path.count == 5 && path[1] == "apps" && path[3...] == ["versions", "disable"]:
            return [
                (
                    .post,
                    { request in
                        try await versions.disableAll(path[2], request.body)
                        changed()
                        return Response(.noContent)
                    }
                )
            ]
        default: return []
        }
    }

    /// The user who has signed in at a proxy in front of the service.
    private static let user: Work = { request in
        guard let name = request.fields["X-Forwarded-User"], !name.isEmpty else {
            throw EmbeddedError.security(.notFound, "No User Found")
        }
        return .json(
            .members([
                "username": .string(name), "email": request.fields["X-Forwarded-Email"].map(JSONValue.string),
            ])
        )
    }

    private static func counts(_ versions: AppVersionRegistry) async throws -> String {
        let apps = try await versions.apps()
        let all = try await apps.asyncMap { app in try await versions.versions(of: app) }.flatMap(\.self)
        return [
            ("apps", "Number of known apps.", apps.count),
            ("versions", "Number of known versions.", all.count),
            ("versions_disabled", "Number of disabled versions.", all.count(where: \.word.isDisabled)),
            ("launches", "Number of app starts.", all.map(\.launches).reduce(0, +)),
        ].map { name, help, value in
            "# HELP mss_\(name) \(help)\n# TYPE mss_\(name) gauge\nmss_\(name) \(value)\n"
        }.joined()
    }
}

extension Request {
    fileprivate var bringsJSON: Bool {
        fields["Content-Type"].flatMap { MediaType(parsing: $0) }?.isCovered(by: "application/json") ?? false
    }
}
