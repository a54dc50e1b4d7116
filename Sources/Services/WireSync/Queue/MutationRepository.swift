import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireSyncContract

/// The stored mutations of one user, sealed, and the real ids of created objects.
struct MutationRepository: Sendable {
    let store: any KeyValueStore
    let region: String

    /// Whether a namespace is one of mutations or ids.
    static func owns(_ namespace: String) -> Bool { namespace.hasSuffix("/queue") || namespace.hasSuffix("/ids") }

    /// How long a mutation is listed after its end, and programs may use a temporary id.
    static let endedAge = Duration.seconds(86_400)
    private static let aliasAge = Duration.seconds(30 * 86_400)

    var records: Repository<QueuedMutation> {
        Repository(
            in: store,
            namespace: "\(region)queue",
            of: "mutation",
            removal: "'corewire sync queue remove' removes it",
            isSealed: true
        ) { $0.state.hasEnded ? Self.endedAge : nil }
    }

    private var ids: Repository<GivenID> {
        Repository(in: store, namespace: "\(region)ids", of: "id", isSealed: true) { _ in Self.aliasAge }
    }

    // MARK: Mutations

    func read(_ id: String) async throws(StoreFailure) -> QueuedMutation? { try await records.read(id)?.record }

    /// Changes a mutation, and retries where another process has changed it meanwhile; nil where there is none.
    @discardableResult
    func edit(_ id: String, _ change: (inout QueuedMutation) -> Void) async throws(StoreFailure) -> QueuedMutation? {
        try await records.edit(id) { mutation in
            guard var changed = mutation else { return }
            change(&changed)
            mutation = changed
        }.stored?.record
    }

    /// All mutations in order of creation; unreadable ones are reported and omitted.
    func all(unreadable: (StoreFailure) -> Void = { _ in }) async throws(StoreFailure) -> [QueuedMutation] {
        try await records.all(unreadable: unreadable).map(\.record).sorted { ($0.order, $0.id) < ($1.order, $1.id) }
    }

    // MARK: Ids

    func keep(_ rewriting: TemporaryID.Rewriting) async throws(StoreFailure) {
        let given = GivenID(temporary: rewriting.temporary, real: rewriting.real)
        try await ids.put(given, of: given.temporary, if: .always)
    }

    /// Throws where the id exists and cannot be read: mutations that name it wait until it can.
    func alias(_ temporary: String) async throws(StoreFailure) -> TemporaryID.Rewriting? {
        try await ids.read(temporary)?.record.rewriting
    }

    func aliases() async throws(StoreFailure) -> [TemporaryID.Rewriting] {
        try await ids.all().compactMap(\.record.rewriting)
    }

    // MARK: The cache

    /// Shows the mutations in a new cache of the user, and sets its real ids; returns all mutations.
    @discardableResult
    func show(in cache: SyncCache, unreadable: (StoreFailure) -> Void) async throws(StoreFailure) -> [QueuedMutation] {
        let mutations = try await all(unreadable: unreadable)
        cache.show(only: mutations.compactMap(\.shownLayer))
        cache.resolve(try await aliases())
        return mutations
    }
}

/// The server's id of an object created under a temporary one.
private struct GivenID: JSONRecord {
    let temporary: String
    let real: JSONValue

    var rewriting: TemporaryID.Rewriting? { TemporaryID.Rewriting(temporary, to: real) }
}

extension GivenID {
    static let form = JSONForm<Self>("GivenID", "The real id of a temporary one.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        temporary = try members.required("temporary", \.temporary, "The temporary id.")
        real = try members.required("real", \.real, "The real id.")
    }
}
