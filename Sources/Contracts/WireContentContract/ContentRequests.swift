import WireConfig
package import WireHTTP
package import WireNetworkContract

// Inputs of the operations on content.

/// Selects a page of modules.
package struct ContentModulesRequest: JSONRecord {
    package let paging: ContentPaging
    package var withFields = false
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentModulesRequest", "A page of modules.")

    package init(_ paging: ContentPaging) { self.paging = paging }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        paging = try members.contentPaging(\.paging)
        withFields = try members.withFields(\.withFields)
        policy = try members.offlinePolicy(\.policy)
    }
}

/// Selects a module.
package struct ContentModuleRequest: JSONRecord {
    package let module: String
    package var withFields = false
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentModuleRequest", "A module.")

    package init(_ module: String) { self.module = module }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.path(
            "module",
            \.module,
            "The module, by its name in the file, or its name or id at the server.",
            .example("articles")
        )
        withFields = try members.withFields(\.withFields)
        policy = try members.offlinePolicy(\.policy)
    }
}

/// Selects an instance.
package struct ContentInstanceRequest: JSONRecord {
    package let id: String
    package var locale: String?
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentInstanceRequest", "An instance.")

    package init(_ id: String) { self.id = id }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.instanceID(\.id)
        locale = try members.contentLocale(\.locale)
        policy = try members.offlinePolicy(\.policy)
    }
}

/// An instance to delete.
package struct ContentRemoval: JSONRecord {
    package let id: String
    package var policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentRemoval", "An instance to delete.")

    package init(_ id: String) { self.id = id }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.instanceID(\.id)
        policy = try members.offlinePolicy(\.policy)
    }
}

/// Selects stored copies; those of all modules where none is named.
package struct ContentCopiesRequest: JSONRecord {
    package let module: String?
    package static let form = JSONForm<Self>("ContentCopiesRequest", "The selection of stored copies.")

    package init(_ module: String? = nil) { self.module = module }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.query("module", \.module, "Only this module, by its name in the file.")
    }
}

/// Selects the modules to sync; all modules where none is named.
package struct ContentSyncRequest: JSONRecord {
    package let module: String?
    package static let form = JSONForm<Self>("ContentSyncRequest", "The selection of modules to sync.")

    package init(_ module: String? = nil) { self.module = module }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.optional(
            "module",
            \.module,
            "Only this module, by its name in the file.",
            .example("articles")
        )
    }
}

/// A simple search in the query of a URL: `?module=news&where=price > 10&sort=name desc&page=2`.
package struct ContentSearchRequest: JSONRecord {
    private let module, values, meta, sort, ids, fields, include, locale: String?
    private let paging: ContentPaging
    private let policy: OfflinePolicy?
    package static let form = JSONForm<Self>("ContentSearchRequest", "A simple search.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.query("module", \.module, "The module, by its name in the file or at the server.")
        values = try members.query(
            "where",
            \.values,
            "The filter for fields: price > 10 and name like \"a\"."
        )
        let metaHelp = "The filter for properties of all instances: createdAt > \"2026-01-01\"."
        meta = try members.query("whereMeta", \.meta, metaHelp)
        sort = try members.query("sort", \.sort, "The sort order: name asc,createdAt desc.")
        ids = try members.query("ids", \.ids, "Only instances with these ids, separated by commas.")
        fields = try members.query("fields", \.fields, "The fields to return, separated by commas.")
        let includeHelp = "Fields whose references are resolved, separated by commas; 'all' for all."
        include = try members.query("include", \.include, includeHelp)
        locale = try members.contentLocale(\.locale)
        paging = try members.contentPaging(\.paging)
        policy = try members.offlinePolicy(\.policy)
    }

    /// The query; filters stay as text.
    ///
    /// Only the runner parses filter texts; invalid ones are rejected.
    package var query: ContentQuery {
        get throws(ContentFailure) {
            func list(_ text: String?) -> JSONValue? {
                text.map { .array($0.split(separator: ",", omittingEmptySubsequences: false).map { .string("\($0)") }) }
            }
            let asked = JSONValue.members([
                "module": module?.jsonValue, "where": values?.jsonValue, "whereMeta": meta?.jsonValue,
                "sort": sort?.jsonValue,
                "instanceIds": list(ids), "fields": list(fields), "include": list(include), "locale": locale?.jsonValue,
            ])
            do throws(JSONMismatch) {
                var query = try ContentQuery(parsing: asked.bytes(), named: "query")
                (query.paging, query.policy) = (paging, policy)
                return query
            } catch {
                let name = error.member == "instanceIds" ? "ids" : error.member
                throw ContentFailure(.invalidQuery, "'\(name)': \(error.detail)")
            }
        }
    }
}

extension Members {
    mutating func offlinePolicy(_ get: @escaping @Sendable (Record) -> OfflinePolicy?) throws(JSONMismatch)
        -> OfflinePolicy?
    {
        try header("Corewire-Offline-Policy", get, "The offline policy; by default that of the file.")
    }

    mutating func instanceID(_ get: @escaping @Sendable (Record) -> String) throws(JSONMismatch) -> String {
        try path("id", get, "The id at the server.", .example("a1"))
    }

    fileprivate mutating func withFields(_ get: @escaping @Sendable (Record) -> Bool) throws(JSONMismatch) -> Bool {
        try queryFlag("withFields", get, "Include the fields of its instances.")
    }

    fileprivate mutating func contentLocale(_ get: @escaping @Sendable (Record) -> String?) throws(JSONMismatch)
        -> String?
    {
        try query("locale", get, "The language, such as en-US.", .language)
    }

    fileprivate mutating func contentPaging(_ get: @escaping @Sendable (Record) -> ContentPaging) throws(JSONMismatch)
        -> ContentPaging
    {
        let page = try query(
            "page",
            { get($0).isSkipped ? nil : get($0).page },
            "The page number, from 1.",
            .in(ContentPaging.pages)
        )
        let limit = try query("limit", { get($0).limit }, "The page size.", .in(ContentPaging.limits))
        let isSkipped = try queryFlag("skip", { get($0).isSkipped }, "Return everything on one page.")
        return ContentPaging(page: page ?? 1, limit: limit, isSkipped: isSkipped)
    }
}
