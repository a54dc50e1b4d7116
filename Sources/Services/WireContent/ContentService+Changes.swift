import WireBase
import WireConfig
package import WireContentContract
package import WireHTTP
import WireNetworkContract

/// Changes, which are always made at the server; the copies follow with a sync that is requested at once.
extension ContentService {
    /// Returns one instance; from stored content where the policy or a failure of the server requires it.
    package func instance(_ asked: ContentInstanceRequest) async throws(ContentFailure) -> ContentDocument {
        var query = ContentQuery()
        query.instanceIDs = [asked.id]
        (query.locale, query.policy) = (asked.locale, asked.policy)
        query.segmentsByDevice = false
        query.paging = ContentPaging(page: 1, limit: 1)
        let page = try await search(query)
        guard var item = page.items.first(where: { $0.value["id"]?.string == asked.id }) else {
            throw ContentFailure(.noSuchInstance, "unknown instance \(asked.id.quoted)")
        }
        item.fact = page.fact
        return item
    }

    package func create(_ asked: ContentCreation) async throws(ContentFailure) -> ContentDocument {
        try checkWriting(asked.policy)
        guard let module = asked.draft.module else {
            throw ContentFailure(.invalid, "the module of the instance is missing")
        }
        let id = try await moduleID(module)
        let answer = try await send(.post, "instance", asked.draft.named(id).json)
        let instance = try checkedInstance(answer)
        await noteChange(modules: [module, id], instances: [])
        return instance
    }

    package func update(_ asked: ContentChange) async throws(ContentFailure) -> ContentDocument {
        try checkWriting(asked.policy)
        let (id, draft) = (asked.id, asked.draft)
        guard draft.id == nil || draft.id == id else {
            throw ContentFailure(.invalid, "the id of the instance differs from that in the path")
        }
        let body = draft.named(try await moduleID(of: draft)).json
        let instance = try checkedInstance(try await send(.put, "instance/\(id.pathEncoded)", body))
        await noteChange(modules: [], instances: [id])
        return instance
    }

    package func remove(_ asked: ContentRemoval) async throws(ContentFailure) -> Nothing {
        try checkWriting(asked.policy)
        _ = try await send(.delete, "instance/\(asked.id.pathEncoded)")
        await noteChange(modules: [], instances: [asked.id])
        return Nothing()
    }

    /// The result of each change; a conflict is reported in its place.
    package func batch(_ asked: ContentBatch) async throws(ContentFailure) -> ContentOutcomes {
        try checkWriting(asked.policy)
        var modules: Set<String> = []
        var sent = asked
        sent.created = try await named(asked.created, &modules)
        sent.updated = try await named(asked.updated, &modules)
        sent.createdOrUpdated = try await named(asked.createdOrUpdated, &modules)
        for (index, name) in asked.truncated.enumerated() {
            sent.truncated[index] = try await moduleID(name)
            modules.formUnion([name, sent.truncated[index]])
        }
        let outcomes = try server.json(try await send(.post, "instance/batch", sent.json)).outcomes()
        let instances = asked.deleted + (asked.updated + asked.createdOrUpdated).compactMap(\.id)
        await noteChange(modules: modules, instances: Set(instances))
        return ContentOutcomes(outcomes)
    }

    // MARK: Helpers

    private func send(_ method: Method, _ path: String, _ body: JSONValue? = nil) async throws(ContentFailure)
        -> [UInt8]
    {
        var ask = ContentServer.Ask(method, path)
        (ask.body, ask.policy) = (body, OfflinePolicy.none)
        return try await server.send(ask).bytes
    }

    /// Refuses changes where the offline policy forbids requests.
    private func checkWriting(_ policy: OfflinePolicy?) throws(ContentFailure) {
        guard (policy ?? requests.offlinePolicy) == .returnLocalDataDontLoad else { return }
        throw ContentFailure(
            .offline,
            "a change requires the server, and the offline policy is 'returnLocalDataDontLoad'",
            help: "send 'Corewire-Offline-Policy: none' with the change, or change 'network.offlinePolicy'"
        )
    }

    private func moduleID(of draft: ContentDraft) async throws(ContentFailure) -> String? {
        guard let module = draft.module else { return nil }
        return try await moduleID(module)
    }

    /// The drafts with the server's ids of their modules; both names are noted.
    private func named(_ drafts: [ContentDraft], _ modules: inout Set<String>) async throws(ContentFailure)
        -> [ContentDraft]
    {
        var named: [ContentDraft] = []
        for draft in drafts {
            named.append(draft.named(try await moduleID(of: draft)))
            modules.formUnion([draft.module, named.last?.module].compactMap(\.self))
        }
        return named
    }

    /// The instance in the server's response; nil for an empty one.
    private func checkedInstance(_ bytes: [UInt8]) throws(ContentFailure) -> ContentDocument {
        bytes.isEmpty ? ContentDocument([]) : try document(bytes, "an instance")
    }

    /// Requests a sync of the copies that may differ from the server now.
    private func noteChange(modules: Set<String>, instances: Set<String>) async {
        guard !ending.hasFired else { return }
        await syncSoon { moduleSync in
            let module = moduleSync.module
            if modules.contains(module.name) || module.identity.id.map(modules.contains) ?? false
                || module.identity.name.map(modules.contains) ?? false
            {
                return true
            }
            do throws(ContentFailure) {
                guard let copy = try await moduleSync.copy() else { return false }
                return instances.contains { copy[$0] != nil }
            } catch {
                // A copy that cannot be read may have the instances.
                return true
            }
        }
    }
}

extension ContentDraft {
    /// The draft with the server's id of its module.
    fileprivate func named(_ module: String?) -> ContentDraft {
        var draft = self
        draft.module = module
        return draft
    }
}
