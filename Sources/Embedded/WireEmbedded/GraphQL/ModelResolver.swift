import WireBackends
import WireBase
import WireConfig
import WireGraphQL

/// Resolves the fields of a schema with models, for one request.
struct ModelResolver: FieldResolver {
    let schema: ModelSchema
    let store: ModelStore
    /// The idempotency key of the request.
    let key: String?

    func value(of call: FieldCall) async throws -> JSONValue? {
        if let root = schema.roots["\(call.type).\(call.field)"] { return try await value(of: root, call) }
        guard let model = schema.models[call.type] ?? deltaModel(call.type),
            let field = model.fields.first(where: { $0.name == call.field })
        else { return nil }
        switch field.kind {
        case .value: return nil
        case .one(let other, let key):
            guard let id = call.parent[key]?.string, let object = store.data.find(id, of: other), !object.isDeleted
            else { return .null }
            return object.json
        case .many(let other, let key):
            let filter = try ModelFilter(call.arguments["filter"], call.work)
            let id = call.parent[model.key]?.string ?? ""
            let data = store.data
            try call.work.spend(data.linkCount(to: id, of: other, by: key))
            let objects = try filtered(data.linked(to: id, of: other, by: key), by: filter, call.work)
            return .array(objects.map(\.json))
        }
    }

    func events(of call: FieldCall) async throws -> AsyncThrowingStream<JSONValue, any Error> {
        guard case .events(let kind, let type)? = schema.roots["\(call.type).\(call.field)"] else {
            throw ResolverError("the field '\(call.field)' has no events")
        }
        return store.events(kind, of: type, try ModelFilter(call.arguments["filter"], call.work))
    }

    private func deltaModel(_ type: String) -> Model? {
        type.hasSuffix("Delta") ? schema.models[String(type.dropLast("Delta".count))] : nil
    }

    private func value(of root: RootField, _ call: FieldCall) async throws -> JSONValue? {
        let input = call.arguments["input"] ?? .null
        switch root {
        case .find(let type): return try find(type, call)
        case .get(let type):
            let id = schema.models[type].flatMap { call.arguments[$0.key]?.string } ?? ""
            guard let object = store.data.find(id, of: type), !object.isDeleted else { return .null }
            return object.json
        case .sync(let type): return try sync(type, call)
        case .create(let type): return try await store.create(model(type), input, request: request(call)).json
        case .update(let type): return try await store.update(model(type), input, request: request(call)).json
        case .delete(let type): return try await store.delete(model(type), input, request: request(call)).json
        // The event that triggered the subscription.
        case .events: return nil
        }
    }

    private func model(_ type: String) throws -> Model {
        guard let model = schema.models[type] else { throw ResolverError("unknown model '\(type)'") }
        return model
    }

    /// Identifies a field of a repeated request.
    private func request(_ call: FieldCall) -> String? { key.map { "\($0)/\(call.responseName)" } }

    // MARK: Lists

    /// The largest page; a request without a page gets the first page of this size.
    private static let pageLimit = ExecutionLimits().items

    private func filtered(_ objects: [ModelObject], by filter: ModelFilter?, _ work: ResolverWork) throws
        -> [ModelObject]
    {
        guard let filter else { return objects }
        return try objects.filter { try filter.fits($0, work) }
    }

    private func find(_ type: String, _ call: FieldCall) throws -> JSONValue {
        let (arguments, data) = (call.arguments, store.data)
        let filter = try ModelFilter(arguments["filter"], call.work)
        try call.work.spend(data.count(of: type))
        var objects = try filtered(data.present(of: type), by: filter, call.work)
        let count = objects.count
        if let order = arguments["orderBy"], order.members != nil {
            // The number of comparisons that sorting needs.
            try call.work.spend(count * (Int.bitWidth - count.leadingZeroBitCount))
            try sort(&objects, by: order, model(type))
        }
        let page = arguments["page"]
        let offset = page?["offset"]?.integer ?? 0
        var limit = page?["limit"]?.integer
        guard offset >= 0, limit ?? 0 >= 0 else { throw ResolverError.input("'page': expected no negative numbers") }
        if min(limit ?? .max, count - offset) > Self.pageLimit { limit = Self.pageLimit }
        let items = objects.dropFirst(offset).prefix(limit ?? .max)
        return .members([
            "items": .array(items.map(\.json)), "offset": .integer(offset), "limit": limit.map(JSONValue.integer),
            "count": .integer(count),
        ])
    }

    private func sort(_ objects: inout [ModelObject], by order: JSONValue, _ model: Model) throws {
        let name = order["field"]?.string ?? ""
        let known = model.stored.map(\.name) + (model.sync == nil ? [] : ["_version", "_lastUpdatedAt"])
        guard known.contains(name) else {
            let near = Nearest.name(to: name, among: known).map { ", did you mean '\($0)'?" }
            throw ResolverError.input("'orderBy.field': unknown field '\(name)' of '\(model.name)'" + (near ?? ""))
        }
        let sign = order["order"]?.string == "DESC" ? -1 : 1
        let keyed = objects.map { (object: $0, value: $0[name]) }
        // Equal objects keep their order of creation; objects without a value come first.
        objects = keyed.enumerated().sorted { left, right in
            let order = left.element.value.sortingOrder(beside: right.element.value) * sign
            return order == 0 ? left.offset < right.offset : order < 0
        }.map(\.element.object)
    }

    private func sync(_ type: String, _ call: FieldCall) throws -> JSONValue {
        let arguments = call.arguments
        let since = arguments["lastSync"].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
        guard let since else {
            throw ResolverError.input("'lastSync': expected milliseconds since 1970, such as 0")
        }
        let limit = arguments["limit"]?.integer
        guard limit ?? 1 > 0 else { throw ResolverError.input("'limit': expected a number above 0") }
        let filter = try ModelFilter(arguments["filter"], call.work)
        try call.work.spend(store.data.count(of: type))
        let (changed, until) = store.changes(of: type, since: Int64(since))
        let fitting = try filtered(changed, by: filter, call.work)
        let items = fitting.prefix(min(limit ?? .max, Self.pageLimit))
        // If there are more objects, the next request continues after the last one.
        let last = items.count < fitting.count ? items.last?.updated ?? until : until
        return .members([
            "items": .array(items.map { $0.json.merging([("__typename", .string("\(type)Delta"))]) }),
            "lastSync": .integer(Int(last)), "limit": limit.map(JSONValue.integer),
        ])
    }
}

extension JSONValue {
    /// Compares as ``order(beside:)`` does, with a fixed order for values of different kinds.
    fileprivate func sortingOrder(beside other: JSONValue) -> Int {
        if let order = order(beside: other) { return order }
        return rank < other.rank ? -1 : rank > other.rank ? 1 : 0
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .string: 3
        case .array, .object: 4
        default: 2
        }
    }
}
