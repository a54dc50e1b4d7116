import WireBackends
import WireConfig
import WireGraphQL

/// All objects of a store, as a value.
struct ModelData: Sendable {
    private(set) var objects: [String: [String: ModelObject]] = [:]
    /// The ids of a type in the order in which the objects were made.
    private(set) var order: [String: [String]] = [:]
    /// The ids of the objects that keep an id under a key, by `Type.key` and that id.
    private var links: [String: [String: [String]]] = [:]
    /// The objects that requests have changed, by the request.
    private var requests: [String: (type: String, id: String)] = [:]
    private let keys: [String: [String]]
    /// The keys under which objects keep the id of one that must exist, by the type of that.
    private let needs: [String: [(type: String, key: String)]]

    /// Takes the models, whose relations are looked up often.
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

    /// The objects of a type that are not deleted, the oldest first.
    func present(of type: String) -> [ModelObject] {
        let known = objects[type] ?? [:]
        return (order[type] ?? []).compactMap { known[$0] }.filter { !$0.isDeleted }
    }

    func all(of type: String) -> [ModelObject] {
        let known = objects[type] ?? [:]
        return (order[type] ?? []).compactMap { known[$0] }
    }

    /// The objects of a type that keep an id under a key, the oldest first.
    func linked(to id: String, of type: String, by key: String) -> [ModelObject] {
        (links["\(type).\(key)"]?[id] ?? []).compactMap { find($0, of: type) }
            .filter { !$0.isDeleted }.sorted { $0.created < $1.created }
    }

    /// How many objects of a type there are, deleted ones among them.
    func count(of type: String) -> Int { order[type]?.count ?? 0 }

    /// How many objects ``linked(to:of:by:)`` looks at.
    func linkCount(to id: String, of type: String, by key: String) -> Int { links["\(type).\(key)"]?[id]?.count ?? 0 }

    /// The objects that cannot be told without an object, since their field for it is never null.
    func objects(needing object: ModelObject) -> [ModelObject] {
        (needs[object.type] ?? []).flatMap { linked(to: object.id, of: $0.type, by: $0.key) }
    }

    /// The object that a request has changed.
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
