import WireBackends
import WireConfig
import WireHTTP

/// An entry of content.
struct HaloInstance: Sendable {
    let id: String
    /// The identifier of its module.
    let module: String
    var name: String
    var values: JSONValue = .object([])
    var tags: [HaloTag] = []
    var externalID = JSONValue.null
    /// The times at which the instance becomes visible and is hidden, in milliseconds since 1970.
    var published: Int64?
    var removed: Int64?
    var archived: Int64?
    var created: Int64
    var updated: Int64?
    var deleted: Int64?
    var createdBy: String
    var updatedBy: String?
    var deletedBy: String?
    /// A digest of the instance's seed; nil for one that no file declares.
    var seed: String?

    init(id: String, module: String, name: String, created: Int64, by author: String) {
        (self.id, self.module, self.name) = (id, module, name)
        (self.created, createdBy) = (created, author)
    }

    /// Whether readers of content see the instance.
    func isVisible(at now: Int64) -> Bool {
        deleted == nil && (published ?? 0) <= now && (removed ?? .max) > now && (archived ?? .max) > now
    }

    /// The time of the state that readers see now: that of an edit, or of its publication.
    func changed(by now: Int64) -> Int64 {
        ([created] + [updated, deleted, published, removed, archived].compactMap { $0 }.filter { $0 <= now }).max()
            ?? created
    }

    /// The time at which readers first saw the instance.
    var appeared: Int64 { max(created, published ?? 0) }

    // MARK: API

    func json(values: JSONValue? = nil) -> JSONValue {
        .members([
            "name": .string(name), "module": .string(module), "tags": .array(tags.map(\.json)),
            "archivedAt": .moment(archived), "removedAt": .moment(removed), "publishedAt": .moment(published),
            "createdBy": .string(createdBy), "customerId": .integer(1), "values": values ?? self.values,
            "pushSchedule": .null, "externalId": externalID, "revision": .integer(0),
            "createdAt": .integer(Int(created)), "updatedAt": .moment(updated), "deletedAt": .moment(deleted),
            "updatedBy": .text(updatedBy), "deletedBy": .text(deletedBy), "id": .string(id),
        ])
    }

    // MARK: Storage

    var kept: JSONValue {
        guard let seed, case .object(let members) = json() else { return json() }
        return .object(members + [("seed", .string(seed))])
    }

    init?(kept json: JSONValue) {
        guard let id = json["id"]?.string, let module = json["module"]?.string, let name = json["name"]?.string,
            let created = json["createdAt"]?.moment, let author = json["createdBy"]?.string
        else { return nil }
        self.init(id: id, module: module, name: name, created: created, by: author)
        values = json["values"] ?? .object([])
        tags = (json["tags"]?.array ?? []).compactMap(HaloTag.init)
        externalID = json["externalId"] ?? .null
        (published, removed) = (json["publishedAt"]?.moment, json["removedAt"]?.moment)
        (archived, updated) = (json["archivedAt"]?.moment, json["updatedAt"]?.moment)
        (deleted, updatedBy) = (json["deletedAt"]?.moment, json["updatedBy"]?.string)
        (deletedBy, seed) = (json["deletedBy"]?.string, json["seed"]?.string)
    }
}

/// The values that a request sets on an instance.
struct InstanceDraft: Sendable {
    var id: String?
    var module: String?
    var name: String?
    var values: JSONValue?
    var tags: [HaloTag]?
    var externalID: JSONValue?
    /// An absent value leaves it unchanged; `null` clears it.
    var published: Int64??
    var removed: Int64??
    var archived: Int64??
    /// The revision that the author had read.
    var seen: Int64?

    static func read(_ members: inout JSONMembers) throws(Problem) -> InstanceDraft {
        var draft = InstanceDraft()
        draft.id = try members.textIfAny("id")
        draft.module = try members.textIfAny("module")
        draft.name = try members.textIfAny("name")
        if let name = draft.name, !(1...512).contains(name.utf8.count) {
            throw members.failure("expected 1 to 512 bytes", "name")
        }
        draft.values = try members.value("values")
        if let values = draft.values, values.members == nil { throw members.failure("expected an object", "values") }
        draft.tags = try HaloTag.read("tags", in: &members)
        draft.externalID = try members.value("externalId")
        draft.published = try moment("publishedAt", &members)
        draft.removed = try moment("removedAt", &members)
        draft.archived = try moment("archivedAt", &members)
        draft.seen = try moment("updatedAt", &members) ?? nil
        // Clients send the members back that only the server writes.
        for own in ["createdAt", "deletedAt", "createdBy", "updatedBy", "deletedBy", "customerId", "revision"] {
            _ = try members.value(own)
        }
        _ = try members.value("pushSchedule")
        return draft
    }

    private static func moment(_ name: String, _ members: inout JSONMembers) throws(Problem) -> Int64?? {
        switch try members.value(name) {
        case nil: return .none
        case .null: return .some(nil)
        case .integer(let moment) where moment >= 0: return .some(Int64(moment))
        default: throw members.failure("expected milliseconds since 1970, or null", name)
        }
    }

    /// Applies the draft to an instance.
    func apply(to instance: inout HaloInstance) {
        if let name { instance.name = name }
        if let values { instance.values = values }
        if let tags { instance.tags = tags }
        if let externalID { instance.externalID = externalID }
        if let published { instance.published = published }
        if let removed { instance.removed = removed }
        if let archived { instance.archived = archived }
    }
}

extension SeededInstance {
    func apply(to instance: inout HaloInstance) {
        (instance.name, instance.values, instance.tags) = (name, values, tags)
        (instance.published, instance.removed, instance.archived) = (published, removed, archived)
    }
}
