import WireConfig
package import WireHTTP
import WireService

/// How content is told; instances and modules are told as the server wrote them.
extension SyncRecord: JSONObject {
    package static let shape = JSONShape<Self>(
        "ContentSync",
        "One time a module was brought up to date, or was not.",
        [
            .member("time", "When it began, in milliseconds since 1970.") { $0.time },
            .member("took", "How many milliseconds it took.", as: .count()) { $0.took },
            .member("from", "The server's moment changes were asked for from; all was asked for without it.") {
                $0.from
            },
            .member("to", "The server's moment it is up to date with.") { $0.to },
            .member("created", "How many instances were new.", as: .count()) { $0.created },
            .member("updated", "How many had changed.", as: .count()) { $0.updated },
            .member("deleted", "How many are gone.", as: .count()) { $0.deleted },
            .member("unusable", "How many the server told without saying which they are.", as: .count()) {
                $0.unusable
            },
            .member("items", "How many instances there were in the end.", as: .count()) { $0.items },
            .member("failure", "Why it did not come about.") { $0.failure },
        ]
    )
}

extension SyncState: JSONObject {
    package static let shape = JSONShape<Self>(
        "ContentModule",
        "The copy of a module that is kept here.",
        [
            .member("module", "What the file calls it.") { $0.module.name },
            .member("id", "What the server calls it by.") { $0.module.identity.id },
            .member("name", "What the server calls it.") { $0.module.identity.name },
            .member("locale", "Its language; all of them without it.") { $0.module.identity.locale },
            .member("items", "How many instances there are; it was never loaded without it.", as: .count()) {
                $0.items
            },
            .member("size", "The bytes of them.", as: .count()) { $0.size },
            .member("checked", "When it was up to date, in milliseconds since 1970.") { $0.checked },
            .member("timestamp", "The same as the server counts.") { $0.timestamp },
            .member("running", "Whether it is being brought up to date.") { $0.isRunning },
            .member("failures", "How often in a row that has failed.", as: .count()) { $0.failures },
            .member("failure", "Why it failed the last time.") { $0.failure },
            .member("log", "The last times, the latest first.", as: .array(of: SyncRecord.schema)) { $0.log },
        ]
    )
}

extension SyncOutcome: JSONObject {
    package static let shape = JSONShape<Self>(
        "ContentSyncOutcome",
        "What became of bringing a module up to date.",
        [
            .member("module", "What the file calls it.") { $0.module },
            .member("done", "Whether it is up to date.") { $0.record != nil },
            .member("sync", "How it was.", as: SyncRecord.schema) { $0.record?.json },
            .member("failure", "Why it is not.") { $0.failure?.reason },
            .member("help", "What can be done about it.") { $0.failure?.help },
        ]
    )

    fileprivate var record: SyncRecord? { try? result.get() }

    fileprivate var failure: ContentFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }
}

extension BatchOutcome: JSONObject {
    package static let shape = JSONShape<Self>(
        "ContentOutcome",
        "What became of one change of several.",
        [
            .member("operation", "What was to be done, in the server's word.") { $0.operation },
            .member("position", "Which one of those it was, from 0.") { $0.position },
            .member("success", "Whether it is done.") { $0.isDone },
            .member("conflict", "Whether somebody else had changed it.") { $0.isConflict },
            .member("status", "The server's status of a failure.") { $0.status },
            .member("message", "The server's words for a failure.") { $0.message },
            .member("data", "As the server wrote it: the instance, or what went wrong.") { $0.data },
        ]
    )
}

extension ContentAnswer {
    func response(_ status: Status = .ok) -> Response {
        var fields: Fields = [
            "Content-Type": "application/json", "Cache-Control": "no-store", "Corewire-Cache": fact.text,
        ]
        if let age = fact.age { fields["Age"] = "\(age.components.seconds)" }
        if unresolved > 0 { fields["Corewire-Unresolved"] = "\(unresolved)" }
        return Response(status, fields: fields, body: .bytes(bytes))
    }
}
