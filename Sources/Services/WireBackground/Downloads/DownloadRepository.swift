import WireBase
import WireHTTP
import WireService
import WireStore

/// The stored downloads of one app in one environment, with their queue.
struct DownloadRepository: Sendable {
    let store: DataStore
    /// The key prefix of this app and environment.
    let scope: String
    private let secrecy: @Sendable (String) -> String

    /// The prefix keeps the records out of reach of apps.
    static let namespace = "corewire/downloads"

    /// Takes a function that shortens long names.
    init(_ store: DataStore, app: String, environment: String, short: @escaping @Sendable (String) -> String) {
        self.store = store
        scope = "\(app)/\(environment)/"
        secrecy = short
    }

    init(_ other: DownloadRepository, at scope: String) {
        (store, secrecy, self.scope) = (other.store, other.secrecy, scope)
    }

    /// The records are sealed: addresses may contain secrets.
    var records: Repository<DownloadRecord> {
        Repository(in: store.values, namespace: Self.namespace, prefix: scope, of: "download", isSealed: true)
    }

    // MARK: The queue

    /// Downloads of one host and one priority share a queue, so that a worker with a free slot finds one at once.
    func queue(_ record: DownloadRecord, host: String?) -> String {
        "downloads/" + secrecy("\(scope)\n\(record.priority)\n\(host ?? "")")
    }

    /// Adds a download; false where it is in the queue already, or done.
    @discardableResult
    func add(_ record: DownloadRecord, host: String?) async throws(StoreFailure) -> Bool {
        let work = NewWork(id: record.ticket, lane: record.ticket, payload: Array(record.id.utf8))
        return try await store.queue.add(work, to: queue(record, host: host))
    }

    /// All entries of a download's queue, by ticket.
    func waiting(with record: DownloadRecord, host: String?) async throws(StoreFailure) -> [String: WaitingWork] {
        var found: [String: WaitingWork] = [:]
        let queue = queue(record, host: host)
        var after: Int64?
        while true {
            let page = try await store.queue.list(queue, after: after, limit: 1_000)
            for work in page { found[work.id] = work }
            guard let last = page.last else { return found }
            after = last.position
        }
    }

    func drop(_ record: DownloadRecord, host: String?) async throws(StoreFailure) {
        _ = try await store.queue.drop(record.ticket, from: queue(record, host: host))
    }

    func claim(_ record: DownloadRecord, host: String?) async throws(StoreFailure) -> ClaimedWork? {
        try await store.queue.claim(from: queue(record, host: host), for: Self.lease)
    }

    /// The lease of a claim, and the interval of its extensions.
    static let lease = Duration.seconds(60)
    static let extending = Duration.seconds(20)
}
