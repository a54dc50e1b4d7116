import WireBase
package import WireHTTP
package import WireStore

// What is told of what apps store.

/// A namespace with what it holds.
package struct StateNamespace: JSONRecord, Hashable {
    package let name: String
    package let entries, size: Int
    package let maxEntries, maxSize: Int?
    package let isDeclared, isEncrypted: Bool

    package init(_ name: String, _ usage: StoreUsage, in room: StoreRoom, isDeclared: Bool, isEncrypted: Bool) {
        (self.name, entries, size) = (name, usage.entries, usage.size.bytes)
        (maxEntries, maxSize) = (room.entries, room.size?.bytes)
        (self.isDeclared, self.isEncrypted) = (isDeclared, isEncrypted)
    }
}

extension StateNamespace {
    package static let form = JSONForm<Self>("StateNamespace", "A namespace with what it holds.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its name.", .example("settings"))
        entries = try members.required("entries", \.entries, "How many entries.", .count, .example(1))
        size = try members.required("size", \.size, "Their bytes.", .count, .example(6))
        maxEntries = try members.optional("maxEntries", \.maxEntries, "How many there may be.")
        maxSize = try members.optional("maxSize", \.maxSize, "How many bytes there may be.")
        isDeclared = try members.required("declared", \.isDeclared, "Whether the file names it.")
        isEncrypted = try members.required("encrypted", \.isEncrypted, "Whether its values are sealed.")
    }
}

/// A page of the namespaces.
package struct StateNamespaces: JSONRecord {
    package let namespaces: [StateNamespace]
    package let next: String?

    package init(_ namespaces: [StateNamespace], isMore: Bool) {
        (self.namespaces, next) = (namespaces, isMore ? namespaces.last?.name : nil)
    }
}

extension StateNamespaces {
    package static let form = JSONForm<Self>("StateNamespaces", "A page of the namespaces.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespaces = try members.required("namespaces", \.namespaces, "By name.")
        next = try members.optional("next", \.next, "Where the next page begins, as 'after'.")
    }
}

/// An entry without its value.
package struct StateEntry: JSONRecord, Hashable {
    package let key: String
    package let version: Int64
    package let type: String
    package let size: Int
    /// Milliseconds since 1970.
    package let modified: Int64
    package let expires: Int64?

    package init(_ summary: StoredEntry.Summary) {
        (key, version, type, size) = (summary.key, summary.version, summary.type, summary.size)
        (modified, expires) = (summary.modified, summary.expires)
    }
}

extension StateEntry {
    package static let form = JSONForm<Self>("StateEntry", "An entry without its value.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        key = try members.required("key", \.key, "Its name in the namespace.", .example("theme"))
        version = try members.required("version", \.version, "The number of its last change; its ETag.")
        type = try members.required("type", \.type, "The media type it was given with.", .example("application/json"))
        size = try members.required("size", \.size, "The bytes of its value.", .count, .example(6))
        modified = try members.required(
            "modified",
            \.modified,
            "When it was changed, in milliseconds since 1970.",
            .moment
        )
        expires = try members.optional("expires", \.expires, "When it goes, in milliseconds since 1970.", .moment)
    }
}

/// A page of the entries of a namespace.
package struct StateEntries: JSONRecord {
    package let namespace: String
    package let entries: [StateEntry]
    package let next: String?

    package init(of namespace: String, _ entries: [StateEntry], isMore: Bool) {
        (self.namespace, self.entries, next) = (namespace, entries, isMore ? entries.last?.key : nil)
    }
}

extension StateEntries {
    package static let form = JSONForm<Self>("StateEntries", "A page of the entries of a namespace.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespace = try members.required("namespace", \.namespace, "Whose they are.", .example("settings"))
        entries = try members.required("entries", \.entries, "By key.")
        next = try members.optional("next", \.next, "Where the next page begins, as 'after'.")
    }
}

/// A namespace that was emptied.
package struct StateRemoval: JSONRecord {
    package let namespace: String
    package let removed: Int

    package init(of removed: Int, in namespace: String) {
        (self.namespace, self.removed) = (namespace, removed)
    }
}

extension StateRemoval {
    package static let form = JSONForm<Self>("StateRemoval", "A namespace that was emptied.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespace = try members.required("namespace", \.namespace, "The one that is empty now.", .example("settings"))
        removed = try members.required("removed", \.removed, "How many entries there were.", .count, .example(1))
    }
}

/// An entry that has changed, as an event of a watched namespace tells it: 'put', 'removed' or 'expired'.
package struct StateChange: JSONRecord {
    package let key: String
    package let version: Int64

    package init(_ key: String, _ version: Int64) { (self.key, self.version) = (key, version) }
}

extension StateChange {
    package static let form = JSONForm<Self>("StateChange", "An entry that has changed.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        key = try members.required("key", \.key, "The entry.")
        version = try members.required("version", \.version, "The number of the change.")
    }
}

/// Changes that are no longer known, as the event 'gap' tells it.
package struct StateGap: JSONRecord {
    package let after, before: Int64

    package init(after: Int64, before: Int64) { (self.after, self.before) = (after, before) }
}

extension StateGap {
    package static let form = JSONForm<Self>("StateGap", "Changes that are no longer known.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        after = try members.required("after", \.after, "The last version that was told.")
        before = try members.required("before", \.before, "The first one that is known again.")
    }
}
