import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireService
import WireStore
import WireSyncContract
import WireTelemetry
import WireWorkContract

/// The queued mutations of the present user: stored, sent by the outbox in order, shown until confirmed.
///
/// The record in the store is authoritative; the request in the outbox, the layer of the cache and the index are
/// derived from it, and rebuilt after a crash.
final class MutationQueue: Sendable {
    let host: SyncHost
    let settings: SyncSection
    let preparation: Preparation
    let caches: SyncCaches
    let outbox: any Outbox
    let barrier: WorkBarrier
    let fetches: SharedFetches
    private let meters: SyncMeters
    /// Yields when a mutation has changed.
    let changeListeners = Subscribers<Void>()
    /// The lanes whose next mutation waits for a retry, or for something other than the server's answer.
    let stalled = LaneMarks()
    private let known = Mutex<(region: String, index: MutationIndex)?>(nil)
    /// The change of the store up to which mutations were followed.
    let followed = Mutex<(region: String, version: Int64)?>(nil)
    let following = AsyncMutex()

    init(
        _ settings: SyncSection,
        _ host: SyncHost,
        _ preparation: Preparation,
        _ caches: SyncCaches,
        _ outbox: any Outbox,
        _ barrier: WorkBarrier,
        _ meters: SyncMeters,
        _ fetches: SharedFetches
    ) {
        (self.settings, self.host, self.preparation) = (settings, host, preparation)
        (self.caches, self.outbox, self.barrier, self.meters) = (caches, outbox, barrier, meters)
        self.fetches = fetches
    }

    var accounts: SyncAccounts { caches.accounts }
    var schema: Schema? { preparation.documents.schema }
    var now: Int64 { host.clock.wall() }

    /// The mutations of the present user.
    var repository: MutationRepository { MutationRepository(store: host.stores.device.values, region: accounts.region) }

    func rules(for operation: String?) -> MutationRules? {
        operation.flatMap { name in settings.mutations.items.first { $0.name == name }?.value }
    }

    /// The operation of a record, with its variables.
    func asked(_ mutation: QueuedMutation) throws(Fault) -> AskedOperation {
        do {
            let prepared = try preparation.kept(mutation.document, operation: mutation.operation)
            return try AskedOperation(prepared, mutation.variableMembers, nil, tokens: mutation.tokens)
        } catch {
            throw Fault("the document of the mutation cannot be read")
        }
    }

    func form(of asked: AskedOperation) -> MutationForm? {
        MutationForm(asked.question.operation, asked.question.variables, schema)
    }

    // MARK: Index

    func withIndex<Result>(
        _ repository: MutationRepository,
        _ use: (inout MutationIndex) -> Result
    ) async throws(StoreFailure) -> Result {
        var read: MutationIndex?
        if known.withLock({ $0?.region != repository.region }) {
            read = MutationIndex(try await repository.all(unreadable: logUnusable))
        }
        return known.withLock { known in
            // Meanwhile another task may have read the mutations of this region, or of another one.
            let present = known?.region == repository.region ? known?.index : nil
            var index = present ?? read ?? MutationIndex()
            // Avoids a copy of a long index.
            known = nil
            defer { known = (repository.region, index) }
            return use(&index)
        }
    }

    func reload(_ repository: MutationRepository) async throws(StoreFailure) {
        index(try await repository.all(unreadable: logUnusable), repository)
    }

    func index(_ mutations: [QueuedMutation], _ repository: MutationRepository) {
        let index = MutationIndex(mutations)
        known.withLock { $0 = (repository.region, index) }
    }

    func forget() {
        known.withLock { $0 = nil }
        stalled.forget()
    }

    func logUnusable(_ failure: StoreFailure) {
        host.log.warning("a queued mutation cannot be used", ["reason": .text(failure.reason)])
    }

    // MARK: Changes

    /// Changes a record, and what is derived from it in memory.
    @discardableResult
    func edit(
        _ id: String,
        on repository: MutationRepository,
        _ change: (inout QueuedMutation) -> Void
    ) async throws(StoreFailure) -> QueuedMutation? {
        guard let mutation = try await repository.edit(id, change) else { return nil }
        try await apply(mutation, repository)
        changeListeners.notify(())
        return mutation
    }

    /// Applies the present record of a mutation.
    func apply(_ mutation: QueuedMutation, _ repository: MutationRepository) async throws(StoreFailure) {
        if mutation.state.hasEnded { stalled.end(mutation.id) }
        try await withIndex(repository) { $0.record(mutation) }
    }

    func emit(_ mutation: QueuedMutation, resolution: SyncResolution? = nil) {
        let state = resolution == nil ? mutation.state : .conflict
        meters.mutation(state, resolution?.strategy)
        var event = SyncMutationEvent(mutation.id, lane: mutation.lane, mutation.state)
        (event.operation, event.reason) = (mutation.operation, mutation.reason)
        (event.temporaryID, event.realID) = (mutation.temporary, mutation.real)
        (event.fields, event.resolved) = (mutation.conflict?.fields, resolution.map(SyncMutationEvent.Resolution.init))
        host.emit(SyncEvents(state), event)
    }
}

/// Marked lanes, each for the mutation at its head.
final class LaneMarks: Sendable {
    private let lanes = Mutex<[String: String]>([:])

    func contains(_ lane: String) -> Bool { lanes.withLock { $0[lane] != nil } }

    func mark(_ lane: String, for mutation: String) { lanes.withLock { $0[lane] = mutation } }

    func unmark(_ lane: String) { lanes.withLock { $0[lane] = nil } }

    /// Removes the marks of a mutation that has ended, in any process.
    func end(_ mutation: String) {
        lanes.withLock { lanes in
            for lane in lanes.filter({ $0.value == mutation }).keys { lanes[lane] = nil }
        }
    }

    func forget() { lanes.withLock { $0 = [:] } }
}
