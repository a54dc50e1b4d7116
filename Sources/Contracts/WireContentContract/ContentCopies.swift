package import WireHTTP

// The stored copies of modules, with their sync log.

/// The stored copies of modules.
package struct ContentCopies: JSONRecord {
    package let modules: [ContentCopy]
    package static let form = JSONForm<Self>("ContentModules", "The stored copies of modules.")

    package init(_ modules: [ContentCopy]) { self.modules = modules }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        modules = try members.required("modules", \.modules, "The modules in the order of the file.")
    }
}

/// The stored copy of a module.
package struct ContentCopy: JSONRecord {
    package let module: String
    package var id, name, locale: String?
    package var items, size: Int?
    package var checked, timestamp: Int64?
    package var isRunning = false
    package var failures = 0
    package var failure: String?
    package var log: [ContentSync] = []
    package static let form = JSONForm<Self>("ContentModule", "The stored copy of a module.")

    package init(of module: String) { self.module = module }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.required("module", \.module, "The name of the module in the file.", .example("articles"))
        id = try members.optional("id", \.id, "The id at the server.")
        name = try members.optional("name", \.name, "The name at the server.")
        locale = try members.optional("locale", \.locale, "The language; all languages where absent.")
        let itemsHelp = "The number of instances; absent where the module was never loaded."
        items = try members.optional("items", \.items, itemsHelp, .count)
        size = try members.optional("size", \.size, "The size in bytes.", .count)
        checked = try members.optional(
            "checked",
            \.checked,
            "The time of the last sync in milliseconds since 1970.",
            .moment
        )
        timestamp = try members.optional("timestamp", \.timestamp, "The server's timestamp of the last sync.")
        isRunning = try members.required("running", \.isRunning, "Whether a sync is running.")
        failures = try members.required("failures", \.failures, "The number of consecutive failures.", .count)
        failure = try members.optional("failure", \.failure, "Why the last sync failed.")
        log = try members.required("log", \.log, "The last syncs, the latest first.")
    }
}

/// A successful or failed sync of a module.
package struct ContentSync: JSONRecord, Equatable {
    /// The module; only in events.
    package var module: String?
    package let time: Int64
    package var duration = 0
    package var from, to: Int64?
    package var created = 0, updated = 0, deleted = 0, unusable = 0
    package var items: Int?
    package var failure: String?
    package static let form = JSONForm<Self>("ContentSync", "A successful or failed sync of a module.")

    package init(at time: Int64) { self.time = time }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.optional("module", \.module, "The module; only in events.")
        time = try members.required(
            "time",
            \.time,
            "The start in milliseconds since 1970.",
            .moment
        )
        duration = try members.required("took", \.duration, "The duration in milliseconds.", .count)
        let fromHelp = "The server's timestamp that the sync started from; absent for a full sync."
        from = try members.optional("from", \.from, fromHelp)
        to = try members.optional("to", \.to, "The server's timestamp that the sync reached.")
        created = try members.value("created", \.created, "The number of new instances.", or: 0, .count)
        updated = try members.value("updated", \.updated, "The number of changed instances.", or: 0, .count)
        deleted = try members.value("deleted", \.deleted, "The number of deleted instances.", or: 0, .count)
        let unusableHelp = "The number of instances without an id, which were skipped."
        unusable = try members.value("unusable", \.unusable, unusableHelp, or: 0, .count)
        items = try members.optional("items", \.items, "The number of instances after the sync.", .count)
        failure = try members.optional("failure", \.failure, "Why the sync failed.")
    }

    /// The number of log entries stored per module.
    package static let kept = 50

    package var isDone: Bool { failure == nil }
}

/// The results of a sync.
package struct ContentSyncOutcomes: JSONRecord {
    package let modules: [ContentSyncOutcome]
    package static let form = JSONForm<Self>("ContentSyncOutcomes", "The results of a sync.")

    package init(_ modules: [ContentSyncOutcome]) { self.modules = modules }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        modules = try members.required("modules", \.modules, "The results in the order of the file.")
    }
}

/// The result of syncing a module.
package struct ContentSyncOutcome: JSONRecord {
    package let module: String
    package var sync: ContentSync?
    package var reason, help: String?
    /// The failure, for code in the same process; never in JSON.
    package private(set) var failure: ContentFailure?
    package static let form = JSONForm<Self>("ContentSyncOutcome", "The result of syncing a module.")

    package init(of module: String, _ sync: ContentSync) { (self.module, self.sync) = (module, sync) }

    package init(of module: String, _ failure: ContentFailure) {
        (self.module, self.failure, reason, help) = (module, failure, failure.reason, failure.help)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.required("module", \.module, "The name of the module in the file.", .example("articles"))
        _ = try members.required("done", \.isDone, "Whether the module is up to date.", .example(true))
        sync = try members.optional("sync", \.sync, "The sync.")
        reason = try members.optional("failure", \.reason, "Why the sync failed.")
        help = try members.optional("help", \.help, "What to do about the failure.")
    }

    package var isDone: Bool { sync != nil }
}
