package import WireConfig
package import WireHTTP
package import WireNetworkContract

/// The content of an instance to create or change; absent members stay unset.
package struct ContentDraft: JSONRecord {
    /// The module, by its name in the file, or its name or id at the server.
    package var module: String?
    package var id, name: String?
    package var values: JSONValue?
    package var tags: [ContentTag]?
    /// Further members, passed on unchanged.
    fileprivate var others: [String: JSONValue] = [:]
    package static let form = JSONForm<Self>("ContentDraft", "The content of an instance.")
    package static var schema: JSONSchema { .of(form.requestSchema) }

    package init(module: String? = nil, id: String? = nil, name: String? = nil, values: JSONValue? = nil) {
        (self.module, self.id, self.name, self.values) = (module, id, name, values)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { self = try members.contentDraft { $0 } }
}

/// An instance to create.
package struct ContentCreation: JSONRecord {
    package let draft: ContentDraft
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentDraft", "The content of an instance.")

    package init(_ draft: ContentDraft) { self.draft = draft }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        draft = try members.contentDraft(\.draft)
        policy = try members.offlinePolicy(\.policy)
        guard members.isDescribing || draft.module != nil else {
            throw members.mismatch("\"module\" is missing", "module")
        }
    }
}

/// An instance to change.
package struct ContentChange: JSONRecord {
    package let id: String
    package let draft: ContentDraft
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentDraft", "The content of an instance.")

    package init(of id: String, _ draft: ContentDraft) { (self.id, self.draft) = (id, draft) }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.instanceID(\.id)
        draft = try members.contentDraft(\.draft)
        policy = try members.offlinePolicy(\.policy)
    }
}

/// Independent changes sent in one request.
package struct ContentBatch: JSONRecord {
    package var created: [ContentDraft] = []
    package var updated: [ContentDraft] = []
    package var createdOrUpdated: [ContentDraft] = []
    /// The ids of instances to delete.
    package var deleted: [String] = []
    /// The modules whose instances are all deleted.
    package var truncated: [String] = []
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>(
        "ContentBatch",
        "Independent changes sent in one request."
    )
    /// The maximum number of changes in a batch.
    package static let limit = 1_000

    package init() {}

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        created = try members.optional("created", \.created.orNil, "Instances to create.") ?? []
        updated = try members.optional("updated", \.updated.orNil, "Instances to change.") ?? []
        let eitherHelp = "Instances to change, or to create where they do not exist."
        createdOrUpdated = try members.optional("createdOrUpdated", \.createdOrUpdated.orNil, eitherHelp) ?? []
        let gone = try members.optional(
            "deleted",
            { $0.deleted.map(Deletion.init).orNil },
            "Instances to delete.",
            .example([Deletion(id: "a1")])
        )
        let emptyHelp = "Modules whose instances are all deleted."
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

/// An instance to delete.
private struct Deletion: JSONRecord {
    let id: String
    static let form = JSONForm<Self>("ContentDeletion", "An instance to delete.")
}

extension Deletion {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The identifier.", .example("a1"))
    }
}

/// A module whose instances are all deleted.
private struct Truncation: JSONRecord {
    let module: String
    static let form = JSONForm<Self>("ContentTruncation", "A module whose instances are all deleted.")
}

extension Truncation {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.required("module", \.module, "The name or id of the module.", .example("articles"))
    }
}

extension Members {
    fileprivate mutating func contentDraft(_ get: @escaping @Sendable (Record) -> ContentDraft) throws(JSONMismatch)
        -> ContentDraft
    {
        var draft = ContentDraft()
        let moduleHelp = "The module, by its name in the file, or its name or id at the server."
        draft.module = try optional("module", { get($0).module }, moduleHelp, .name, .example("articles"))
        draft.id = try optional("id", { get($0).id }, "The id at the server.", .name)
        draft.name = try optional("name", { get($0).name }, "The name.", .example("Welcome"))
        draft.values = try present(
            "values",
            { get($0).values },
            "The fields.",
            .example(.members(["title": .string("Welcome")]))
        )
        draft.tags = try optional("tags", { get($0).tags }, "The tags.")
        for name in [
            "publishedAt", "removedAt", "archivedAt", "deletedAt", "createdAt", "updatedAt", "createdBy", "updatedBy",
            "deletedBy", "customerId", "externalId", "revision", "pushSchedule",
        ] {
            draft.others[name] = try present(name, { get($0).others[name] }, "Passed on unchanged.")
        }
        if let values = draft.values, values.members == nil {
            throw mismatch("'values': expected an object", "values")
        }
        return draft
    }
}

/// A tag of an instance or a device.
package struct ContentTag: JSONRecord, Hashable {
    package let name: String
    package let value: String?
    /// The server's name for the kind of tag.
    package let type: String?
    package static let form = JSONForm<Self>("ContentTag", "A tag of an instance or a device.")
    package static var schema: JSONSchema { .of(form.requestSchema) }

    package init(_ name: String, _ value: String?, type: String? = nil) {
        (self.name, self.value, self.type) = (name, value, type)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name.", .example("topic"))
        value = try members.optional("value", \.value, "The value.", .example("news"))
        type = try members.optional("tagType", \.type, "The server's kind of tag.")
        // The server's tags have an id, which is not used.
        let _: String? = try members.optional("id", { _ in nil }, "The id at the server.")
    }
}
