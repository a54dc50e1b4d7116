import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireTelemetry

/// A push registrar as Health Clouds have them: an API key in a header, and the token of the signed-in user.
///
/// The protocol of real registrars is not public, so this one is corewire's own: `POST` and `PUT` of a registration
/// as JSON at the path, `DELETE` below it by token or device, and `POST messages` below it for the sender.
struct HealthCloudServer: Sendable {
    let context: PushRequestContext

    private static let limit = ByteCount.kibibytes(256)
    /// The largest number of further members of a registration.
    private static let most = 50

    /// Returns the registrars at a path, each with its own key, and the rest of the path.
    static func registrars(_ path: [String], among all: [PushAdmissions.Registrar])
        -> (found: [PushAdmissions.Registrar], rest: [String])?
    {
        // If one path is below another, the longer one applies.
        let standing = all.filter { path.starts(with: $0.path) }
        guard let longest = standing.map(\.path.count).max() else { return nil }
        return (standing.filter { $0.path.count == longest }, Array(path.dropFirst(longest)))
    }

    func exchange(for head: Request) -> Exchange {
        guard let (registrars, rest) = Self.registrars(head.target.segments, among: context.admitted.registrars) else {
            return .plainly(.notFound, "no registrar at this path")
        }
        let path = rest.last == "" ? Array(rest.dropLast()) : rest
        switch (head.method, path.count) {
        case (.post, 0), (.put, 0): return perform(registrars) { try await once($0, $1, register) }
        case (.post, 1) where path[0] == "messages":
            return perform(registrars) { request, registrar in
                let sent = try await send(request, registrar)
                return .json(
                    .members(["id": .string(sent.id), "devices": .integer(sent.devices)]),
                    status: .accepted
                )
            }
        case (.delete, 1...):
            let name = path.joined(separator: "/")
            return perform(registrars) { try await once($0, $1) { try await remove(name, $0, $1) } }
        case (_, 0): return .refused(allowing: [.post, .put])
        case (_, 1) where path[0] == "messages": return .refused(allowing: [.post])
        default: return .refused(allowing: [.delete])
        }
    }

    typealias Work = @Sendable (Request, PushAdmissions.Registrar) async throws -> Response

    private func perform(_ registrars: [PushAdmissions.Registrar], _ work: @escaping Work) -> Exchange {
        Exchange(
            .collect(upTo: Self.limit) { request in
                .later { await answer(registrars, request, work).guarded() }
            }
        )
    }

    private func answer(_ registrars: [PushAdmissions.Registrar], _ request: Request, _ work: Work) async -> Response {
        do {
            return try await work(request, registrar(registrars, request))
        } catch let problem as Problem {
            return problem.response
        } catch let failure as StoreFailure where failure.kind == .full {
            return Problem(.insufficientStorage, "full", "the registrar's storage is full", detail: "delete some")
                .response
        } catch {
            let reason = (error as? StoreFailure)?.reason ?? "\(error)"
            context.log.error("the registrar failed", ["path": .text(request.target.path), "reason": .text(reason)])
            return Problem(.internalError, "unexpected", "the registrar failed", detail: "try again")
                .response
        }
    }

    // MARK: Authentication

    /// Returns the registrar whose API key the request has.
    private func registrar(_ registrars: [PushAdmissions.Registrar], _ request: Request) throws
        -> PushAdmissions.Registrar
    {
        for registrar in registrars {
            guard let given = request.fields[registrar.header] else { continue }
            if try context.machine.isSame(given, registrar.key.reveal()) { return registrar }
        }
        let names = Set(registrars.map(\.header)).sorted()
        throw Problem(
            .unauthorized,
            "api-key",
            "the API key is missing or wrong",
            detail: "expected it in the field \(names.listed())",
            fields: ["WWW-Authenticate": "Bearer realm=\"corewire\""]
        )
    }

    private func person(_ request: Request) async throws -> HaloCaller {
        if let caller = try await context.bearer(request) { return caller }
        throw Problem(
            .unauthorized,
            "unauthorized",
            "the access token is missing or invalid",
            detail: "expected 'Authorization: Bearer' with a token of the embedded identity server",
            fields: ["WWW-Authenticate": "Bearer realm=\"corewire\""]
        )
    }

    /// Performs the request of a user's device once for each request id.
    private func once(_ request: Request, _ registrar: PushAdmissions.Registrar, _ work: Work) async throws -> Response
    {
        let person = try await person(request)
        return try await context.once(request, by: "health \(registrar.name) \(person.name)") {
            try await work(request, registrar)
        }
    }

    // MARK: Registering

    private enum Provider: String, CaseIterable { case apns, firebase, huawei, webPush }

    private func register(_ request: Request, _ registrar: PushAdmissions.Registrar) async throws -> Response {
        let person = try await person(request)
        try request.expectJSON()
        let draft = try request.json { members throws(Problem) in
            let draft = (
                token: try members.text("token"), provider: try members.word("provider", as: Provider.self),
                device: try members.text("deviceId")
            )
            guard (1...4_096).contains(draft.token.utf8.count), draft.token.utf8.allSatisfy(\.isVisible) else {
                throw members.failure("expected 1 to 4096 visible letters", "token")
            }
            guard (1...255).contains(draft.device.utf8.count) else {
                throw members.failure("expected 1 to 255 bytes", "deviceId")
            }
            guard let provider = draft.provider else { throw members.failure("'provider' is missing", "provider") }
            let former = try members.textIfAny("oldToken")
            // All other members that an app sends about its device are stored.
            let more = try members.all().filter { !["token", "provider", "deviceId", "oldToken"].contains($0.key) }
            guard more.count <= Self.most else { throw members.failure("expected \(Self.most) members at most", "") }
            return (token: draft.token, provider: provider, device: draft.device, former: former, more: more)
        }
        let key = try key(draft.token, registrar)
        return try await context.line.alone {
            let old = try await context.records.find(key, on: .registrations)
            let own = JSONValue.members([
                "token": .string(draft.token), "provider": .string(draft.provider.rawValue),
                "deviceId": .string(draft.device), "user": .string(person.name),
                "registeredAt": old?["registeredAt"] ?? context.now, "updatedAt": context.now,
            ])
            let reserved = ["user", "registeredAt", "updatedAt"]
            let json = JSONValue.object((own.members ?? []) + draft.more.filter { !reserved.contains($0.key) })
            try await context.records.put(json, key, on: .registrations)
            if let former = draft.former, former != draft.token {
                try await context.records.remove(self.key(former, registrar), on: .registrations)
            }
            return .json(json, status: old == nil ? .created : .ok)
        }
    }

    /// Deletes a registration by token, or all registrations of a device.
    private func remove(_ name: String, _ request: Request, _ registrar: PushAdmissions.Registrar) async throws
        -> Response
    {
        _ = try await person(request)
        return try await context.line.alone {
            if try await context.records.remove(key(name, registrar), on: .registrations) {
                return Response(.noContent)
            }
            var keys: [String] = []
            try await context.records.each(on: .registrations, prefix: prefix(registrar)) { key, json in
                if json["deviceId"]?.string == name { keys.append(key) }
            }
            guard !keys.isEmpty else {
                throw Problem(
                    .notFound,
                    "not-registered",
                    "no token or device of this name is registered",
                    detail: "nothing has changed"
                )
            }
            for key in keys { try await context.records.remove(key, on: .registrations) }
            return Response(.noContent)
        }
    }

    private func prefix(_ registrar: PushAdmissions.Registrar) throws -> String {
        try context.machine.key(registrar.name) + "/"
    }

    private func key(_ token: String, _ registrar: PushAdmissions.Registrar) throws -> String {
        try prefix(registrar) + context.machine.key(token)
    }

    // MARK: Sending

    /// Sends a message for a caller with the API key, the application's id and its master secret.
    func send(_ request: Request, _ registrar: PushAdmissions.Registrar) async throws -> UnifiedPushSender.Sent {
        guard try await context.isSender(request) else {
            throw Problem(
                .unauthorized,
                "unauthorized",
                "only the application may send",
                detail: "expected its id and its master secret",
                fields: ["WWW-Authenticate": "Basic realm=\"corewire\""]
            )
        }
        try request.expectJSON()
        let order = try request.json { members throws(Problem) in try HealthCloudOrder(&members) }
        let id = try context.machine.uuid()
        for provider in Provider.allCases {
            guard DeviceMailbox.PendingPush.carries(order.payload(for: provider.rawValue, id: id)) else {
                throw Problem(
                    .badRequest,
                    "push-too-large",
                    "the push is too large",
                    detail:
                        "expected \(DeviceMailbox.PendingPush.limit) bytes at most in the form of \(provider.rawValue)"
                )
            }
        }
        var pendingPushes: [DeviceMailbox.PendingPush] = []
        try await context.records.each(on: .registrations, prefix: prefix(registrar)) { _, json in
            guard let provider = json["provider"]?.string, let token = json["token"]?.string, order.wants(json) else {
                return
            }
            pendingPushes.append(
                DeviceMailbox.PendingPush(
                    provider: provider,
                    token: token,
                    payload: order.payload(for: provider, id: id),
                    lifetime: order.lifetime
                )
            )
        }
        let note = JSONValue.members(["id": .string(id), "sent": context.now, "devices": .integer(pendingPushes.count)])
        try await context.records.put(note, id, on: .notes)
        return try await context.deliver(pendingPushes, id, via: "health")
    }
}

extension Request {
    fileprivate func expectJSON() throws(Problem) {
        let type = fields["Content-Type"].flatMap(MediaType.init(parsing:))
        guard type?.isCovered(by: "application/json") ?? false else {
            throw Problem(
                .unsupportedMediaType,
                "unsupported-media-type",
                "unsupported type of the body",
                detail: "expected application/json"
            )
        }
    }
}
