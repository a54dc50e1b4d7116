import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireStore

/// The content of an environment: read once, kept in memory, and stored before a change is confirmed.
actor EnvironmentContent {
    private let records: HaloRecords
    private let machine: SystemServices
    private(set) var modules: [String: HaloModule] = [:]
    private(set) var instances: [String: HaloInstance] = [:]
    /// The time of the last change or read of changes; each is unique.
    private var lastMoment: Int64 = 0
    /// The time of the change that is being stored; no reader sees that change yet.
    private var underWay: Int64?
    private let line = AsyncMutex()

    init(_ records: HaloRecords, _ machine: SystemServices) {
        self.records = records
        self.machine = machine
    }

    var now: Int64 { machine.now }

    /// Returns the module with an identifier, or else with a name.
    func module(_ text: String) -> HaloModule? {
        modules[text] ?? modules.values.first { $0.name == text }
    }

    // MARK: Loading

    /// Applies the seed files; content that came from files follows them, other content stays.
    func update(_ seeds: ContentSeeds) async throws {
        try await line.alone {
            if lastMoment == 0 { try await load() }
            try await takeModules(of: seeds)
            for seed in seeds.instances {
                let known = instances[seed.id]
                // An instance deleted with its file reappears with it; one that an author has deleted does not.
                if let known, known.seed == seed.digest, known.deletedBy != Self.files { continue }
                let moment = moment()
                var instance =
                    known
                    ?? HaloInstance(
                        id: seed.id,
                        module: seed.module,
                        name: seed.name,
                        created: seed.created ?? moment,
                        by: Self.files
                    )
                seed.apply(to: &instance)
                if known != nil { (instance.updated, instance.updatedBy) = (moment, Self.files) }
                instance.published = instance.published ?? now
                (instance.deleted, instance.deletedBy, instance.seed) = (nil, nil, seed.digest)
                try await keep(instance)
            }
            let named = Set(seeds.instances.map(\.id))
            for instance in instances.values.sorted(by: { $0.id < $1.id })
            where instance.deleted == nil
                && (modules[instance.module] == nil || instance.seed != nil && !named.contains(instance.id))
            {
                try await remove(instance, by: Self.files)
            }
        }
    }

    /// The author of content from files, and of its removal.
    private static let files = "corewire"

    private func load() async throws(StoreFailure) {
        for json in try await records.all(on: .instances) {
            guard let instance = HaloInstance(kept: json) else { continue }
            instances[instance.id] = instance
            let moments = [instance.created, instance.updated ?? 0, instance.deleted ?? 0]
            lastMoment = max(lastMoment, moments.max() ?? 0)
        }
        for json in try await records.all(on: .modules) {
            guard let id = json["id"]?.string, let name = json["name"]?.string else { continue }
            var module = HaloModule(id: id, name: name)
            (module.created, module.updated) = (json["createdAt"]?.moment ?? 0, json["updatedAt"]?.moment)
            module.seed = json["seed"]?.string ?? ""
            modules[id] = module
            lastMoment = max(lastMoment, module.created, module.updated ?? 0)
        }
        lastMoment = min(max(lastMoment, 1), HaloModule.lastMoment)
    }

    private func takeModules(of seeds: ContentSeeds) async throws {
        let former = modules
        for seed in seeds.modules {
            var module = seed
            let known = former[seed.id]
            (module.created, module.updated) = (known?.created ?? moment(), known?.updated)
            if let known, known.seed != seed.seed { module.updated = moment() }
            modules[module.id] = module
            guard known?.seed != seed.seed else { continue }
            let json = JSONValue.members([
                "id": .string(module.id), "name": .string(module.name), "createdAt": .integer(Int(module.created)),
                "updatedAt": .moment(module.updated), "seed": .string(module.seed),
            ])
            try await records.put(json, module.id, on: .modules)
        }
        let named = Set(seeds.modules.map(\.id))
        for id in former.keys where !named.contains(id) {
            modules[id] = nil
            try await records.remove(id, on: .modules)
        }
    }

    // MARK: Changing

    /// Returns a time later than that of all earlier changes.
    private func moment() -> Int64 {
        lastMoment = max(machine.now, lastMoment + 1)
        return lastMoment
    }

    /// Returns a time at or after all earlier changes and before all later ones.
    func lookingMoment() -> Int64 {
        if let underWay { return underWay - 1 }
        lastMoment = max(machine.now, lastMoment)
        return lastMoment
    }

    private func keep(_ instance: HaloInstance) async throws {
        underWay = lastMoment
        defer { underWay = nil }
        do throws(StoreFailure) {
            try await records.put(instance.kept, instance.id, on: .instances)
        } catch {
            throw error.kind == .full ? HaloError.full : error
        }
        instances[instance.id] = instance
    }

    private func remove(_ instance: HaloInstance, by author: String) async throws {
        var instance = instance
        (instance.deleted, instance.deletedBy) = (moment(), author)
        // Only the deletion remains stored.
        (instance.values, instance.tags) = (.object([]), [])
        try await keep(instance)
    }

    func create(_ draft: InstanceDraft, by author: String) async throws -> HaloInstance {
        try await line.alone { try await createAlone(draft, by: author) }
    }

    private func createAlone(_ draft: InstanceDraft, by author: String) async throws -> HaloInstance {
        guard let name = draft.name else { throw HaloError.invalid("name", "required") }
        guard let id = draft.module else { throw HaloError.invalid("module", "required") }
        guard let module = module(id) else { throw HaloError.invalid("module", "unknown module") }
        if let id = draft.id, let known = instances[id], known.deleted == nil {
            throw HaloError(.conflict, "The instance exists already", extra: [("instance", known.json())])
        }
        if module.isSingle, instances.values.contains(where: { $0.module == module.id && $0.deleted == nil }) {
            throw HaloError(.conflict, "The module has one instance only")
        }
        try check(draft, module)
        var instance = HaloInstance(
            id: try draft.id ?? Self.newID(machine),
            module: module.id,
            name: name,
            created: moment(),
            by: author
        )
        draft.apply(to: &instance)
        try await keep(instance)
        return instance
    }

    func update(_ id: String, _ draft: InstanceDraft, by author: String) async throws -> HaloInstance {
        try await line.alone { try await updateAlone(id, draft, by: author) }
    }

    private func updateAlone(_ id: String, _ draft: InstanceDraft, by author: String) async throws -> HaloInstance {
        guard var instance = instances[id], instance.deleted == nil else { throw HaloError.missing("Instance", id) }
        if let seen = draft.seen, seen != instance.updated {
            throw HaloError(
                .conflict,
                "The instance has been changed by another user",
                extra: [("instance", instance.json())]
            )
        }
        if let module = draft.module, module != instance.module {
            throw HaloError.invalid("module", "an instance stays in its module")
        }
        if let module = modules[instance.module] { try check(draft, module) }
        draft.apply(to: &instance)
        (instance.updated, instance.updatedBy) = (moment(), author)
        try await keep(instance)
        return instance
    }

    func delete(_ id: String, by author: String) async throws -> HaloInstance {
        try await line.alone { try await deleteAlone(id, by: author) }
    }

    private func deleteAlone(_ id: String, by author: String) async throws -> HaloInstance {
        guard let instance = instances[id], instance.deleted == nil else { throw HaloError.missing("Instance", id) }
        try await remove(instance, by: author)
        return instances[id] ?? instance
    }

    /// Performs one operation of a batch; the operations of a batch are executed without others in between.
    func perform(_ operations: [BatchOperation], by author: String) async throws -> [BatchOutcome] {
        try await line.alone {
            var outcomes: [BatchOutcome] = []
            for operation in operations {
                do {
                    let data: JSONValue
                    switch operation.work {
                    case .create(let draft): data = try await createAlone(draft, by: author).json()
                    case .update(let draft):
                        guard let id = draft.id else { throw HaloError.invalid("id", "required") }
                        data = try await updateAlone(id, draft, by: author).json()
                    case .createOrUpdate(let draft):
                        let isKnown = draft.id.flatMap { instances[$0] }.map { $0.deleted == nil } ?? false
                        data =
                            isKnown
                            ? try await updateAlone(draft.id ?? "", draft, by: author).json()
                            : try await createAlone(draft, by: author).json()
                    case .delete(let id): data = try await deleteAlone(id, by: author).json()
                    case .truncate(let id): data = try await truncate(id, by: author)
                    case .flawed(let error): throw error
                    }
                    outcomes.append(BatchOutcome(operation, data))
                } catch let error as HaloError {
                    outcomes.append(BatchOutcome(operation, error))
                }
            }
            return outcomes
        }
    }

    /// Deletes all instances of a module.
    private func truncate(_ id: String, by author: String) async throws -> JSONValue {
        guard let module = module(id) else { throw HaloError.missing("Module", id) }
        let all = instances.values.filter { $0.module == module.id && $0.deleted == nil }.sorted { $0.id < $1.id }
        for instance in all { try await remove(instance, by: author) }
        return .members(["module": .string(module.id), "deleted": .integer(all.count)])
    }

    private func check(_ draft: InstanceDraft, _ module: HaloModule) throws {
        if let id = draft.id, !HaloModule.isID(id) {
            throw HaloError.invalid("id", "expected 1 to 64 letters and digits")
        }
        let flaws = draft.values.map { module.flaws(of: $0) } ?? []
        guard flaws.isEmpty else { throw HaloError.invalid(flaws) }
    }

    // MARK: Identifiers

    /// Returns twenty-four hexadecimal digits, the form of the real server.
    static func newID(_ machine: SystemServices) throws -> String {
        try machine.secrecy.random(12).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }
}
