import WireBackends
import WireConfig

/// An object of a model, with what is needed to judge changes made from an older version of it.
struct ModelObject: Sendable {
    let type: String
    let id: String
    /// The values by field, the key among them, in the order of the schema.
    var values: JSONValue
    var version = 1
    /// When it was made and last changed; no two changes of a store have the same moment.
    let created: Int64
    var updated: Int64
    var isDeleted = false
    /// What the file says of it, in a few letters; nil for one that the file does not bring.
    var seed: String?
    /// Former versions, the newest last.
    private(set) var history: [(version: Int, values: JSONValue)] = []
    /// The requests that have changed it last, so that one that comes again is not carried out again.
    private(set) var requests: [String] = []

    private static let historyLimit = 20
    private static let requestLimit = 20

    init(type: String, id: String, values: JSONValue, created: Int64) {
        (self.type, self.id, self.values) = (type, id, values)
        (self.created, updated) = (created, created)
    }

    /// The next version.
    mutating func change(to values: JSONValue, isDeleted: Bool = false, at moment: Int64) {
        history.append((version, self.values))
        history.removeFirst(max(0, history.count - Self.historyLimit))
        (self.values, self.isDeleted) = (values, isDeleted)
        (version, updated) = (version + 1, moment)
    }

    mutating func note(_ request: String?) {
        guard let request else { return }
        requests.append(request)
        requests.removeFirst(max(0, requests.count - Self.requestLimit))
    }

    /// The values of a version; nil where it is not remembered.
    func values(of version: Int) -> JSONValue? {
        version == self.version ? values : history.last { $0.version == version }?.values
    }

    /// A member of ``json``, without making the others.
    subscript(name: String) -> JSONValue {
        switch name {
        case "__typename": .string(type)
        case "_version": .integer(version)
        case "_lastUpdatedAt": .integer(Int(updated))
        case "_deleted": .boolean(isDeleted)
        default: values[name] ?? .null
        }
    }

    /// What resolvers and filters see of it.
    var json: JSONValue {
        .object(
            [("__typename", .string(type))] + (values.members ?? []) + [
                ("_version", .integer(version)), ("_lastUpdatedAt", .integer(Int(updated))),
                ("_deleted", .boolean(isDeleted)),
            ]
        )
    }

    // MARK: Keeping

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
