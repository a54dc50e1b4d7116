import WireBase
import WireConfig
import WireHTTP
package import WireService

/// Changes, which are always made at the server; copies follow with the next sync, which is asked for at once.
extension ContentService {
    /// One instance; from what is stored where the policy or the want of a server asks for it.
    package func instance(_ id: String, locale: String? = nil, policy: OfflinePolicy? = nil)
        async throws(ContentFailure) -> ContentAnswer
    {
        var query = ContentQuery()
        query.instanceIDs = [id]
        query.locale = locale
        query.segmentsByDevice = false
        query.paging = ContentQuery.Paging(page: 1, limit: 1)
        var answer = try await search(query, policy: policy)
        let items = try server.json(answer.bytes).items(of: "items") ?? []
        guard let item = items.first(where: { $0.value["id"]?.string == id }) else {
            throw ContentFailure(.noSuchInstance, "there is no instance \(id.quoted)")
        }
        answer.bytes = item.bytes
        return answer
    }

    package func create(_ draft: ContentDraft, policy: OfflinePolicy? = nil) async throws(ContentFailure) -> [UInt8] {
        try checkWriting(policy)
        guard let module = draft.module else { throw ContentFailure(.invalid, "an instance is of a module, name it") }
        let id = try await moduleID(module)
        var ask = ContentServer.Ask(.post, "instance")
        ask.body = draft.json(moduleID: id)
        ask.policy = OfflinePolicy.none
        let answer = try await server.send(ask)
        let bytes = try checkedInstance(answer.bytes)
        await noteChange(modules: [module, id], instances: [])
        return bytes
    }

    package func update(_ id: String, _ draft: ContentDraft, policy: OfflinePolicy? = nil) async throws(ContentFailure)
        -> [UInt8]
    {
        try checkWriting(policy)
        guard draft.id == nil || draft.id == id else {
            throw ContentFailure(.invalid, "the instance says it is another one than the address names")
        }
        var ask = ContentServer.Ask(.put, "instance/\(id.pathEncoded)")
        ask.body = draft.json(moduleID: try await moduleID(of: draft))
        ask.policy = OfflinePolicy.none
        let answer = try await server.send(ask)
        let bytes = try checkedInstance(answer.bytes)
        await noteChange(modules: [], instances: [id])
        return bytes
    }

    package func delete(_ id: String, policy: OfflinePolicy? = nil) async throws(ContentFailure) {
        try checkWriting(policy)
        var ask = ContentServer.Ask(.delete, "instance/\(id.pathEncoded)")
        ask.policy = OfflinePolicy.none
        _ = try await server.send(ask)
        await noteChange(modules: [], instances: [id])
    }

    /// What became of each change, in the order of the server; a conflict is told where it is.
    package func batch(_ batch: ContentBatch, policy: OfflinePolicy? = nil) async throws(ContentFailure)
        -> [BatchOutcome]
    {
        try checkWriting(policy)
        var modules: Set<String> = []
        var ask = ContentServer.Ask(.post, "instance/batch")
        ask.body = .members([
            "created": try await list(batch.created, &modules),
            "updated": try await list(batch.updated, &modules),
            "createdOrUpdated": try await list(batch.createdOrUpdated, &modules),
            "deleted": batch.deleted.isEmpty ? nil : .array(batch.deleted.map { .members(["id": .string($0)]) }),
            "truncated": try await truncated(batch.truncated, &modules),
        ])
        ask.policy = OfflinePolicy.none
        let outcomes = try server.json(try await server.send(ask).bytes).outcomes()
        let instances = batch.deleted + (batch.updated + batch.createdOrUpdated).compactMap(\.id)
        await noteChange(modules: modules, instances: Set(instances))
        return outcomes
    }

    // MARK: Parts of it

    /// Nothing leaves this machine where the policy says so.
    private func checkWriting(_ policy: OfflinePolicy?) throws(ContentFailure) {
        guard (policy ?? requests.offlinePolicy) == .returnLocalDataDontLoad else { return }
        throw ContentFailure(
            .offline,
            "changes are made at the server, and the offline policy is 'returnLocalDataDontLoad'",
            help: "send 'Corewire-Offline-Policy: none' with the change, or change 'network.offlinePolicy'"
        )
    }

    private func moduleID(of draft: ContentDraft) async throws(ContentFailure) -> String? {
        guard let module = draft.module else { return nil }
        return try await moduleID(module)
    }

    private func list(_ drafts: [ContentDraft], _ modules: inout Set<String>) async throws(ContentFailure) -> JSONValue?
    {
        guard !drafts.isEmpty else { return nil }
        var items: [JSONValue] = []
        for draft in drafts {
            let id = try await moduleID(of: draft)
            if let id { modules.insert(id) }
            if let name = draft.module { modules.insert(name) }
            items.append(draft.json(moduleID: id))
        }
        return .array(items)
    }

    private func truncated(_ names: [String], _ modules: inout Set<String>) async throws(ContentFailure) -> JSONValue? {
        guard !names.isEmpty else { return nil }
        var items: [JSONValue] = []
        for name in names {
            let id = try await moduleID(name)
            modules.formUnion([name, id])
            items.append(.members(["module": .string(id)]))
        }
        return .array(items)
    }

    /// The instance as the server has it now; nothing where it says nothing.
    private func checkedInstance(_ bytes: [UInt8]) throws(ContentFailure) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        guard case .object = try server.json(bytes).whole.value else {
            throw server.malformed("expected an instance, an object")
        }
        return bytes
    }

    /// Copies that may differ from the server now are brought up to date soon.
    private func noteChange(modules: Set<String>, instances: Set<String>) async {
        guard !ending.hasFired else { return }
        await syncSoon { keeper in
            let module = keeper.module
            if modules.contains(module.name) || module.identity.id.map(modules.contains) ?? false
                || module.identity.name.map(modules.contains) ?? false
            {
                return true
            }
            let copy = try? keeper.copy()
            return instances.contains { copy?[$0] != nil }
        }
    }
}
