import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of push registration.
struct PushRoutes: Sendable {
    private let service: PushService

    init(_ service: PushService) { self.service = service }

    // MARK: Looking

    func show(_ request: Request) -> Response { .json(service.report.json) }

    func showOne(_ request: Request) throws -> Response { try report(request) }

    private func report(_ request: Request, status: Status = .ok) throws(Problem) -> Response {
        do throws(PushRefusal) {
            return .json(service.report(try service.registrar(request[parameter: "name"])).json, status: status)
        } catch {
            throw Problem(error)
        }
    }

    func status(_ request: Request) async throws -> Response {
        let query: AltcraftWire.StatusQuery = try request.queryWord("which") ?? .latest
        let name = request[parameter: "name"]
        return .json(try await asking { () async throws(PushRefusal) in try await service.status(query, at: name) })
    }

    // MARK: Asking

    func registerAll(_ request: Request) async throws -> Response {
        try await asking { () async throws(PushRefusal) in try await service.register() }
        let isWaiting = try await waited(request, nil)
        return .json(service.report.json, status: isWaiting ? .ok : .accepted)
    }

    func register(_ request: Request) async throws -> Response {
        let name = request[parameter: "name"]
        try await asking { () async throws(PushRefusal) in try await service.register(name) }
        return try report(request, status: try await waited(request, name) ? .ok : .accepted)
    }

    /// Waits where the caller wants to; whether it does.
    private func waited(_ request: Request, _ name: String?) async throws(Problem) -> Bool {
        guard try request.queryFlag("wait") else { return false }
        await service.settled(name)
        return true
    }

    func wish(_ wish: PushService.Wish, _ request: Request) async throws -> Response {
        let name = request[parameter: "name"]
        var parameters: AltcraftParameters?
        if !request.body.isEmpty {
            let registrar = try asking { () throws(PushRefusal) in try service.registrar(name) }
            var given = AltcraftParameters()
            if case .altcraft(let account) = registrar.value { given = AltcraftParameters(account) }
            parameters = try reading(request, wish.rawValue) {
                guard try request.jsonValue().members?.isEmpty != true else { return nil }
                try request.json { members throws(Problem) in try given.read(&members) }
                return given
            }
        }
        let chosen = parameters
        try await asking { () async throws(PushRefusal) in try await service.wish(wish, name, chosen) }
        return try report(request, status: try await waited(request, name) ? .ok : .accepted)
    }

    func tell(_ request: Request) async throws -> Response {
        let (event, payload) = try request.json { members throws(Problem) in
            guard let event: PushEvent = try members.word("event") else {
                throw members.failure("expected 'event'", "event")
            }
            guard let payload = try members.value("payload"), payload.members != nil else {
                throw Problem.poor("expected an object", "payload")
            }
            return (event, payload)
        }
        let push = service.read(payload)
        let now = service.desk.host.clock.wall()
        try await asking { () async throws(PushRefusal) in
            do throws(Fault) { try await service.tell(event, of: push, at: now) } catch {
                throw PushRefusal(.notKept, error)
            }
        }
        let isTold = push.registrar.flatMap { service.desk.registrar($0) }?.wants(event) ?? false
        return .json(
            .members([
                "registrar": isTold ? push.registrar.map(JSONValue.string) : nil, "push": push.id.map(JSONValue.string),
            ]),
            status: .accepted
        )
    }

    func clear(_ request: Request) async throws -> Response {
        var everybody = false
        if !request.body.isEmpty {
            everybody = try request.json { members throws(Problem) in try members.booleanIfAny("everybody") ?? false }
        }
        let all = everybody
        return .json(
            try await asking { () async throws(PushRefusal) in try await service.clear(everybody: all) }.json
        )
    }

    // MARK: Altcraft

    func changeProfile(_ request: Request) async throws -> Response {
        var parameters = AltcraftParameters()
        let (fields, skips) = try reading(request, "profile") {
            try request.json { members throws(Problem) in
                guard let fields = try members.value("fields") else {
                    throw Problem.poor("expected an object", "fields")
                }
                return (
                    try AltcraftParameters.fields(fields, "fields", members),
                    try members.booleanIfAny("skipTriggers") ?? false
                )
            }
        }
        (parameters.profileFields, parameters.skipTriggers) = (fields, skips)
        let (chosen, name) = (parameters, request[parameter: "name"])
        try await asking { () async throws(PushRefusal) in try await service.changeProfile(chosen, at: name) }
        return try report(request, status: .accepted)
    }

    func tellEvent(_ request: Request) async throws -> Response {
        let event = try reading(request, "mobileEvent") {
            try request.json { members throws(Problem) in try MobileEvent(&members) }
        }
        let name = request[parameter: "name"]
        try await asking { () async throws(PushRefusal) in try await service.tell(event, at: name) }
        return try report(request, status: .accepted)
    }

    /// Reads what is asked of an Altcraft platform, and says as its SDKs do that it cannot be read.
    private func reading<Value>(_ request: Request, _ what: String, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch {
            if let event = AltcraftEvent(flawOf: request) {
                service.reject(event, what, at: request[parameter: "name"], because: event.meaning)
            }
            throw error
        }
    }

    func putJWT(_ request: Request) async throws -> Response {
        let (jwt, name) = (try token(request), request[parameter: "name"])
        try await asking { () async throws(PushRefusal) in try await service.setJWT(jwt, at: name) }
        return try report(request, status: .accepted)
    }

    func removeJWT(_ request: Request) async throws -> Response {
        let name = request[parameter: "name"]
        try await asking { () async throws(PushRefusal) in try await service.setJWT(nil, at: name) }
        return try report(request, status: .accepted)
    }

    // MARK: Tokens

    func putToken(_ request: Request) async throws -> Response {
        let (provider, token) = (try provider(request), try token(request))
        try await asking { () async throws(PushRefusal) in try await service.setToken(token, of: provider) }
        return .json(service.report.json, status: .accepted)
    }

    func removeToken(_ request: Request) async throws -> Response {
        let provider = try provider(request)
        try await asking { () async throws(PushRefusal) in try await service.deleteToken(of: provider) }
        return .json(service.report.json, status: .accepted)
    }

    func refresh(_ request: Request) async throws -> Response {
        service.refreshTokens()
        return .json(service.report.json, status: .accepted)
    }

    func putProviders(_ request: Request) async throws -> Response {
        let providers = try request.json { members throws(Problem) in
            var providers: [PushProvider] = []
            for word in try members.texts("providers") ?? [] {
                guard let provider = PushProvider(rawValue: word) else {
                    throw members.failure("found \(word.quoted), expected \(Self.providers)", "providers")
                }
                providers.append(provider)
            }
            return providers
        }
        try await asking { () async throws(PushRefusal) in try await service.setProviders(providers) }
        return .json(service.report.json, status: .accepted)
    }

    func removeProviders(_ request: Request) async throws -> Response {
        try await asking { () async throws(PushRefusal) in try await service.setProviders(nil) }
        return .json(service.report.json, status: .accepted)
    }

    private static let providers = PushProvider.allCases.map(\.rawValue).listed("or")

    private func provider(_ request: Request) throws(Problem) -> PushProvider {
        let word = request[parameter: "provider"]
        if let provider = PushProvider(rawValue: word) { return provider }
        throw Problem(PushRefusal(.noSuchProvider, "found \(word.quoted), expected \(Self.providers)"))
    }

    private func token(_ request: Request) throws(Problem) -> Secret<String> {
        try request.json { members throws(Problem) in Secret(try members.text("token")) }
    }

    private func asking<Answer>(_ ask: () async throws(PushRefusal) -> Answer) async throws(Problem) -> Answer {
        do throws(PushRefusal) { return try await ask() } catch { throw Problem(error) }
    }

    private func asking<Answer>(_ ask: () throws(PushRefusal) -> Answer) throws(Problem) -> Answer {
        do throws(PushRefusal) { return try ask() } catch { throw Problem(error) }
    }
}

extension Problem {
    init(_ refusal: PushRefusal) {
        let detail = refusal.help.map { "\(refusal.reason); \($0)" } ?? refusal.reason
        switch refusal.kind {
        case .noSuchRegistrar:
            self.init(.notFound, "no-such-registrar", "the file has no such registrar", detail: detail)
        case .noSuchProvider: self.init(.notFound, "no-such-provider", "there is no such provider", detail: detail)
        case .notSupported: self.init(.conflict, "not-supported", "that cannot be asked here", detail: detail)
        case .notNow: self.init(.conflict, "not-now", "nobody knows whose it would be", detail: detail)
        case .invalid: self.init(.unprocessableContent, "bad-push-request", "it cannot be so", detail: detail)
        case .refused: self.init(.badGateway, "push-server", "the push server gave no answer", detail: detail)
        case .notKept:
            self.init(.unavailable, "push-unavailable", "it cannot be kept now", detail: detail)
            fields = ["Retry-After": "5"]
        }
        origin = refusal.origin
    }
}
