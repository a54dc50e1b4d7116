import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// The queries on content.
extension EnvironmentContent {
    // MARK: Modules

    /// Lists the modules, the latest change first.
    func list(_ request: Request) throws -> Response {
        let withFields = try request.queryFlag("withFields")
        let all = modules.values.sorted { left, right in
            let (first, second) = (left.updated ?? left.created, right.updated ?? right.created)
            return first != second ? first > second : left.id < right.id
        }
        let (items, pagination) = try HaloPaging.read(request).cut(all)
        let json = JSONValue.array(items.map { $0.json(withFields: withFields) })
        guard let pagination else { return .json(json) }
        return .json(
            .members([
                "search": .members(["facets": .object([])]),
                "sort": .members(["query": .string("updatedAt desc")]), "pagination": pagination, "items": json,
            ])
        )
    }

    func describe(_ id: String, _ request: Request) throws -> Response {
        let withFields = try request.queryFlag("withFields")
        guard let module = module(id) else { throw HaloError.missing("Module", id) }
        return .json(module.json(withFields: withFields))
    }

    // MARK: Instances

    func show(_ id: String, _ request: Request) throws -> Response {
        let locale = try request.queryText("locale")
        guard let instance = instances[id], instance.isVisible(at: now) else {
            throw HaloError.missing("Instance", id)
        }
        return .json(json(of: instance, locale: locale))
    }

    private func json(of instance: HaloInstance, locale: String?) -> JSONValue {
        guard let module = modules[instance.module] else { return instance.json() }
        return instance.json(values: instance.values.localized(to: locale, by: module))
    }

    func search(_ request: Request) throws -> Response {
        let search = try request.json(HaloSearch.read)
        let now = now
        let found = instances.values.filter { instance in
            guard instance.isVisible(at: now), let module = modules[instance.module] else { return false }
            return search.finds(instance, of: module)
        }
        let (items, pagination) = search.paging.cut(HaloSort.sort(found, by: search.sort))
        var allowance = CopyAllowance()
        let json = JSONValue.array(items.map { self.json(of: $0, search, &allowance) })
        guard let pagination else { return .json(json) }
        return .json(.members(["pagination": pagination, "items": json]))
    }

    /// The JSON of an instance for a search: one locale, selected fields, references resolved.
    private func json(of instance: HaloInstance, _ search: HaloSearch, _ allowance: inout CopyAllowance) -> JSONValue {
        guard let module = modules[instance.module],
            case .object(var members) = instance.values.localized(to: search.locale, by: module)
        else { return instance.json() }
        if let fields = search.fields { members.removeAll { !fields.contains($0.key) } }
        let isIncluded: (String) -> Bool = { search.include.contains("all") || search.include.contains($0) }
        for index in members.indices {
            let name = members[index].key
            guard module.field(name)?.type == .relation, isIncluded(name) else { continue }
            members[index].value = populated(members[index].value, search.locale, &allowance)
        }
        return instance.json(values: .object(members))
    }

    /// Replaces identifiers with the instances; those that are not visible are left out.
    private func populated(_ value: JSONValue, _ locale: String?, _ allowance: inout CopyAllowance) -> JSONValue {
        switch value {
        case .string(let id): return found(id, locale, &allowance) ?? .null
        case .array(let items):
            return .array(items.compactMap(\.string).compactMap { found($0, locale, &allowance) })
        default: return value
        }
    }

    private func found(_ id: String, _ locale: String?, _ allowance: inout CopyAllowance) -> JSONValue? {
        guard let instance = instances[id], instance.isVisible(at: now) else { return nil }
        let json = json(of: instance, locale: locale)
        // Beyond the limit identifiers remain.
        return allowance.takes(id, size: { json.bytes().count }) ? json : .string(id)
    }

    // MARK: Changes

    /// Returns the changes of a module since a time, and the time for the next request.
    func sync(_ request: Request) throws -> Response {
        let query = try request.json(SyncQuery.init)
        guard let module = module(query.module) else { throw HaloError.missing("Module", query.module) }
        let now = lookingMoment()
        let (from, end) = (query.from ?? -1, min(query.to ?? now, now))
        var (created, updated, deleted) = ([HaloInstance](), [HaloInstance](), [HaloInstance]())
        for instance in instances.values where instance.module == module.id {
            let changed = instance.changed(by: end)
            guard changed > from, changed <= end else { continue }
            if instance.isVisible(at: end) {
                if instance.appeared > from { created.append(instance) } else { updated.append(instance) }
            } else if from >= 0, instance.appeared <= from {
                deleted.append(instance)
            }
        }
        func told(_ list: [HaloInstance]) -> JSONValue {
            .array(list.sorted { $0.id < $1.id }.map { json(of: $0, locale: query.locale) })
        }
        return .json(
            .members([
                "syncTimestamp": .integer(Int(end)), "created": told(created), "updated": told(updated),
                "deleted": .array(deleted.sorted { $0.id < $1.id }.map { .members(["id": .string($0.id)]) }),
            ])
        )
    }
}

/// The query for changes.
private struct SyncQuery {
    let module: String
    let locale: String?
    let from: Int64?
    let to: Int64?

    init(_ members: inout JSONMembers) throws(Problem) {
        let id = try members.textIfAny("moduleId")
        let name = try members.textIfAny("moduleName")
        guard let module = id ?? name else { throw members.failure("expected 'moduleId' or 'moduleName'", "moduleId") }
        self.module = module
        locale = try members.textIfAny("locale")
        from = try members.integerIfAny("fromSync", in: 0...Int.max).map(Int64.init)
        to = try members.integerIfAny("toSync", in: 0...Int.max).map(Int64.init)
    }
}
