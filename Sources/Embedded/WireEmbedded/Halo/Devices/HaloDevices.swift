import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireStore

/// The registered devices of an environment (`api/segmentation/appuser`).
struct HaloDevices: Sendable {
    private let records: HaloRecords
    private let machine: SystemServices
    private let line = AsyncMutex()

    init(_ records: HaloRecords, _ machine: SystemServices) {
        self.records = records
        self.machine = machine
    }

    /// The values that a request sets on a device; absent ones are unchanged.
    struct Draft: Sendable {
        var email: JSONValue?
        var alias: String?
        var tokens: [(platform: String, token: String)]?
        var tags: [HaloTag]?
        var replacesTokens = false

        static func read(_ members: inout JSONMembers) throws(Problem) -> Draft {
            var draft = Draft()
            draft.email = try members.textIfAny("email").map(JSONValue.string)
            draft.alias = try members.textIfAny("alias")
            if let alias = draft.alias, !(1...256).contains(alias.utf8.count) {
                throw members.failure("expected 1 to 256 bytes", "alias")
            }
            draft.tokens = try members.objects("devices") { device throws(Problem) in
                let token = (platform: try device.text("platform"), token: try device.text("token"))
                guard token.token.utf8.count <= 4_096, token.platform.utf8.count <= 64 else {
                    throw device.failure("expected 4096 bytes at most", "token")
                }
                return token
            }
            guard (draft.tokens?.count ?? 0) <= 32 else { throw members.failure("expected 32 at most", "devices") }
            draft.tags = try HaloTag.read("tags", in: &members)
            draft.replacesTokens = try members.booleanIfAny("replaceTokens") ?? false
            // Clients send the members back that only the server writes.
            for own in ["id", "appId", "customerId", "createdAt", "updatedAt"] { _ = try members.value(own) }
            return draft
        }
    }

    func find(_ id: String) async throws -> JSONValue {
        guard HaloModule.isID(id), let json = try await records.find(id, on: .devices) else {
            throw HaloError.missing("AppUser", id)
        }
        return json
    }

    func create(_ draft: Draft) async throws -> JSONValue {
        let id = try EnvironmentContent.newID(machine)
        let device = try merged(draft, into: .members(["id": .string(id)]))
        return try await keep(device, id)
    }

    func update(_ id: String, _ draft: Draft) async throws -> JSONValue {
        try await line.alone { try await keep(merged(draft, into: find(id)), id) }
    }

    private func keep(_ device: JSONValue, _ id: String) async throws -> JSONValue {
        do throws(StoreFailure) {
            try await records.put(device, id, on: .devices)
            return device
        } catch {
            throw error.kind == .full ? HaloError.full : error
        }
    }

    private func merged(_ draft: Draft, into old: JSONValue) throws -> JSONValue {
        let now = JSONValue.integer(Int(machine.now))
        let id = old["id"]?.string ?? ""
        var tokens = old["devices"]?.array ?? []
        if let new = draft.tokens {
            // A known token is not added twice; 'replaceTokens' keeps only the tokens of the request.
            let kept = draft.replacesTokens ? [] : tokens
            let added = new.map { JSONValue.members(["platform": .string($0.platform), "token": .string($0.token)]) }
            tokens = kept.filter { old in !added.contains { $0.text() == old.text() } } + added
        }
        return .members([
            "appId": .integer(1), "email": draft.email ?? old["email"] ?? .null,
            "alias": draft.alias.map(JSONValue.string) ?? old["alias"] ?? .string("anonymous-\(id)"),
            "devices": .array(tokens),
            "tags": try draft.tags.map { .array(try $0.map(tagged)) } ?? old["tags"] ?? .array([]),
            "customerId": .integer(1), "createdAt": old["createdAt"] ?? now, "updatedAt": now, "id": .string(id),
        ])
    }

    private func tagged(_ tag: HaloTag) throws -> JSONValue {
        var tag = tag
        if tag.id == nil {
            tag.id = String(try machine.digest("tag/\(tag.type)/\(tag.name)").prefix(24))
        }
        return tag.json
    }
}
