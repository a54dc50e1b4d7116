import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// The mutations of one user in the store, sealed, and the real ids of what they created.
struct MutationShelf: Sendable {
    let store: any KeyValueStore
    let region: String

    var namespace: String { "\(region)queue" }
    var aliasSpace: String { "\(region)ids" }

    /// Whether a namespace is one of mutations or ids.
    static func owns(_ namespace: String) -> Bool { namespace.hasSuffix("/queue") || namespace.hasSuffix("/ids") }

    private static let type = "application/json"
    /// How long a mutation can be looked at after its end, and programs may go on to name a temporary id.
    static let endedAge = Duration.seconds(86_400)
    private static let aliasAge = Duration.seconds(30 * 86_400)

    // MARK: Mutations

    func read(_ id: String) throws(StoreFailure) -> (mutation: QueuedMutation, version: Int64)? {
        guard let entry = try store.entry(id, in: namespace) else { return nil }
        do throws(JSONMismatch) {
            let mutation = try QueuedMutation(parsing: entry.bytes, named: "record", toleratesUnknown: true)
            return (mutation, entry.summary.version)
        } catch {
            throw StoreFailure(
                error.isOfNewerVersion ? .newer : .corrupt,
                "the stored mutation \(id.quoted) cannot be read: \(error.detail)",
                help: error.isOfNewerVersion
                    ? "run the version that wrote it" : "'corewire sync queue remove' removes it"
            )
        }
    }

    /// Writes a new mutation; false where its id is taken.
    func add(_ mutation: QueuedMutation) async throws(StoreFailure) -> Bool {
        do throws(StoreFailure) {
            _ = try await store.put(value(mutation), under: mutation.id, in: namespace, if: .absent)
            return true
        } catch {
            guard error.kind == .conflict else { throw error }
            return false
        }
    }

    /// Changes a mutation, and again where another process has changed it meanwhile; nil where there is none.
    @discardableResult
    func edit(_ id: String, _ change: (inout QueuedMutation) -> Void) async throws(StoreFailure) -> QueuedMutation? {
        while true {
            guard let (former, version) = try read(id) else { return nil }
            var mutation = former
            change(&mutation)
            if mutation == former { return former }
            do throws(StoreFailure) {
                _ = try await store.put(value(mutation), under: id, in: namespace, if: .version(version))
                return mutation
            } catch {
                guard error.kind == .conflict else { throw error }
            }
        }
    }

    func remove(_ id: String) async throws(StoreFailure) -> Bool {
        try await store.remove(id, in: namespace, if: .always)
    }

    private func value(_ mutation: QueuedMutation) -> NewValue {
        let lifetime = mutation.state.hasEnded ? Self.endedAge : nil
        return NewValue(mutation.bytes, type: Self.type, lifetime: lifetime, isSealed: true)
    }

    /// All mutations in the order they were made; those that cannot be read are told and left out.
    func all(unreadable: (StoreFailure) -> Void = { _ in }) throws(StoreFailure) -> [QueuedMutation] {
        var found: [QueuedMutation] = []
        for id in try keys(of: namespace) {
            do throws(StoreFailure) {
                if let mutation = try read(id)?.mutation { found.append(mutation) }
            } catch {
                unreadable(error)
            }
        }
        return found.sorted { ($0.order, $0.id) < ($1.order, $1.id) }
    }

    private func keys(of namespace: String) throws(StoreFailure) -> [String] {
        var keys: [String] = []
        while true {
            let page = try store.list(namespace, prefix: "", after: keys.last, limit: 1_000)
            if page.isEmpty { return keys }
            keys += page.map(\.key)
        }
    }

    // MARK: Ids

    func keep(_ rewriting: TemporaryID.Rewriting) async throws(StoreFailure) {
        let bytes = rewriting.json.bytes()
        let value = NewValue(bytes, type: Self.type, lifetime: Self.aliasAge, isSealed: true)
        _ = try await store.put(value, under: rewriting.temporary, in: aliasSpace, if: .always)
    }

    func alias(_ temporary: String) throws(StoreFailure) -> TemporaryID.Rewriting? {
        guard let entry = try store.entry(temporary, in: aliasSpace) else { return nil }
        return (try? JSONValue(parsing: entry.bytes, named: "id")).flatMap(TemporaryID.Rewriting.init(json:))
    }

    func aliases() throws(StoreFailure) -> [TemporaryID.Rewriting] {
        var found: [TemporaryID.Rewriting] = []
        for key in try keys(of: aliasSpace) {
            if let rewriting = try alias(key) { found.append(rewriting) }
        }
        return found
    }

    // MARK: The cache

    /// Shows the mutations in a cache that was made for the user, and tells it the real ids; returns all that there are.
    @discardableResult
    func show(in cache: SyncCache, unreadable: (StoreFailure) -> Void) throws(StoreFailure) -> [QueuedMutation] {
        let mutations = try all(unreadable: unreadable)
        cache.show(only: mutations.compactMap(\.shownLayer))
        cache.resolve(try aliases())
        return mutations
    }
}
