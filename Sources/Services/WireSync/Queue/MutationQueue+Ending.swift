import WireConfig
import WireService
import WireStore
import WireSyncContract
import WireWorkContract

/// Ends mutations: stores the server's answer, or the reason for a failure.
///
/// Each step is repeatable: the real id is stored first, then the answer in the record, then the cache and the queued
/// mutations, and finally the end.
extension MutationQueue {
    func confirm(
        _ mutation: QueuedMutation,
        _ response: ServerResponse?,
        reason: String? = nil,
        _ repository: MutationRepository,
        _ cache: SyncCache
    ) async throws(StoreFailure) {
        let real = response.flatMap { realID(of: mutation, $0, cache) }
        let rewriting = real.flatMap { real in
            mutation.temporary.flatMap { TemporaryID.Rewriting($0, to: real) }
        }
        if let rewriting { try await repository.keep(rewriting) }
        let time = now
        let ended = try await edit(mutation.id, on: repository) { mutation in
            (mutation.state, mutation.reason, mutation.real) = (.confirmed, reason, real)
            (mutation.data, mutation.ended) = (response?.data, time)
            mutation.errors = response.flatMap { $0.errors.isEmpty ? nil : $0.errors }
            (mutation.conflict, mutation.deadline, mutation.isApplied) = (nil, nil, false)
            if let rewriting { mutation.rewrite(rewriting) }
        }
        if let ended { try await apply(ended, repository, cache) }
    }

    /// The server's id of the created object.
    private func realID(of mutation: QueuedMutation, _ response: ServerResponse, _ cache: SyncCache) -> JSONValue? {
        guard mutation.temporary != nil, let asked = try? asked(mutation), let form = form(of: asked),
            let name = cache.keyFields(of: form.type).first
        else { return nil }
        let member = cache.plan(asked.question).response(of: name, in: form) ?? name
        return response.data?[form.member]?[member]
    }

    /// Applies the answer of a confirmed mutation to the cache and the queued mutations.
    func apply(_ mutation: QueuedMutation, _ repository: MutationRepository, _ cache: SyncCache)
        async throws(StoreFailure)
    {
        // Later queries do not share requests from before.
        fetches.mutated()
        let asked = try? self.asked(mutation)
        let form = asked.flatMap { self.form(of: $0) }
        let rewriting = mutation.real.flatMap { real in
            mutation.temporary.flatMap { TemporaryID.Rewriting($0, to: real) }
        }
        var position: Int64?
        if let asked {
            let isDeletion =
                form?.kind == .delete && !mutation.isLeftToServer && mutation.data?[form?.member ?? ""] != nil
            position = try await cache.confirm(
                mutation.id,
                mutation.data,
                errors: (mutation.errors ?? []).paths,
                to: asked.question,
                deleting: isDeletion ? Set(mutation.target.map { [RecordKey($0)] } ?? []) : [],
                rewriting: rewriting
            ).position
        } else {
            cache.drop(mutation.id)
        }
        try await carryOver(mutation, asked, form, rewriting, repository, cache)
        let change: (inout QueuedMutation) -> Void = { mutation in
            (mutation.isApplied, mutation.position) = (true, position)
        }
        guard let done = try await edit(mutation.id, on: repository, change) else { return }
        emit(done)
        if mutation.temporary != nil { outbox.drain() }
        _ = cache.forgetSettled(before: now - Self.listAge)
    }

    /// How long list additions are kept where the server does not return the lists.
    static let listAge: Int64 = 86_400_000

    /// Gives queued mutations the real id, and the object's new version.
    private func carryOver(
        _ ended: QueuedMutation,
        _ asked: AskedOperation?,
        _ form: MutationForm?,
        _ rewriting: TemporaryID.Rewriting?,
        _ repository: MutationRepository,
        _ cache: SyncCache
    ) async throws(StoreFailure) {
        let names = [ended.temporary, ended.target].compactMap { $0 }
        let waiting = try await withIndex(repository) { $0.naming(names) }.subtracting([ended.id])
        let told = form.flatMap { form in asked.map { cache.plan($0.question).leaves(of: ended.data, form) } } ?? [:]
        for id in waiting {
            // One that cannot be read is sent by no process, so it needs no id.
            guard let former = try await repository.records.readable(id, else: logUnusable)?.record,
                !former.state.hasEnded
            else { continue }
            var next = former
            if let rewriting { next.rewrite(rewriting) }
            if next.target == ended.target, let variables = rebased(next, on: told, cache) {
                next.variables = variables
            }
            if next == former { continue }
            let (new, old) = (next, former)
            try await edit(id, on: repository) { mutation in
                // Concurrent changes are not overwritten; the server reports them as a conflict.
                if mutation == old { mutation = new } else if let rewriting { mutation.rewrite(rewriting) }
            }
        }
    }

    /// The variables with the server's version, where all data that the mutation was made from are unchanged.
    private func rebased(_ mutation: QueuedMutation, on told: [String: JSONValue], _ cache: SyncCache) -> JSONValue? {
        guard let asked = try? asked(mutation), let form = form(of: asked), let field = form.versionField,
            let version = told[field], form[field]?.isSame(as: version) != true, let base = mutation.base
        else { return nil }
        let changed =
            form.kind == .delete
            ? base.members?.map(\.key).filter { !$0.hasPrefix("_") && $0 != field } ?? []
            : form.changes(cache.keyFields(of: form.type)).map(\.key)
        for name in changed {
            guard let known = base[name], let now = told[name], known.isSame(as: now) else { return nil }
        }
        return form.variables(mutation.variableMembers, setting: [(field, version)]).map(JSONValue.object)
    }

    /// Ends a mutation that is not sent any more.
    func fail(
        _ id: String,
        _ reason: String,
        _ response: ServerResponse?,
        _ repository: MutationRepository,
        _ cache: SyncCache?
    ) async throws(StoreFailure) {
        let time = now
        var isNew = false
        let change: (inout QueuedMutation) -> Void = { mutation in
            isNew = !mutation.state.hasEnded
            guard isNew else { return }
            (mutation.state, mutation.reason, mutation.ended) = (.failed, reason, time)
            mutation.errors = response.flatMap { $0.errors.isEmpty ? nil : $0.errors }
            (mutation.conflict, mutation.deadline) = (nil, nil)
        }
        // Another user's mutations are not in memory.
        let failed =
            cache == nil ? try await repository.edit(id, change) : try await edit(id, on: repository, change)
        cache?.drop(id)
        guard let failed, isNew else { return }
        emit(failed)
        if failed.temporary != nil { outbox.drain() }
    }
}

extension SelectionPlan {
    /// The leaves of the answer's object, by field name.
    func leaves(of data: JSONValue?, _ form: MutationForm) -> [String: JSONValue] {
        guard let object = fields(of: root, type: rootType).fields.first(where: { $0.response == form.member })?.object,
            let told = data?[form.member]
        else { return [:] }
        var found: [String: JSONValue] = [:]
        for field in fields(of: object, type: form.type).fields where field.object == nil && field.key == field.name {
            if let value = told[field.response] { found[field.name] = value }
        }
        return found
    }
}

extension [JSONValue] {
    /// The paths of the errors in the data.
    var paths: [[Normalizer.PathPart]] {
        compactMap { error in
            error["path"]?.array?.compactMap { part in
                part.string.map(Normalizer.PathPart.name) ?? part.integer.map(Normalizer.PathPart.index)
            }
        }
    }
}
