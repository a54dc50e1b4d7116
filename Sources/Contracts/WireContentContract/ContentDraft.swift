package import WireConfig
package import WireHTTP
package import WireNetworkContract

/// An instance as it is to be at the server: what is not said stays unsaid.
package struct ContentDraft: JSONRecord {
    /// By its name in the file, or its name or identifier at the server.
    package var module: String?
    package var id, name: String?
    package var values: JSONValue?
    package var tags: [ContentTag]?
    /// The rest of what such instances have, passed on as it is.
    fileprivate var others: [String: JSONValue] = [:]
    package static let form = JSONForm<Self>("ContentDraft", "An instance as it is to be at the server.")
    package static var schema: JSONSchema { .of(form.requestSchema) }

    package init(module: String? = nil, id: String? = nil, name: String? = nil, values: JSONValue? = nil) {
        (self.module, self.id, self.name, self.values) = (module, id, name, values)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { self = try members.contentDraft { $0 } }
}

/// An instance that is to be made.
package struct ContentCreation: JSONRecord {
    package let draft: ContentDraft
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentDraft", "An instance as it is to be at the server.")

    package init(_ draft: ContentDraft) { self.draft = draft }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        draft = try members.contentDraft(\.draft)
        policy = try members.offlinePolicy(\.policy)
        guard members.isDescribing || draft.module != nil else {
            throw members.mismatch("\"module\" is missing", "module")
        }
    }
}

/// An instance that is to be changed.
package struct ContentChange: JSONRecord {
    package let id: String
    package let draft: ContentDraft
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentDraft", "An instance as it is to be at the server.")

    package init(of id: String, _ draft: ContentDraft) { (self.id, self.draft) = (id, draft) }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.instanceID(\.id)
        draft = try members.contentDraft(\.draft)
        policy = try members.offlinePolicy(\.policy)
    }
}

/// Changes that are sent together, and done each for itself.
package struct ContentBatch: JSONRecord {
    package var created: [ContentDraft] = []
    package var updated: [ContentDraft] = []
    package var createdOrUpdated: [ContentDraft] = []
    /// Identifiers of instances.
    package var deleted: [String] = []
    /// Modules of which all instances go.
    package var truncated: [String] = []
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>(
        "ContentBatch",
        "Changes that are sent together, and done each for itself."
    )
    /// How many changes there may be in one.
    package static let limit = 1_000

    package init() {}

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        created = try members.optional("created", \.created.orNil, "To be made.") ?? []
        updated = try members.optional("updated", \.updated.orNil, "To be changed.") ?? []
        let eitherHelp = "To be changed, or made where they are not there."
        createdOrUpdated = try members.optional("createdOrUpdated", \.createdOrUpdated.orNil, eitherHelp) ?? []
        let gone = try members.optional(
            "deleted",
            { $0.deleted.map(Deletion.init).orNil },
            "To be removed.",
            .example([Deletion(id: "a1")])
        )
        let emptyHelp = "Modules of which all instances are removed."
        let empty = try members.optional("truncated", { $0.truncated.map(Truncation.init).orNil }, emptyHelp)
        (deleted, truncated) = (gone?.map(\.id) ?? [], empty?.map(\.module) ?? [])
        policy = try members.offlinePolicy(\.policy)
        if !members.isDescribing { try check(members) }
    }

    private func check(_ members: Members<Self>) throws(JSONMismatch) {
        let count = created.count + updated.count + createdOrUpdated.count + deleted.count + truncated.count
        guard (1...Self.limit).contains(count) else {
            throw members.mismatch("found \(count) changes, expected 1 to \(Self.limit)", "created")
        }
        for (name, drafts) in [("created", created), ("createdOrUpdated", createdOrUpdated)] {
            guard drafts.allSatisfy({ $0.module != nil }) else { throw members.mismatch("'module' is missing", name) }
        }
        guard updated.allSatisfy({ $0.id != nil }) else { throw members.mismatch("'id' is missing", "updated") }
    }
}

/// An instance that is to be removed.
private struct Deletion: JSONRecord {
    let id: String
    static let form = JSONForm<Self>("ContentDeletion", "An instance that is to be removed.")
}

extension Deletion {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The identifier.", .example("a1"))
    }
}

/// A module of which all instances are to be removed.
private struct Truncation: JSONRecord {
    let module: String
    static let form = JSONForm<Self>("ContentTruncation", "A module of which all instances are to be removed.")
}

extension Truncation {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.required("module", \.module, "Its name or identifier.", .example("articles"))
    }
}

extension Members {
    fileprivate mutating func contentDraft(_ get: @escaping @Sendable (Record) -> ContentDraft) throws(JSONMismatch)
        -> ContentDraft
    {
        var draft = ContentDraft()
        let moduleHelp = "Its name in the file, or its name or identifier at the server."
        draft.module = try optional("module", { get($0).module }, moduleHelp, .name, .example("articles"))
        draft.id = try optional("id", { get($0).id }, "The identifier the server gave it.", .name)
        draft.name = try optional("name", { get($0).name }, "Its name.", .example("Welcome"))
        draft.values = try present(
            "values",
            { get($0).values },
            "Its fields.",
            .example(.members(["title": .string("Welcome")]))
        )
        draft.tags = try optional("tags", { get($0).tags }, "What is said of it.")
        for name in [
            "publishedAt", "removedAt", "archivedAt", "deletedAt", "createdAt", "updatedAt", "createdBy", "updatedBy",
            "deletedBy", "customerId", "externalId", "revision", "pushSchedule",
        ] {
            draft.others[name] = try present(name, { get($0).others[name] }, "Passed on as it is.")
        }
        if let values = draft.values, values.members == nil {
            throw mismatch("'values': expected an object", "values")
        }
        return draft
    }
}

/// What is said of an instance or a device, by name.
package struct ContentTag: JSONRecord, Hashable {
    package let name: String
    package let value: String?
    /// What the server calls the kind of tag.
    package let type: String?
    package static let form = JSONForm<Self>("ContentTag", "What is said of an instance or a device.")
    package static var schema: JSONSchema { .of(form.requestSchema) }

    package init(_ name: String, _ value: String?, type: String? = nil) {
        (self.name, self.value, self.type) = (name, value, type)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its name.", .example("topic"))
        value = try members.optional("value", \.value, "What it says.", .example("news"))
        type = try members.optional("tagType", \.type, "The server's kind of tag.")
        // The server's own tags have an identifier, by which nothing is found.
        let _: String? = try members.optional("id", { _ in nil }, "The server's.")
    }
}
