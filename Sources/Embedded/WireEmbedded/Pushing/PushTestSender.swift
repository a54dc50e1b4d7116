import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// Sends pushes through the servers' own operations for senders, with their credentials.
struct PushTestSender: Sendable {
    let servers: EmbeddedPushServers

    func send(_ order: PushOrder) async throws -> UnifiedPushSender.Sent {
        let sent = try await sendOut(order)
        if sent.devices == 0, let failure = sent.failure { throw Self.refused(failure) }
        return sent
    }

    private func sendOut(_ order: PushOrder) async throws -> UnifiedPushSender.Sent {
        let context = servers.context
        do {
            switch order.via {
            case .ups:
                let request = try await request("/ups/rest/sender", order.forUnifiedPush, context)
                return try await UnifiedPushSender(context: context).send(request)
            case .altcraft:
                let request = try await request("/altcraft/corewire/send", order.forAltcraft, context)
                return try await AltcraftSender(context: context).send(request)
            case .health: return try await sendToAll(order, context)
            case .halo:
                let request = try await request("/api/push/schedule/", order.forHalo, context)
                let schedule = try await servers.halo.schedule(request)
                return UnifiedPushSender.Sent(id: schedule.id, devices: schedule.devices)
            }
        } catch let error as EmbeddedError {
            throw Self.refused(error.reason)
        } catch let error as HaloError {
            let flaws = error.extra.map { "\($0.key): \($0.value.asText ?? "")" }
            throw Self.refused(([error.message] + flaws).joined(separator: ", "))
        }
    }

    /// Sends through every registrar; a device registered at several gets one push from each.
    private func sendToAll(_ order: PushOrder, _ context: PushRequestContext) async throws -> UnifiedPushSender.Sent {
        var sent: UnifiedPushSender.Sent?
        var names: Set<String> = []
        for registrar in context.admitted.registrars
        where order.path.map({ $0 == registrar.name }) ?? true && names.insert(registrar.name).inserted {
            let request = try await request("/\(registrar.name)/messages", order.forHealthCloud, context)
            let more = try await HealthCloudServer(context: context).send(request, registrar)
            sent = UnifiedPushSender.Sent(
                id: sent?.id ?? more.id,
                devices: (sent?.devices ?? 0) + more.devices,
                failure: sent?.failure ?? more.failure
            )
        }
        guard let sent else {
            throw Problem(
                .conflict,
                "no-registrar",
                "no Health Cloud registrar is declared",
                detail: "declare one under 'push.registrars'"
            )
        }
        return sent
    }

    private func request(_ path: String, _ json: JSONValue, _ context: PushRequestContext) async throws -> Request {
        let place = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0).queryEscaped }
            .joined(separator: "/")
        guard let target = Target(parsing: place) else {
            throw Problem(.internalError, "unexpected", "the push cannot be sent", detail: "the path is invalid")
        }
        var request = Request(
            method: .post,
            target: target,
            fields: [
                "Authorization": try await context.authorization(), "Content-Type": "application/json",
                "aerogear-sender": "corewire",
            ],
            caller: .address("127.0.0.1")
        )
        request.body = json.bytes()
        return request
    }

    private static func refused(_ reason: String) -> Problem {
        Problem(.badGateway, "refused", "the server rejected the push", detail: reason)
    }
}

/// The registrations, sent messages and queued pushes.
struct PushOverview: Sendable {
    let servers: EmbeddedPushServers
    let address: String
    let base: String

    func shown() async throws -> BackendPush {
        let (present, context) = (servers.present, servers.context)
        let (records, rules) = (present.records, present.mailbox.rules)
        let numbers = try await present.mailbox.known()
        return BackendPush(
            [
                try await unifiedPush(records), try await altcraft(records), try await healthCloud(records, context),
                try await halo(records, present.devices),
            ],
            applicationID: present.account.id,
            delivers: rules.delivers,
            (try await present.mailbox.waitingCount, rules.keep, numbers.last, numbers.taken, numbers.givenUp)
        )
    }

    private func unifiedPush(_ records: PushRecords) async throws -> BackendPushServer {
        var (messages, opened) = (0, 0)
        try await records.each(on: .messages) { _, json in
            messages += 1
            opened += json["appOpenCounter"]?.integer ?? 0
        }
        let known = try await records.count(on: .installations)
        var server = BackendPushServer(.ups, at: ["\(address)/ups"], registrations: known, messages: messages)
        server.opened = opened
        return server
    }

    private func altcraft(_ records: PushRecords) async throws -> BackendPushServer {
        var (messages, opened, delivered) = (0, 0, 0)
        try await records.each(on: .mailings) { _, json in
            messages += 1
            opened += json["opened"]?.integer ?? 0
            delivered += json["delivered"]?.integer ?? 0
        }
        let known = try await records.count(on: .subscribers)
        var server = BackendPushServer(.altcraft, at: ["\(address)/altcraft"], registrations: known, messages: messages)
        (server.opened, server.delivered) = (opened, delivered)
        return server
    }

    private func healthCloud(_ records: PushRecords, _ context: PushRequestContext) async throws -> BackendPushServer {
        var places: [String] = []
        for registrar in context.admitted.registrars where !places.contains("\(base)/\(registrar.name)") {
            places.append("\(base)/\(registrar.name)")
        }
        let (known, notes) = (try await records.count(on: .registrations), try await records.count(on: .notes))
        return BackendPushServer(.health, at: places, registrations: known, messages: notes)
    }

    private func halo(_ records: PushRecords, _ devices: HaloRecords) async throws -> BackendPushServer {
        var counts: [HaloPush.Action: Int] = [:]
        try await records.each(on: .activity) { _, json in
            if let action = json["action"]?.string.flatMap(HaloPush.Action.init(rawValue:)) {
                counts[action, default: 0] += 1
            }
        }
        let known = try await devices.all(on: .devices).reduce(0) { $0 + ($1["devices"]?.array?.count ?? 0) }
        let sent = try await records.count(on: .schedules)
        var server = BackendPushServer(.halo, at: ["\(base)/api"], registrations: known, messages: sent)
        (server.opened, server.delivered) = (counts[.open] ?? 0, counts[.receipt] ?? 0)
        server.dismissed = counts[.dismiss] ?? 0
        return server
    }
}
