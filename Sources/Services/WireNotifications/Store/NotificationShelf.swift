import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// Where notifications of the app and the environment lie in the store of the group.
struct NotificationShelf: Sendable {
    let work: any WorkQueue
    let values: any KeyValueStore
    /// What all names of the environment begin with; what all of the app begin with.
    let root: String
    let appRoot: String

    init(
        work: any WorkQueue,
        values: any KeyValueStore,
        app: String,
        environment: String,
        digest: (String) -> String
    ) {
        (self.work, self.values) = (work, values)
        appRoot = "notifications/\(app)/"
        // An environment of its own URL may have a name as long as a URL may be.
        let name = environment.utf8.count > 120 ? "#\(digest(environment))" : environment
        root = "\(appRoot)\(name)/"
    }

    /// What waits to be handled, and what became of it.
    var queue: String { root }
    /// What was shown.
    var inbox: String { "\(root)inbox" }
    /// What handlers have done of notifications that are not done.
    var progress: String { "\(root)progress" }
    /// Which pictures there are, and what for.
    var media: String { "\(root)media" }
    /// Where the latest of several is found: of what has one id, and of what takes one place where it is shown.
    var pointers: String { "\(root)pointers" }
    /// The permission, and how far streams were read.
    var notes: String { "\(root)notes" }

    // MARK: Notes

    func note(_ key: String) throws(StoreFailure) -> String? {
        try values.entry(key, in: notes).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    func keep(_ text: String, under key: String) async throws(StoreFailure) {
        _ = try await values.put(
            NewValue(Array(text.utf8), type: "text/plain", isSealed: true),
            under: key,
            in: notes,
            if: .always
        )
    }

    // MARK: Pointers

    enum Pointer: String, Sendable {
        /// From an id to where its latest update waits, or what became of it.
        case latest
        /// From an id, or a key of those that replace each other, to the entry of the list.
        case shown
    }

    func pointer(_ kind: Pointer, of key: String) throws(StoreFailure) -> String? {
        try values.entry("\(kind.rawValue)/\(key)", in: pointers).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    func point(_ kind: Pointer, of key: String, to target: String) async throws(StoreFailure) {
        let value = NewValue(Array(target.utf8), type: "text/plain", lifetime: Self.pointersKept, isSealed: true)
        _ = try await values.put(value, under: "\(kind.rawValue)/\(key)", in: pointers, if: .always)
    }

    /// As long as anything they point to may be kept.
    private static let pointersKept = Duration.seconds(365 * 86_400)

    // MARK: Progress

    /// Keys have a limit, and so have ids: both are the store's.
    func progress(of id: String) throws(StoreFailure) -> HandlingProgress? {
        try values.entry(id, in: progress).flatMap { HandlingProgress($0.bytes) }
    }

    func keep(_ progress: HandlingProgress, of id: String, for lifetime: Duration) async throws(StoreFailure) {
        _ = try await values.put(
            NewValue(progress.bytes, type: "application/json", lifetime: lifetime, isSealed: true),
            under: id,
            in: self.progress,
            if: .always
        )
    }

    func forgetProgress(of id: String) async throws(StoreFailure) {
        _ = try await values.remove(id, in: progress, if: .always)
    }
}
