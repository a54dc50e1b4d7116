import WireBase
import WireConfig
import WireGraphQL
import WireService
import WireStore

extension SyncService {
    /// Stores the answer to a mutation that was sent at once; lists change as with a queued one.
    func confirm(_ response: ServerResponse, of asked: AskedOperation, in cache: SyncCache) async throws(StoreFailure) {
        let change = response.errors.isEmpty ? SentChange(response.data, of: asked, in: cache, self) : SentChange()
        try await cache.confirm(
            SentLayers.prefix + MutationQueue.randomText(),
            response.data,
            errors: response.paths,
            to: asked.question,
            deleting: change.deleted,
            adding: change.added
        )
        _ = cache.forgetSettled(before: host.clock.wall() - MutationQueue.listAge)
    }
}

/// The list changes of a mutation in DataSync's form, after the server's answer.
private struct SentChange {
    var deleted: Set<RecordKey> = []
    var added: [LayerChange] = []

    init() {}

    init(_ data: JSONValue?, of asked: AskedOperation, in cache: SyncCache, _ service: SyncService) {
        let (question, documents) = (cache.resolved(asked.question), service.preparation.documents)
        guard let form = MutationForm(question.operation, question.variables, documents.schema),
            let object = data?[form.member], cache.keyFields(of: form.type).count == 1,
            let name = cache.keyFields(of: form.type).first
        else { return }
        switch form.kind {
        case .delete: if let id = form[name]?.keyText { deleted = [RecordKey(form.type, [id])] }
        case .update: break
        case .create:
            let member = cache.plan(question).response(of: name, in: form) ?? name
            guard let id = object[member]?.keyText else { return }
            let rules = service.settings.mutations.items.first { $0.name == asked.prepared.name }?.value
            let lists = MutationLists(schema: documents.schema, operations: documents.operations)
            let targets = lists.targets(of: form.type, adds: rules?.adds.map(\.text) ?? [])
            added = targets.map { .add(RecordKey(form.type, [id]), to: $0) }
        }
    }
}
