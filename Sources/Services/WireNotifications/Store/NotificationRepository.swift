import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// The names of an environment's notification data in the store.
struct NotificationRepository: Sendable {
    let work: any WorkQueue
    let values: any KeyValueStore
    /// The values of this machine: its permission, its positions in streams, and the uses of its files.
    let device: any KeyValueStore
    /// The prefix of all names of the environment, and of the app.
    let root: String
    let appRoot: String

    init(
        work: any WorkQueue,
        values: any KeyValueStore,
        device: any KeyValueStore,
        app: String,
        environment: String,
        digest: (String) -> String
    ) {
        (self.work, self.values, self.device) = (work, values, device)
        appRoot = "\(SharedData.notifications.root)/\(app)/"
        // The name of an environment with its own URL may be as long as a URL.
        let name = environment.utf8.count > 120 ? "#\(digest(environment))" : environment
        root = "\(appRoot)\(name)/"
    }

    /// The queue and the results.
    var queue: String { root }
    /// The shown notifications.
    var inbox: String { "\(root)inbox" }
    /// The progress of unfinished notifications.
    var progress: String { "\(root)progress" }
    /// The pictures, and the notifications that use them.
    var media: String { "\(root)media" }
    /// Pointers to the latest notification with an id or a key.
    var pointers: String { "\(root)pointers" }
    /// The permission, and the positions of streams.
    var notes: String { "\(root)notes" }

    /// Writes an entry that needs room, and removes it again.
    func probe() async throws(StoreFailure) {
        let (namespace, bytes) = ("\(root)probe", [UInt8](repeating: 0x20, count: 65_536))
        _ = try await values.put(NewValue(bytes, type: ""), under: "probe", in: namespace, if: .always)
        _ = try await values.clear(namespace)
    }

    // MARK: Notes

    func record(_ key: String) async throws(StoreFailure) -> String? {
        try await device.entry(key, in: notes).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    func keep(_ text: String, under key: String, isDurable: Bool = true) async throws(StoreFailure) {
        let value = NewValue(Array(text.utf8), type: "text/plain", isSealed: true, isDurable: isDurable)
        _ = try await device.put(value, under: key, in: notes, if: .always)
    }

    // MARK: Pointers

    enum Pointer: String, Sendable {
        /// From an id to its latest update in the queue or the results.
        case latest
        /// From an id or a collapse key to the entry of the list.
        case shown
    }

    func pointer(_ kind: Pointer, of key: String) async throws(StoreFailure) -> String? {
        try await storedPointer(kind, of: key)?.target
    }

    func storedPointer(_ kind: Pointer, of key: String) async throws(StoreFailure) -> (target: String, version: Int64)?
    {
        try await values.entry("\(kind.rawValue)/\(key)", in: pointers).map {
            (String(decoding: $0.bytes, as: UTF8.self), $0.summary.version)
        }
    }

    func point(_ kind: Pointer, of key: String, to target: String, if condition: StoreCondition = .always)
        async throws(StoreFailure)
    {
        let value = NewValue(Array(target.utf8), type: "text/plain", lifetime: Self.pointersKept, isSealed: true)
        _ = try await values.put(value, under: "\(kind.rawValue)/\(key)", in: pointers, if: condition)
    }

    /// At least as long as the targets are kept.
    private static let pointersKept = Duration.seconds(365 * 86_400)

    // MARK: Progress

    /// Keys are limited, and ids from the store fit.
    func progress(of id: String) async throws(StoreFailure) -> HandlingProgress? {
        try await values.entry(id, in: progress).flatMap { HandlingProgress($0.bytes) }
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
