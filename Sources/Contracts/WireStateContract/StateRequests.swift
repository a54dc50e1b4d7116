package import WireHTTP

// Inputs of the operations on the state.

/// Selects a page of a list; by default of the namespaces.
package struct StatePage: JSONRecord {
    package var prefix, after: String?
    package var limit: Int?

    package init(prefix: String? = nil, after: String? = nil, limit: Int? = nil) {
        (self.prefix, self.after, self.limit) = (prefix, after, limit)
    }

    /// The maximum number of elements.
    package var size: Int { limit ?? 100 }
}

extension StatePage {
    package static let form = JSONForm<Self>("StatePage", "A page of the namespaces.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { self = try members.statePage { $0 } }
}

/// Selects a page of entries, or the changes of a namespace.
package struct StateEntriesRequest: JSONRecord {
    package let namespace: String
    package var page: StatePage
    /// The version after which changes are returned.
    package var lastVersion: Int64?

    package init(_ namespace: String, _ page: StatePage = StatePage()) {
        (self.namespace, self.page) = (namespace, page)
    }
}

extension StateEntriesRequest {
    package static let form = JSONForm<Self>("StateEntriesRequest", "A page of the entries of a namespace.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespace = try members.stateNamespace(\.namespace)
        page = try members.statePage(\.page)
        lastVersion = try members.header(
            "Last-Event-ID",
            \.lastVersion,
            "The version to continue after.",
            .position
        )
    }
}

/// The name of a namespace.
package struct StateNamespaceName: JSONRecord {
    package let namespace: String

    package init(_ namespace: String) { self.namespace = namespace }
}

extension StateNamespaceName {
    package static let form = JSONForm<Self>("StateNamespaceName", "The name of a namespace.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespace = try members.stateNamespace(\.namespace)
    }
}

/// The name of an entry.
package struct StateEntryName: JSONRecord {
    package let namespace, key: String

    package init(_ key: String, in namespace: String) {
        (self.namespace, self.key) = (namespace, key)
    }

    /// The path pattern of values in the local API.
    package static let pattern = "/v1/state/{namespace}/{key…}"
    /// The maximum length of a key, in bytes of UTF-8.
    package static let keySize = 512
}

extension StateEntryName {
    package static let form = JSONForm<Self>("StateEntryName", "The name of an entry.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        namespace = try members.stateNamespace(\.namespace)
        key = try members.path(
            "key",
            \.key,
            "At most \(Self.keySize) bytes, none of its parts '.' or '..'; slashes may be written as they are.",
            .schema(.text(pattern: #"^[^\u0000-\u001f\u007f-\u009f]+$"#, upTo: Self.keySize)),
            .example("theme")
        )
    }
}

extension Members {
    fileprivate mutating func stateNamespace(
        _ get: @escaping @Sendable (Record) -> String
    ) throws(JSONMismatch) -> String {
        let rule = JSONRule<String>.schema(.text(pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$"))
        return try path("namespace", get, "Whose entries.", rule, .example("settings"))
    }

    fileprivate mutating func statePage(
        _ get: @escaping @Sendable (Record) -> StatePage
    ) throws(JSONMismatch) -> StatePage {
        var page = StatePage()
        page.prefix = try query("prefix", { get($0).prefix }, "Only names with this prefix.")
        page.after = try query(
            "after",
            { get($0).after },
            "Only elements after this one; the 'next' of the previous page."
        )
        page.limit = try query("limit", { get($0).limit }, "The maximum number.", .in(1...1_000))
        return page
    }
}
