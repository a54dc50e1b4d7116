import WireBackends
import WireConfig

/// An object of a model, with the history needed to detect conflicting changes.
struct ModelObject: Sendable {
    let type: String
    let id: String
    /// The values by field, including the key, in the order of the schema.
    var values: JSONValue
    var version = 1
    /// The times of creation and last change, unique within a store.
    let created: Int64
    var updated: Int64
    var isDeleted = false
    /// A digest of the object's entry in the data file; nil for an object that is not in the file.
    var seed: String?
    /// Earlier versions, the newest last.
    private(set) var history: [(version: Int, values: JSONValue)] = []
    /// The latest requests that have changed the object, so that a repeated request is not executed again.
    private(set) var requests: [String] = []

    private static let historyLimit = 20
    private static let requestLimit = 20

    init(type: String, id: String, values: JSONValue, created: Int64) {
        (self.type, self.id, self.values) = (type, id, values)
        (self.created, updated) = (created, created)
    }

    /// Replaces the values and increments the version.
    mutating func change(to values: JSONValue, isDeleted: Bool = false, at moment: Int64) {
        history.append((version, self.values))
        history.removeFirst(max(0, history.count - Self.historyLimit))
        (self.values, self.isDeleted) = (values, isDeleted)
        (version, updated) = (version + 1, moment)
    }

    mutating func record(_ request: String?) {
        guard let request else { return }
        requests.append(request)
        requests.removeFirst(max(0, requests.count - Self.requestLimit))
    }

    /// Returns the values of a version; nil where they are no longer stored.
    func values(of version: Int) -> JSONValue? {
        version == self.version ? values : history.last { $0.version == version }?.values
    }

    /// A member of ``json``, without building the others.
    subscript(name: String) -> JSONValue {
        switch name {
        case "__typename": .string(type)
        case "_version": .integer(version)
        case "_lastUpdatedAt": .integer(Int(updated))
        case "_deleted": .boolean(isDeleted)
        default: values[name] ?? .null
        }
    }

    /// The form that resolvers and filters read.
    var json: JSONValue {
        .object(
            [("__typename", .string(type))] + (values.members ?? []) + [
                ("_version", .integer(version)), ("_lastUpdatedAt", .integer(Int(updated))),
                ("_deleted", .boolean(isDeleted)),
            ]
        )
    }

    // MARK: Storage

    var kept: JSONValue {
        .members([
            "type": .string(type), "id": .string(id), "values": values, "version": .integer(version),
            "created": .integer(Int(created)), "updated": .integer(Int(updated)),
            "deleted": isDeleted ? .boolean(true) : nil, "seed": seed.map(JSONValue.string),
            "history": history.isEmpty
                ? nil
                : .array(history.map { .members(["version": .integer($0.version), "values": $0.values]) }),
            "requests": requests.isEmpty ? nil : .array(requests.map(JSONValue.string)),
        ])
    }

    init?(kept: JSONValue) {
        guard let type = kept["type"]?.string, let id = kept["id"]?.string, let values = kept["values"],
            let created = kept["created"]?.integer, let updated = kept["updated"]?.integer
        else { return nil }
        self.init(type: type, id: id, values: values, created: Int64(created))
        self.updated = Int64(updated)
        version = kept["version"]?.integer ?? 1
        isDeleted = kept["deleted"]?.boolean ?? false
        seed = kept["seed"]?.string
        history = (kept["history"]?.array ?? []).compactMap { entry in
            guard let version = entry["version"]?.integer, let values = entry["values"] else { return nil }
            return (version, values)
        }
        requests = kept["requests"]?.array?.compactMap(\.string) ?? []
    }
}

/// A change of an object, for subscriptions.
struct ModelEvent: Sendable {
    let kind: ModelChange
    let object: ModelObject
}
