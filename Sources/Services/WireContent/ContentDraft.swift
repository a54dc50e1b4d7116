import WireBase
package import WireConfig
package import WireHTTP

/// An instance as somebody wants it to be at the server: what is not said stays unsaid.
package struct ContentDraft: Sendable {
    /// By its name in the file, or its name or identifier at the server.
    package var module: String?
    package var id: String?
    package var name: String?
    package var values: JSONValue?
    package var tags: [ContentTag]?
    /// Whatever else such instances have, by the server's names.
    package var others: [(key: String, value: JSONValue)] = []

    package init(module: String? = nil, id: String? = nil, name: String? = nil, values: JSONValue? = nil) {
        (self.module, self.id, self.name, self.values) = (module, id, name, values)
    }

    /// The members that are passed on as they are, besides those that have a form of their own.
    package static let others = [
        "publishedAt", "removedAt", "archivedAt", "deletedAt", "createdAt", "updatedAt", "createdBy", "updatedBy",
        "deletedBy", "customerId", "externalId", "revision", "pushSchedule",
    ]

    package init(_ members: inout JSONMembers) throws(Problem) {
        module = try members.textIfAny("module")
        id = try members.textIfAny("id")
        name = try members.textIfAny("name")
        if let values = try members.value("values") {
            guard case .object = values else { throw members.failure("'values': expected an object", "values") }
            self.values = values
        }
        tags = try members.objects("tags") { tag throws(Problem) in
            ContentTag(try tag.text("name"), try tag.textIfAny("value"), type: try tag.textIfAny("tagType"))
        }
        for name in Self.others {
            if let value = try members.value(name) { others.append((name, value)) }
        }
        for (name, text) in [("module", module), ("id", id)] {
            guard let text else { continue }
            guard !text.isEmpty, text.utf8.count <= ContentItem.identifierSize else {
                throw members.failure("expected 1 to \(ContentItem.identifierSize) bytes", name)
            }
        }
    }

    /// As the server has it.
    func json(moduleID: String?) -> JSONValue {
        let members: [(key: String, value: JSONValue?)] = [
            ("id", id.map(JSONValue.string)), ("name", name.map(JSONValue.string)),
            ("module", moduleID.map(JSONValue.string)), ("values", values),
            ("tags", tags.map { .array($0.map(\.json)) }),
        ]
        return .object(members.compactMap { member in member.value.map { (member.key, $0) } } + others)
    }
}

/// Changes that are sent together, and done each for itself.
package struct ContentBatch: Sendable {
    package var created: [ContentDraft] = []
    package var updated: [ContentDraft] = []
    package var createdOrUpdated: [ContentDraft] = []
    /// Identifiers of instances.
    package var deleted: [String] = []
    /// Modules of which all instances go.
    package var truncated: [String] = []

    package init() {}

    /// How many changes there may be in one.
    package static let limit = 1_000

    package var count: Int {
        created.count + updated.count + createdOrUpdated.count + deleted.count + truncated.count
    }

    package init(_ members: inout JSONMembers) throws(Problem) {
        created = try Self.drafts("created", needsID: false, needsModule: true, &members)
        updated = try Self.drafts("updated", needsID: true, needsModule: false, &members)
        createdOrUpdated = try Self.drafts("createdOrUpdated", needsID: false, needsModule: true, &members)
        deleted = try members.objects("deleted") { item throws(Problem) in try item.text("id") } ?? []
        truncated = try members.objects("truncated") { item throws(Problem) in try item.text("module") } ?? []
        guard (1...Self.limit).contains(count) else {
            throw members.failure("found \(count) changes, expected 1 to \(Self.limit)", "created")
        }
    }

    private static func drafts(_ name: String, needsID: Bool, needsModule: Bool, _ members: inout JSONMembers)
        throws(Problem) -> [ContentDraft]
    {
        try members.objects(name) { item throws(Problem) in
            let draft = try ContentDraft(&item)
            if needsID, draft.id == nil { throw item.failure("'id' is missing", "id") }
            if needsModule, draft.module == nil { throw item.failure("'module' is missing", "module") }
            return draft
        } ?? []
    }
}
