import Synchronization
import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireTelemetry

/// Syncs the copy of one module: one sync at a time, reported in its log, events and metrics.
final class ModuleSync: Sendable {
    let module: StoredModule
    private let parts: Parts
    private let turn = SyncTurn()
    private let status = Mutex(Status())

    /// The parts that all keepers share.
    struct Parts: Sendable {
        let host: ContentHost
        let requests: any ServerClient
        let server: ContentServer
        let store: CopyStore
        let copyCache: CopyCache
        let scope: CopyScope
        let health: ContentHealth
        let limit: ByteCount
        let limitOrigin: ValueOrigin?
        let outcomes: MetricFamily<Counter>
        /// The barrier of syncs, closed while the data are cleared.
        let barrier: WorkBarrier
    }

    /// The state of the recent syncs.
    struct Status: Sendable {
        var failures = 0
        var failure: ContentFailure?
        /// The result of the last turn, for the callers that waited for it.
        fileprivate var last: (turn: Int, outcome: Result<ContentSync, ContentFailure>)?
    }

    init(_ module: StoredModule, _ parts: Parts) {
        self.module = module
        self.parts = parts
    }

    var present: Status { status.withLock { $0 } }
    var isRunning: Bool { turn.isTaken }

    /// The copy of the present user; nil where there is none yet, or one of another source.
    func copy() async throws(ContentFailure) -> ModuleCopy? {
        let scope = try parts.scope.module(module.name)
        let copy = try await ContentFailure.rethrowing(try await parts.copyCache.find(scope))
        return copy?.identity == identity ? copy : nil
    }

    func log() async throws(ContentFailure) -> [ContentSync] {
        let scope = try parts.scope.module(module.name)
        return try await ContentFailure.rethrowing(try await parts.store.log(scope))
    }

    private var identity: ModuleCopy.Identity {
        var identity = module.identity
        identity.server = parts.scope.server
        return identity
    }

    // MARK: Sync

    /// Whether the offline policy forbids requests.
    var isHeldHere: Bool { parts.requests.offlinePolicy == .returnLocalDataDontLoad }

    /// Syncs the copy with the server's present state.
    ///
    /// A caller during another sync waits for the next one, since the server may have been asked earlier; all waiting
    /// callers get the result of that next sync.
    func sync() async throws(ContentFailure) -> ContentSync {
        guard !isHeldHere else {
            throw ContentFailure(
                .offline,
                "a sync requires the server, and the offline policy is 'returnLocalDataDontLoad'",
                help: "change 'network.offlinePolicy'"
            )
        }
        let before = turn.begun
        while true {
            if Task.isCancelled { throw .cancelled }
            guard let number = await turn.begin() else {
                guard let last = status.withLock({ $0.last }), last.turn > before else { continue }
                switch last.outcome {
                case .success(let record): return record
                // The cancellation of the other caller says nothing about this one.
                case .failure(let failure) where failure.kind == .cancelled: continue
                case .failure(let failure): throw failure
                }
            }
            defer { turn.end() }
            let scope = try parts.scope.module(module.name)
            let outcome = await parts.barrier.run { () async -> Result<ContentSync, ContentFailure> in
                do throws(ContentFailure) {
                    return .success(try await self.perform(scope, number))
                } catch {
                    return .failure(error)
                }
            }
            switch outcome {
            case nil: throw .cancelled
            case .success(let record): return record
            case .failure(let failure):
                // The user has changed meanwhile: sync the copy of the present one.
                guard failure.kind == .cancelled, try parts.scope.module(module.name) != scope else { throw failure }
            }
        }
    }

    private func perform(_ scope: String, _ number: Int) async throws(ContentFailure) -> ContentSync {
        let clock = parts.host.clock
        let (time, start) = (clock.wall(), clock.monotonic())
        var record = ContentSync(at: time)
        let outcome: Result<ContentSync, ContentFailure>
        do throws(ContentFailure) {
            try await bringUpToDate(scope, &record)
            record.duration = Self.milliseconds(clock.monotonic() - start)
            outcome = .success(record)
        } catch {
            record.duration = Self.milliseconds(clock.monotonic() - start)
            record.failure = error.reason
            outcome = .failure(error)
        }
        status.withLock { $0.last = (number, outcome) }
        await tell(outcome, record, scope)
        return try outcome.get()
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int(clamping: duration.inMicroseconds / 1_000) }

    private func bringUpToDate(_ scope: String, _ record: inout ContentSync) async throws(ContentFailure) {
        var former = try await former(scope)
        if former.stored == nil {
            // The first sync accepts the server's own cache; newer changes are requested right after.
            let changes = try await ask(from: nil, cacheAge: .seconds(86_400))
            former = try await take(changes, former, scope, &record)
        }
        record.from = former.stored?.copy.timestamp
        let changes: SyncChanges
        do throws(ContentFailure) {
            changes = try await ask(from: former.stored?.copy.timestamp, cacheAge: nil)
        } catch {
            // The server no longer knows the changes since then.
            guard error.kind == .gone else { throw error }
            try await wipe(scope, former)
            throw error
        }
        if former.stored?.copy.timestamp != nil, record.to != nil { record.from = nil }
        _ = try await take(changes, former, scope, &record)
    }

    /// The present copy; a damaged one, or one of another source, is removed first.
    private func former(_ scope: String) async throws(ContentFailure) -> CopyStore.Reading {
        let reading = try await ContentFailure.rethrowing(try await parts.copyCache.read(scope))
        let name: LogValue = .text(module.name)
        if reading.isDamaged {
            parts.host.log.warning("the copy of a module cannot be read; loading the module again", ["module": name])
        } else if let stored = reading.stored, stored.copy.identity != identity {
            parts.host.log.notice("another source or language; loading the module again", ["module": name])
        } else {
            return reading
        }
        try await wipe(scope, reading)
        return CopyStore.Reading()
    }

    private func wipe(_ scope: String, _ reading: CopyStore.Reading) async throws(ContentFailure) {
        parts.copyCache.forget(scope)
        try await ContentFailure.rethrowing(try await parts.store.wipe(scope, over: reading.version))
    }

    private func ask(from: Int64?, cacheAge: Duration?) async throws(ContentFailure) -> SyncChanges {
        var ask = ContentServer.Ask(.post, "instance/sync")
        ask.body = .members([
            "moduleId": module.identity.id.map(JSONValue.string),
            "moduleName": module.identity.name.map(JSONValue.string),
            "locale": module.identity.locale.map(JSONValue.string), "fromSync": from.map { .integer(Int($0)) },
        ])
        ask.cacheAge = cacheAge
        ask.policy = OfflinePolicy.none
        ask.isRepeatable = true
        ask.place = parts.host.places.origin(of: module.place, "content.modules.\(module.name)")
        return try parts.server.json(try await parts.server.send(ask).bytes).changes()
    }

    /// Applies changes and stores them: all, or none.
    private func take(
        _ changes: SyncChanges,
        _ former: CopyStore.Reading,
        _ scope: String,
        _ record: inout ContentSync
    ) async throws(ContentFailure) -> CopyStore.Reading {
        let now = parts.host.clock.wall()
        let empty = ModuleCopy(identity, timestamp: 0, checked: now, items: [])
        let copy = (former.stored?.copy ?? empty).applying(changes, checked: now)
        guard copy.size <= parts.limit.bytes else {
            throw ContentFailure(
                .tooLarge,
                "the module '\(module.name)' has \(ByteCount.bytes(copy.size)), more than \(parts.limit)",
                help: "raise 'content.maxModuleSize'",
                origin: parts.limitOrigin
            )
        }
        // The content is not for a user who has signed in meanwhile.
        guard try parts.scope.module(module.name) == scope else { throw .cancelled }
        do throws(StoreFailure) {
            let stored = try await parts.store.write(
                copy,
                after: former.stored,
                changes: changes,
                in: scope,
                over: former.version
            )
            parts.copyCache.put(stored, scope)
            record.to = changes.timestamp
            record.created += changes.created.count
            record.updated += changes.updated.count
            record.deleted += changes.deleted.count
            record.unusable += changes.unusable
            record.items = copy.items.count
            return CopyStore.Reading(stored: stored, version: stored.version)
        } catch {
            parts.copyCache.forget(scope)
            throw ContentFailure(error)
        }
    }

    // MARK: Reports

    private func tell(_ outcome: Result<ContentSync, ContentFailure>, _ record: ContentSync, _ scope: String) async {
        let host = parts.host
        switch outcome {
        case .success:
            status.withLock { $0 = Status(last: $0.last) }
            parts.health.noteDone(module)
            parts.outcomes.with(module.name, "done").add()
            host.log.info(
                "synced",
                ["module": .text(module.name), "items": .integer(record.items ?? 0), "took": .integer(record.duration)]
            )
            emit(.synced, record)
        case .failure(let failure) where failure.kind == .cancelled || failure.kind == .ending: return
        case .failure(let failure):
            let failures = status.withLock { status in
                status.failures += 1
                status.failure = failure
                return status.failures
            }
            parts.health.record(failure, of: module, failures: failures)
            parts.outcomes.with(module.name, "failed").add()
            host.log.warning("not synced", ["module": .text(module.name), "reason": .text(failure.reason)])
            emit(.failed, record)
        }
        do throws(StoreFailure) {
            let log = try await [record] + parts.store.log(scope)
            try await parts.store.write(Array(log.prefix(ContentSync.kept)), in: scope)
        } catch {
            host.log.warning("the sync log of a module cannot be written", ["reason": .text(error.reason)])
        }
    }

    private func emit(_ event: ContentEvents, _ record: ContentSync) {
        var record = record
        record.module = module.name
        parts.host.emit(event, record)
    }
}
