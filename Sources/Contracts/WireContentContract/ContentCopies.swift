package import WireHTTP

// The copies of modules, and how they were brought up to date.

/// The copies of modules.
package struct ContentCopies: JSONRecord {
    package let modules: [ContentCopy]
    package static let form = JSONForm<Self>("ContentModules", "The copies of modules that are kept here.")

    package init(_ modules: [ContentCopy]) { self.modules = modules }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        modules = try members.required("modules", \.modules, "In the order of the file.")
    }
}

/// The copy of a module that is kept here.
package struct ContentCopy: JSONRecord {
    package let module: String
    package var id, name, locale: String?
    package var items, size: Int?
    package var checked, timestamp: Int64?
    package var isRunning = false
    package var failures = 0
    package var failure: String?
    package var log: [ContentSync] = []
    package static let form = JSONForm<Self>("ContentModule", "The copy of a module that is kept here.")

    package init(of module: String) { self.module = module }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.required("module", \.module, "What the file calls it.", .example("articles"))
        id = try members.optional("id", \.id, "What the server calls it by.")
        name = try members.optional("name", \.name, "What the server calls it.")
        locale = try members.optional("locale", \.locale, "Its language; all of them without it.")
        let itemsHelp = "How many instances there are; it was never loaded without it."
        items = try members.optional("items", \.items, itemsHelp, .count)
        size = try members.optional("size", \.size, "The bytes of them.", .count)
        checked = try members.optional(
            "checked",
            \.checked,
            "When it was up to date, in milliseconds since 1970.",
            .moment
        )
        timestamp = try members.optional("timestamp", \.timestamp, "The same as the server counts.")
        isRunning = try members.required("running", \.isRunning, "Whether it is being brought up to date.")
        failures = try members.required("failures", \.failures, "How often in a row that has failed.", .count)
        failure = try members.optional("failure", \.failure, "Why it failed the last time.")
        log = try members.required("log", \.log, "The last times, the latest first.")
    }
}

/// One time a module was brought up to date, or was not.
package struct ContentSync: JSONRecord, Equatable {
    /// Said in events.
    package var module: String?
    package let time: Int64
    package var took = 0
    package var from, to: Int64?
    package var created = 0, updated = 0, deleted = 0, unusable = 0
    package var items: Int?
    package var failure: String?
    package static let form = JSONForm<Self>("ContentSync", "One time a module was brought up to date, or was not.")

    package init(at time: Int64) { self.time = time }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.optional("module", \.module, "The module, in events.")
        time = try members.required(
            "time",
            \.time,
            "When it began, in milliseconds since 1970.",
            .moment
        )
        took = try members.required("took", \.took, "How many milliseconds it took.", .count)
        let fromHelp = "The server's moment changes were asked for from; all was asked for without it."
        from = try members.optional("from", \.from, fromHelp)
        to = try members.optional("to", \.to, "The server's moment it is up to date with.")
        created = try members.value("created", \.created, "How many instances were new.", or: 0, .count)
        updated = try members.value("updated", \.updated, "How many had changed.", or: 0, .count)
        deleted = try members.value("deleted", \.deleted, "How many are gone.", or: 0, .count)
        let unusableHelp = "How many the server told without saying which they are."
        unusable = try members.value("unusable", \.unusable, unusableHelp, or: 0, .count)
        items = try members.optional("items", \.items, "How many instances there were in the end.", .count)
        failure = try members.optional("failure", \.failure, "Why it did not come about.")
    }

    /// How many are kept of a module.
    package static let kept = 50

    package var isDone: Bool { failure == nil }
}

/// What became of bringing modules up to date.
package struct ContentSyncOutcomes: JSONRecord {
    package let modules: [ContentSyncOutcome]
    package static let form = JSONForm<Self>("ContentSyncOutcomes", "What became of bringing modules up to date.")

    package init(_ modules: [ContentSyncOutcome]) { self.modules = modules }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        modules = try members.required("modules", \.modules, "In the order of the file.")
    }
}

/// What became of bringing a module up to date.
package struct ContentSyncOutcome: JSONRecord {
    package let module: String
    package var sync: ContentSync?
    package var reason, help: String?
    /// Why it is not up to date, for code in the same process; never in a JSON text.
    package private(set) var failure: ContentFailure?
    package static let form = JSONForm<Self>("ContentSyncOutcome", "What became of bringing a module up to date.")

    package init(of module: String, _ sync: ContentSync) { (self.module, self.sync) = (module, sync) }

    package init(of module: String, _ failure: ContentFailure) {
        (self.module, self.failure, reason, help) = (module, failure, failure.reason, failure.help)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        module = try members.required("module", \.module, "What the file calls it.", .example("articles"))
        _ = try members.required("done", \.isDone, "Whether it is up to date.")
        sync = try members.optional("sync", \.sync, "How it was.")
        reason = try members.optional("failure", \.reason, "Why it is not.")
        help = try members.optional("help", \.help, "What can be done about it.")
    }

    package var isDone: Bool { sync != nil }
}
