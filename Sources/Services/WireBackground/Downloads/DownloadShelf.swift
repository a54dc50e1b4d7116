import WireBase
import WireHTTP
import WireService
import WireStore

/// Where downloads are written down, and the queue they are claimed from: of one app in one environment.
struct DownloadShelf: Sendable {
    let stores: Stores
    /// What the keys of this app and environment begin with.
    let scope: String
    private let secrecy: @Sendable (String) -> String

    /// No name that apps can reach begins so.
    static let namespace = "corewire/downloads"

    /// Takes what makes a short name of a long one.
    init(_ stores: Stores, app: String, environment: String, short: @escaping @Sendable (String) -> String) {
        self.stores = stores
        scope = "\(app)/\(environment)/"
        secrecy = short
    }

    init(_ other: DownloadShelf, at scope: String) {
        (stores, secrecy, self.scope) = (other.stores, other.secrecy, scope)
    }

    /// The address may hold secrets, and so it is sealed.
    var records: Repository<DownloadRecord> {
        Repository(in: stores.values, namespace: Self.namespace, prefix: scope, of: "download", isSealed: true)
    }

    // MARK: Work

    /// Downloads of one host and one priority wait together, so that whoever has room for one of them finds it at once.
    func queue(_ record: DownloadRecord, host: String?) -> String {
        "downloads/" + secrecy("\(scope)\n\(record.priority)\n\(host ?? "")")
    }

    /// False where it waits there already, or is done.
    @discardableResult
    func add(_ record: DownloadRecord, host: String?) async throws(StoreFailure) -> Bool {
        let work = NewWork(id: record.ticket, lane: record.ticket, payload: Array(record.id.utf8))
        return try await stores.queue.add(work, to: queue(record, host: host))
    }

    /// All that waits together with a download, by its ticket.
    func waiting(with record: DownloadRecord, host: String?) throws(StoreFailure) -> [String: WaitingWork] {
        var found: [String: WaitingWork] = [:]
        let queue = queue(record, host: host)
        var after: Int64?
        while true {
            let page = try stores.queue.list(queue, after: after, limit: 1_000)
            for work in page { found[work.id] = work }
            guard let last = page.last else { return found }
            after = last.position
        }
    }

    func drop(_ record: DownloadRecord, host: String?) async throws(StoreFailure) {
        _ = try await stores.queue.drop(record.ticket, from: queue(record, host: host))
    }

    func claim(_ record: DownloadRecord, host: String?, by owner: String) async throws(StoreFailure) -> ClaimedWork? {
        try await stores.queue.claim(from: queue(record, host: host), by: owner, for: Self.lease)
    }

    /// How long a claim holds without being extended, and how often it is.
    static let lease = Duration.seconds(60)
    static let extending = Duration.seconds(20)
}
