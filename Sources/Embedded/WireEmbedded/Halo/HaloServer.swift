import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry

/// The API of a HALO server: tokens, content, devices, identified users, pushes.
struct HaloServer: BuiltInServer {
    /// The issuer of the tokens.
    let issuer: Issuer
    let content: EnvironmentContent
    let devices: HaloDevices
    let users: HaloUsers
    let cache: ServerCache
    let push: EmbeddedPushServers
    let log: Log

    init(_ issuer: Issuer, _ push: EmbeddedPushServers, _ host: ServiceHost) {
        let records = HaloRecords(
            host.stores.device.values,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        (self.issuer, self.push) = (issuer, push)
        content = EnvironmentContent(records, issuer.machine)
        devices = HaloDevices(records, issuer.machine)
        users = HaloUsers(records, issuer)
        cache = ServerCache(host.clock)
        log = host.log
    }

    /// The largest body that is accepted.
    private static let limit = ByteCount.mebibytes(8)

    var segments: [String] { ["api"] }

    func signs(at address: String) -> [EndpointInfo] {
        [EndpointInfo(title: "HALO's API: content, devices, tokens", places: ["\(address)/api/generalcontent/module"])]
    }

    /// One operation of the server.
    struct Endpoint: Sendable {
        /// Whether the operation needs no token.
        var isOpen = false
        /// Whether responses may come from the server's cache.
        var isCached = false
        let answer: @Sendable (Request, HaloCaller) async throws -> Response
    }

    func exchange(for head: Request) -> Exchange {
        let path = Array(head.target.segments.dropFirst())
        if path == ["oauth", "token"] {
            guard head.method == .post else { return .refused(allowing: [.post]) }
            let tokens = HaloTokens(context: issuer.commonContext)
            return Exchange(
                .collect(upTo: .kibibytes(64)) { request in .later { await tokens.answer(request).guarded() } }
            )
        }
        let methods = endpoints(path)
        guard !methods.isEmpty else {
            return Exchange(.answer(HaloError(.notFound, "Not found").response.guarded()))
        }
        let method = head.method == .head ? .get : head.method
        guard let endpoint = methods.first(where: { $0.method == method })?.endpoint else {
            return .refused(allowing: methods.map(\.method))
        }
        return Exchange(
            .collect(upTo: Self.limit) { request in
                .later { await perform(endpoint, request).keptByWhoAsked().guarded() }
            }
        )
    }

    private func perform(_ endpoint: Endpoint, _ request: Request) async -> Response {
        do {
            guard endpoint.isOpen || request.fields["Authorization"] != nil else { throw HaloError.unauthorized }
            let caller = try await HaloCaller(request, issuer)
            guard let caller = caller ?? (endpoint.isOpen ? .anybody : nil) else { throw HaloError.unauthorized }
            guard endpoint.isCached, let age = ServerCache.age(wantedBy: request) else {
                return try await endpoint.answer(request, caller)
            }
            let key = "\(request.method.name) \(request.target.text) \(try issuer.machine.digest(request.body))"
            if let known = cache.find(key, noOlderThan: age) { return known }
            let response = try await endpoint.answer(request, caller)
            cache.keep(response, key)
            return response
        } catch let error as HaloError {
            return error.response
        } catch let problem as Problem {
            return HaloError(problem).response
        } catch let error as OAuthError {
            return HaloTokens.failure(error)
        } catch {
            let reason = (error as? StoreFailure)?.reason ?? "\(error)"
            log.error("an endpoint failed", ["path": .text(request.target.path), "reason": .text(reason)])
            return HaloError(.internalError, "The server failed; try again").response
        }
    }

    // MARK: Routes

    private func endpoints(_ path: [String]) -> [(method: Method, endpoint: Endpoint)] {
        switch path.count {
        case 2 where path[0] == "authentication" && path[1] == "version": [(.get, version)]
        case 2... where path[0] == "generalcontent" && path[1] == "module": modules(Array(path.dropFirst(2)))
        case 2... where path[0] == "generalcontent" && path[1] == "instance": instances(Array(path.dropFirst(2)))
        case 2... where path[0] == "segmentation" && path[1] == "appuser": appUsers(Array(path.dropFirst(2)))
        case 3 where path[0] == "segmentation" && path[1] == "identified": identified(path[2])
        case 2... where path[0] == "push" && path[1] == "schedule": pushes(Array(path.dropFirst(2)))
        default: []
        }
    }

    /// The minimum SDK version; the embedded server accepts all versions.
    private var version: Endpoint {
        Endpoint(isOpen: true, isCached: true) { _, _ in
            .json(
                .array([
                    .members([
                        "minIOS": .string("0.0.0"), "iosChangeLog": .string(""), "minAndroid": .string("0.0.0"),
                        "androidChangeLog": .string(""), "current": .boolean(true),
                    ])
                ])
            )
        }
    }

    private func modules(_ path: [String]) -> [(method: Method, endpoint: Endpoint)] {
        let content = content
        switch path.count {
        case 0: return [(.get, Endpoint(isCached: true) { request, _ in try await content.list(request) })]
        case 1:
            let id = path[0]
            return [(.get, Endpoint(isCached: true) { request, _ in try await content.describe(id, request) })]
        default: return []
        }
    }

    private func instances(_ path: [String]) -> [(method: Method, endpoint: Endpoint)] {
        let content = content
        switch path {
        case []:
            return [
                (
                    .post,
                    Endpoint { request, caller in
                        let draft = try request.json(InstanceDraft.read)
                        return .json(try await content.create(draft, by: caller.name).json(), status: .created)
                    }
                )
            ]
        case ["search"]: return [(.post, Endpoint(isCached: true) { request, _ in try await content.search(request) })]
        case ["sync"]: return [(.post, Endpoint(isCached: true) { request, _ in try await content.sync(request) })]
        case ["batch"]:
            return [
                (
                    .post,
                    Endpoint { request, caller in
                        let outcomes = try await content.perform(BatchOperation.read(request), by: caller.name)
                        return .json(.members(["operations": .array(outcomes.map(\.json))]))
                    }
                )
            ]
        default: return path.count == 1 ? instance(path[0]) : []
        }
    }

    private func instance(_ id: String) -> [(method: Method, endpoint: Endpoint)] {
        let content = content
        return [
            (.get, Endpoint(isCached: true) { request, _ in try await content.show(id, request) }),
            (
                .put,
                Endpoint { request, caller in
                    let draft = try request.json(InstanceDraft.read)
                    return .json(try await content.update(id, draft, by: caller.name).json())
                }
            ),
            (
                .delete,
                Endpoint { _, caller in .json(try await content.delete(id, by: caller.name).json()) }
            ),
        ]
    }

    private func appUsers(_ path: [String]) -> [(method: Method, endpoint: Endpoint)] {
        let devices = devices
        switch path.count {
        case 0:
            return [
                (
                    .post,
                    Endpoint { request, _ in
                        .json(try await devices.create(request.json(HaloDevices.Draft.read)), status: .created)
                    }
                )
            ]
        case 1:
            let id = path[0]
            return [
                (.get, Endpoint { _, _ in .json(try await devices.find(id)) }),
                (
                    .put,
                    Endpoint { request, _ in
                        var draft = try request.json(HaloDevices.Draft.read)
                        // Older SDKs send it in the query.
                        if try request.queryFlag("replaceTokens") { draft.replacesTokens = true }
                        return .json(try await devices.update(id, draft))
                    }
                ),
            ]
        default: return []
        }
    }

    private func identified(_ word: String) -> [(method: Method, endpoint: Endpoint)] {
        let users = users
        switch word {
        case "register": return [(.post, Endpoint { request, _ in try await users.register(request) })]
        case "login": return [(.post, Endpoint { request, _ in try await users.login(request) })]
        default: return []
        }
    }

    private func pushes(_ path: [String]) -> [(method: Method, endpoint: Endpoint)] {
        let push = push
        switch path {
        case [], [""]:
            return [
                (
                    .post,
                    Endpoint { request, _ in
                        let schedule = try await push.halo.schedule(request)
                        if schedule.state == .scheduled { push.scheduled() }
                        return .json(schedule.json, status: .created)
                    }
                )
            ]
        case ["activity"], ["activity", ""]:
            return [(.post, Endpoint { request, _ in try await push.halo.activity(request) })]
        default: return []
        }
    }
}
