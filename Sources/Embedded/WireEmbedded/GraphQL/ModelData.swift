import WireBackends
import WireConfig
import WireGraphQL

/// All objects of a store, in memory.
struct ModelData: Sendable {
    private(set) var objects: [String: [String: ModelObject]] = [:]
    /// The ids of each type in the order of creation.
    private(set) var order: [String: [String]] = [:]
    /// The ids of objects by the object they reference: by `Type.key`, then by the referenced id.
    private var links: [String: [String: [String]]] = [:]
    /// The objects changed by requests, by the request.
    private var requests: [String: (type: String, id: String)] = [:]
    private let keys: [String: [String]]
    /// The keys by which objects reference one that must exist, by its type.
    private let needs: [String: [(type: String, key: String)]]

    /// Creates the data with an index of the relations of the models.
    init(_ models: [String: Model]) {
        keys = models.mapValues { model in
            model.fields.compactMap { if case .one(_, let key) = $0.kind { key } else { nil } }
        }
        needs = models.values.reduce(into: [:]) { needs, model in
            for field in model.fields where field.type.isNonNull {
                if case .one(let other, let key) = field.kind { needs[other, default: []].append((model.name, key)) }
            }
        }
    }

    func find(_ id: String, of type: String) -> ModelObject? { objects[type]?[id] }

    /// Returns the objects of a type that are not deleted, the oldest first.
    func present(of type: String) -> [ModelObject] {
        let known = objects[type] ?? [:]
        return (order[type] ?? []).compactMap { known[$0] }.filter { !$0.isDeleted }
    }

    func all(of type: String) -> [ModelObject] {
        let known = objects[type] ?? [:]
        return (order[type] ?? []).compactMap { known[$0] }
    }

    /// Returns the objects of a type that reference an id by a key, the oldest first.
    func linked(to id: String, of type: String, by key: String) -> [ModelObject] {
        (links["\(type).\(key)"]?[id] ?? []).compactMap { find($0, of: type) }
            .filter { !$0.isDeleted }.sorted { $0.created < $1.created }
    }

    /// Returns the number of objects of a type, including deleted ones.
    func count(of type: String) -> Int { order[type]?.count ?? 0 }

    /// Returns the number of objects that ``linked(to:of:by:)`` examines.
    func linkCount(to id: String, of type: String, by key: String) -> Int { links["\(type).\(key)"]?[id]?.count ?? 0 }

    /// Returns the objects with a non-null field that references an object.
    func objects(needing object: ModelObject) -> [ModelObject] {
        (needs[object.type] ?? []).flatMap { linked(to: object.id, of: $0.type, by: $0.key) }
    }

    /// Returns the object that a request has changed.
    func object(changedBy request: String) -> ModelObject? {
        requests[request].flatMap { find($0.id, of: $0.type) }
    }

    mutating func put(_ object: ModelObject) {
        let former = objects[object.type]?.updateValue(object, forKey: object.id)
        if objects[object.type] == nil { objects[object.type] = [object.id: object] }
        if former == nil { order[object.type, default: []].append(object.id) }
        for request in former?.requests ?? [] { requests[request] = nil }
        for request in object.requests { requests[request] = (object.type, object.id) }
        for key in keys[object.type] ?? [] {
            let (old, new) = (former?.values[key]?.string, object.values[key]?.string)
            guard old != new else { continue }
            if let old { links["\(object.type).\(key)"]?[old]?.removeAll { $0 == object.id } }
            if let new { links["\(object.type).\(key)", default: [:]][new, default: []].append(object.id) }
        }
    }

    mutating func remove(_ object: ModelObject) {
        objects[object.type]?[object.id] = nil
        order[object.type]?.removeAll { $0 == object.id }
        for request in object.requests { requests[request] = nil }
        for key in keys[object.type] ?? [] {
            guard let id = object.values[key]?.string else { continue }
            links["\(object.type).\(key)"]?[id]?.removeAll { $0 == object.id }
        }
    }
}
