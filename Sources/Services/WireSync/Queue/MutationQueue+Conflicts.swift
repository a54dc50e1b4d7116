import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireSyncContract
import WireWorkContract

/// Mutations whose object the server has changed since they were made.
extension MutationQueue {
    /// The number of times that a mutation is changed and sent again before it fails.
    private static let mostAttempts = 10

    /// Decides a conflict according to the file; returns whether the mutation continues.
    func conflict(
        _ mutation: QueuedMutation,
        _ info: ConflictInfo,
        _ response: ServerResponse?,
        _ repository: MutationRepository,
        _ cache: SyncCache
    ) async throws(StoreFailure) -> Bool {
        let strategy = rules(for: mutation.operation)?.conflict ?? settings.conflicts.strategy
        let reason = response?.complaint?.shown(upTo: 300) ?? "the server's data has changed"
        guard mutation.rounds < Self.mostAttempts else {
            try await fail(mutation.id, "\(reason); retried \(mutation.rounds) times", response, repository, cache)
            return false
        }
        let sides = ConflictSides(mutation, info, self, cache)
        if let target = mutation.target, let server = info.server, let form = sides?.form {
            try await cache.store(server, of: RecordKey(target), form.type)
        }
        guard let sides else {
            // Without the server's values nothing can be merged, and nothing is overwritten unseen.
            let client = mutation.variables
            let unknown = SyncConflict(base: mutation.base, server: info.server, client: client, fields: [])
            if strategy == .ask { return try await ask(mutation.id, unknown, reason, repository) }
            try await fail(mutation.id, reason, response, repository, cache)
            return false
        }
        switch try await resolve(mutation, sides, strategy, isByCaller: false, repository, cache) {
        case .goesOn: return true
        case .ended: return false
        case .fails:
            try await fail(mutation.id, reason, response, repository, cache)
            return false
        case .asks: return try await ask(mutation.id, sides.conflict, reason, repository)
        }
    }

    private func ask(_ id: String, _ conflict: SyncConflict, _ reason: String, _ repository: MutationRepository)
        async throws(StoreFailure) -> Bool
    {
        let deadline = now + settings.conflicts.deadline.milliseconds
        let asking = try await edit(id, on: repository) { mutation in
            (mutation.state, mutation.reason) = (.conflict, reason)
            (mutation.conflict, mutation.deadline) = (conflict, deadline)
        }
        if let asking { emit(asking) }
        return true
    }

    enum Resolution {
        case goesOn, ended, fails, asks
    }

    /// Resolves a conflict; the decision is stored before it is executed.
    func resolve(
        _ mutation: QueuedMutation,
        _ sides: ConflictSides,
        _ strategy: ConflictStrategy,
        isByCaller: Bool,
        _ repository: MutationRepository,
        _ cache: SyncCache
    ) async throws(StoreFailure) -> Resolution {
        let decision = sides.decision
        let (time, fields) = (now, decision.fields)
        func resolution(_ overwritten: [String]) -> SyncResolution {
            let replaced = overwritten.compactMap { name in decision.server[name].map { (name, $0) } }
            return SyncResolution(
                strategy,
                at: time,
                isByCaller: isByCaller,
                fields: fields,
                overwritten: overwritten,
                replaced: replaced.isEmpty ? nil : .object(replaced)
            )
        }
        switch decision.step(strategy) {
        case .fail: return .fails
        case .ask: return .asks
        case .keepServer:
            let done = resolution([])
            let kept = try await edit(mutation.id, on: repository) { mutation in
                mutation.resolutions.append(done)
                mutation.isLeftToServer = true
            }
            guard let kept else { return .ended }
            emit(kept, resolution: done)
            let response = ServerResponse(.object([("data", sides.data(decision.server))]))
            try await confirm(kept, response, reason: "the server's data was kept", repository, cache)
            return .ended
        case .send(let dropped, let overwritten):
            guard let variables = sides.variables(mutation, dropped) else { return .fails }
            let done = resolution(overwritten)
            let layer = sides.layer(mutation, without: dropped)
            let next = try await edit(mutation.id, on: repository) { mutation in
                mutation.variables = variables
                mutation.base = decision.server
                mutation.rounds += 1
                mutation.resolutions.append(done)
                (mutation.state, mutation.reason) = (.sent, nil)
                (mutation.conflict, mutation.deadline) = (nil, nil)
                if let layer { mutation.layer = layer.json }
            }
            if let next { emit(next, resolution: done) }
            if let layer { cache.show(layer) }
            return .goesOn
        }
    }

    // MARK: Decisions of callers

    func decide(_ decision: SyncDecision, _ repository: MutationRepository, _ cache: SyncCache)
        async throws(SyncFailure)
        -> QueuedMutation
    {
        guard let mutation = try await SyncFailure.rethrowing(try await repository.read(decision.id))
        else { throw SyncFailure.unknownMutation(decision.id) }
        guard mutation.state == .conflict, let conflict = mutation.conflict else {
            throw SyncFailure(.noConflict, "the mutation \(decision.id.quoted) is \(mutation.state.rawValue)")
        }
        var info = ConflictInfo()
        info.server = conflict.server
        let sides = ConflictSides(mutation, info, self, cache)
        switch (decision.side, decision.variables) {
        case (nil, let variables?) where variables.members != nil:
            var changed = mutation
            changed.variables = variables
            let overwritten = ConflictSides(changed, info, self, cache)?.overwritten(of: conflict.fields)
            try await SyncFailure.wrapping { () async throws(StoreFailure) in
                try await sendAgain(mutation, variables, conflict, sides, repository, overwritten: overwritten)
            }
        case (let side?, nil):
            guard let sides else {
                guard side == .client else {
                    try await SyncFailure.wrapping { () async throws(StoreFailure) in
                        try await fail(mutation.id, "the server's data was kept", nil, repository, cache)
                    }
                    break
                }
                try await SyncFailure.wrapping { () async throws(StoreFailure) in
                    try await sendAgain(mutation, mutation.variables, conflict, nil, repository)
                }
                break
            }
            let strategy: ConflictStrategy = side == .client ? .clientWins : .serverWins
            let result = try await SyncFailure.wrapping { () async throws(StoreFailure) in
                try await resolve(mutation, sides, strategy, isByCaller: true, repository, cache)
            }
            if case .fails = result {
                throw SyncFailure(.invalid, "the document contains literal values", help: "set 'variables'")
            }
        default: throw SyncFailure(.invalid, "expected either 'side' or 'variables', an object")
        }
        outbox.drain()
        return try await SyncFailure.rethrowing(try await repository.read(decision.id)) ?? mutation
    }

    /// Sends a mutation with variables chosen by a caller who knows the server's data.
    private func sendAgain(
        _ mutation: QueuedMutation,
        _ variables: JSONValue,
        _ conflict: SyncConflict,
        _ sides: ConflictSides?,
        _ repository: MutationRepository,
        overwritten: [String]? = nil
    ) async throws(StoreFailure) {
        let time = now
        var replaced = conflict.server
        if let overwritten {
            let members = overwritten.compactMap { name in conflict.server?[name].map { (key: name, value: $0) } }
            replaced = members.isEmpty ? nil : .object(members)
        }
        let done = SyncResolution(
            .clientWins,
            at: time,
            isByCaller: true,
            fields: conflict.fields,
            overwritten: overwritten ?? conflict.fields,
            replaced: replaced
        )
        let next = try await edit(mutation.id, on: repository) { mutation in
            mutation.variables = variables
            if let server = conflict.server { mutation.base = server }
            if let version = sides?.versioned(mutation) { mutation.variables = version }
            mutation.rounds += 1
            mutation.resolutions.append(done)
            (mutation.state, mutation.reason, mutation.conflict, mutation.deadline) = (.sent, nil, nil, nil)
        }
        if let next { emit(next, resolution: done) }
    }
}

/// The three sides of a conflict, and the mutation's form to change it by.
struct ConflictSides {
    let form: MutationForm
    let decision: ConflictDecision
    private let version: (field: String, value: JSONValue)?
    private let plan: SelectionPlan
    private let queue: MutationQueue

    /// Nil where the server's values are unknown, or the mutation has another form.
    init?(_ mutation: QueuedMutation, _ info: ConflictInfo, _ queue: MutationQueue, _ cache: SyncCache) {
        guard let server = info.server, let asked = try? queue.asked(mutation), let form = queue.form(of: asked),
            form.kind != .create
        else { return nil }
        (self.form, self.queue, plan) = (form, queue, cache.plan(asked.question))
        decision = ConflictDecision(
            base: mutation.base ?? info.base,
            server: server,
            client: form.changes(cache.keyFields(of: form.type)),
            isDeletion: form.kind == .delete
        )
        let field = form.versionField ?? MutationForm.versionFields.first { server[$0] != nil }
        version = field.flatMap { field in server[field].map { (field, $0) } }
    }

    var conflict: SyncConflict {
        SyncConflict(
            base: decision.base,
            server: decision.server,
            client: .object(decision.client),
            fields: decision.fields
        )
    }

    /// The variables without the fields left to the server, based on the server's version.
    func variables(_ mutation: QueuedMutation, _ dropped: [(key: String, value: JSONValue)]) -> JSONValue? {
        let setting = version.map { [(key: $0.field, value: $0.value)] } ?? []
        return form.variables(mutation.variableMembers, setting: setting, without: dropped).map(JSONValue.object)
    }

    /// The fields of a conflict whose server values the mutation overwrites.
    func overwritten(of fields: [String]) -> [String] {
        fields.filter { name in
            decision.client.contains { $0.key == name && decision.server[name]?.isSame(as: $0.value) != true }
        }
    }

    /// Other variables, with the server's version.
    func versioned(_ mutation: QueuedMutation) -> JSONValue? {
        guard let version, let asked = try? queue.asked(mutation), let form = queue.form(of: asked) else { return nil }
        let setting = [(key: version.field, value: version.value)]
        return form.variables(mutation.variableMembers, setting: setting).map(JSONValue.object)
    }

    /// The layer without the fields left to the server.
    func layer(_ mutation: QueuedMutation, without dropped: [(key: String, value: JSONValue)]) -> OptimisticLayer? {
        guard let target = mutation.target, let layer = mutation.layer.flatMap(OptimisticLayer.init(json:)) else {
            return nil
        }
        let changes = layer.changes.map { change -> LayerChange in
            guard case .fields(let key, var record) = change, key.text == target else { return change }
            for (name, _) in dropped { record.fields[name] = nil }
            return .fields(key, record)
        }
        return OptimisticLayer(layer.id, changes)
    }

    /// The data of an answer with the server's values.
    func data(_ server: JSONValue) -> JSONValue {
        var object: [(key: String, value: JSONValue)] = [("__typename", .string(form.type))]
        let selected = plan.fields(of: plan.root, type: plan.rootType).fields.first { $0.response == form.member }?
            .object
        for field in selected.map({ plan.fields(of: $0, type: form.type).fields }) ?? [] where field.key == field.name {
            if let value = server[field.name], field.object == nil { object.put(value, under: field.response) }
        }
        return .object([(form.member, .object(object))])
    }
}

extension SyncFailure {
    static func unknownMutation(_ id: String) -> Self {
        Self(
            .unknownMutation,
            "unknown mutation \(id.shown(upTo: 64).quoted)",
            help: "run 'corewire sync queue' to list the queued mutations"
        )
    }
}
