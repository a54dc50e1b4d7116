import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireSyncContract
import WireWorkContract

extension SyncService {
    /// The default wait for a mutation while there is a network.
    private static let usualWait = Duration.seconds(10)
    private static let longestWait = Duration.seconds(300)

    /// Runs a mutation at once, or by the queue, whose answer is the expected data where the server's does not come in
    /// time.
    func mutate(
        _ asked: AskedOperation,
        id: String? = nil,
        optimistic: JSONValue? = nil,
        wait: Duration? = nil
    ) async throws(SyncFailure) -> SyncAnswer {
        guard let queue else {
            guard id == nil, optimistic == nil else {
                throw SyncFailure(
                    .notQueued,
                    "'id' and 'optimistic' require queued mutations",
                    help: "set 'sync.queueMutations' to true"
                )
            }
            return try await fetch(asked).answer
        }
        if let refusal = showRefusal(asked.tokens) { throw refusal }
        if let optimistic, optimistic.members == nil {
            throw SyncFailure(.invalid, "'optimistic': expected an object, like 'data' of a response")
        }
        let mutation = try await queue.accept(asked, id: id, optimistic: optimistic)
        defer { fetches.mutated() }
        let limit = wait ?? (isOnline ? Self.usualWait : .zero)
        return await queue.answer(await queue.wait(for: mutation, atMost: min(limit, Self.longestWait), ending))
    }

    private var isOnline: Bool {
        requests.offlinePolicy != .returnLocalDataDontLoad && host.uses.connectivity?.isOnline ?? true
    }

    // MARK: The queue

    /// The queue, for a caller who may see the data of the present user.
    private func queue(for tokens: TokenRights) throws(SyncFailure) -> MutationQueue {
        guard let queue else {
            throw SyncFailure(
                .notQueued,
                "mutations are not queued",
                help: "set 'sync.queueMutations' to true"
            )
        }
        if let refusal = showRefusal(tokens) { throw refusal }
        return queue
    }

    func queued(_ page: SyncQueueRequest, _ tokens: TokenRights) async throws(SyncFailure) -> SyncQueue {
        let queue = try queue(for: tokens)
        return try await SyncFailure.rethrowing(try await queue.list(page))
    }

    func queued(_ id: String, _ tokens: TokenRights) async throws(SyncFailure) -> SyncQueued {
        let queue = try queue(for: tokens)
        let found = try await SyncFailure.rethrowing(try await queue.repository.read(id))
        guard let found else { throw SyncFailure.unknownMutation(id) }
        return found.described(whole: true)
    }

    func drop(_ id: String, _ tokens: TokenRights) async throws(SyncFailure) {
        let queue = try queue(for: tokens)
        let (repository, cache) = (queue.repository, await caches.present)
        let isKnown = try await SyncFailure.wrapping { () async throws(StoreFailure) in
            do throws(StoreFailure) {
                guard try await repository.read(id) != nil else { return false }
                try await queue.fail(id, "the mutation was removed", nil, repository, cache)
            } catch {
                // An unreadable mutation is removed whole.
                guard error.kind == .corrupt || error.kind == .sealed else { throw error }
                _ = try await repository.records.remove(id)
            }
            return true
        }
        guard isKnown else { throw SyncFailure.unknownMutation(id) }
        queue.outbox.drain()
    }

    func decide(_ decision: SyncDecision, _ tokens: TokenRights) async throws(SyncFailure) -> SyncQueued {
        let queue = try queue(for: tokens)
        return try await queue.decide(decision, queue.repository, caches.present).described(whole: true)
    }
}
