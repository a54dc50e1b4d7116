import WireBase
package import WireHTTP
package import WireStore

// Values of the operations on the state.

/// A namespace with its size.
package struct StateNamespace: JSONRecord, Hashable {
    package let name: String
    package let entries, size: Int
    package let maxEntries, maxSize: Int?
    package let isDeclared, isEncrypted: Bool

    package init(_ name: String, _ usage: StoreUsage, in quota: StorageQuota, isDeclared: Bool, isEncrypted: Bool) {
        (self.name, entries, size) = (name, usage.entries, usage.size.bytes)
        (maxEntries, maxSize) = (quota.entries, quota.size?.bytes)
        (self.isDeclared, self.isEncrypted) = (isDeclared, isEncrypted)
    }
}

extension StateNamespace {
    package static let form = JSONForm<Self>("StateNamespace", "A namespace with its size.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name.", .example("settings"))
        entries = try members.required("entries", \.entries, "The number of entries.", .count, .example(1))
        size = try members.required("size", \.size, "The total size in bytes.", .count, .example(6))
        maxEntries = try members.optional("maxEntries", \.maxEntries, "The maximum number of entries.")
        maxSize = try members.optional("maxSize", \.maxSize, "The maximum size in bytes.")
        isDeclared = try members.required("declared", \.isDeclared, "Whether the services file declares it.")
        isEncrypted = try members.required("encrypted", \.isEncrypted, "Whether its values are encrypted.")
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
        namespaces = try members.required("namespaces", \.namespaces, "The namespaces, by name.")
        next = try members.optional("next", \.next, "The value of 'after' for the next page.")
    }
}

/// An entry without its value.
package struct StateEntry: JSONRecord, Hashable {
    package let key: String
    package let version: Int64
    package let type: String
    package let size: Int
    /// The last change in milliseconds since 1970.
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
        key = try members.required("key", \.key, "The key.", .example("theme"))
        version = try members.required("version", \.version, "The version of the last change; the ETag.")
        type = try members.required("type", \.type, "The media type.", .example("application/json"))
        size = try members.required("size", \.size, "The size in bytes.", .count, .example(6))
        modified = try members.required(
            "modified",
            \.modified,
            "The last change in milliseconds since 1970.",
            .moment
        )
        expires = try members.optional("expires", \.expires, "The expiry in milliseconds since 1970.", .moment)
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
        namespace = try members.required("namespace", \.namespace, "The namespace.", .example("settings"))
        entries = try members.required("entries", \.entries, "The entries, by key.")
        next = try members.optional("next", \.next, "The value of 'after' for the next page.")
    }
}

/// A cleared namespace.
package struct StateRemoval: JSONRecord {
    package let namespace: String
    package let removed: Int

    package init(of removed: Int, in namespace: String) {
        (self.namespace, self.removed) = (namespace, removed)
    }
}

extension StateRemoval {
    package static let form = JSONForm<Self>("StateRemoval", "A cleared namespace.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespace = try members.required("namespace", \.namespace, "The namespace.", .example("settings"))
        removed = try members.required("removed", \.removed, "The number of removed entries.", .count, .example(1))
    }
}

/// A changed entry, in an event of a namespace: 'put', 'removed' or 'expired'.
package struct StateChange: JSONRecord {
    package let key: String
    package let version: Int64

    package init(_ key: String, _ version: Int64) { (self.key, self.version) = (key, version) }
}

extension StateChange {
    package static let form = JSONForm<Self>("StateChange", "A changed entry.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        key = try members.required("key", \.key, "The entry.")
        version = try members.required("version", \.version, "The version of the change.")
    }
}

/// A gap in the history, in the event 'gap'.
package struct StateGap: JSONRecord {
    package let after, before: Int64

    package init(after: Int64, before: Int64) { (self.after, self.before) = (after, before) }
}

extension StateGap {
    package static let form = JSONForm<Self>("StateGap", "A gap in the history of changes.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        after = try members.required("after", \.after, "The last version before the gap.")
        before = try members.required("before", \.before, "The first version after the gap.")
    }
}
