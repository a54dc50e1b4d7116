package import WireBase
import WireConfig
import WireHTTP
import WireService
package import WireStateContract
package import WireStore
import WireTelemetry

/// The calls of the app's store, used by the local API and by code in this process.
extension PersistenceService {
    /// The entry under a key; nil where there is none.
    package func get(_ key: String, in namespace: String) async throws(StateFailure) -> StoredEntry? {
        try await look(try opened(namespace, key)) { (store, scope) throws(StoreFailure) in
            try await store.entry(key, in: scope)
        }
    }

    /// Looks at an entry at once; nil where the store has to be waited for.
    func lookAtOnce<Answer>(
        _ key: String,
        in namespace: String,
        _ look: (any ImmediateValues, _ scope: String) throws(StoreFailure) -> Answer
    ) throws(StateFailure) -> Answer? {
        let opened = try opened(namespace, key)
        guard let values = opened.data.immediateValues else { return nil }
        do throws(StoreFailure) { return try look(values, opened.area.scope) } catch { throw noted(error, opened) }
    }

    /// The metadata of an entry; nil where there is none.
    package func summary(of key: String, in namespace: String) async throws(StateFailure) -> StoredEntry.Summary? {
        try await look(try opened(namespace, key)) { (store, scope) throws(StoreFailure) in
            try await store.summary(key, in: scope)
        }
    }

    /// A page of entries, ordered by key.
    package func list(_ request: StateEntriesRequest) async throws(StateFailure) -> StateEntries {
        let page = request.page
        let found = try await look(try opened(request.namespace)) { (store, scope) throws(StoreFailure) in
            try await store.list(scope, prefix: page.prefix ?? "", after: page.after, limit: page.size + 1)
        }
        let entries = found.prefix(page.size).map(StateEntry.init)
        return StateEntries(of: request.namespace, entries, isMore: found.count > page.size)
    }

    /// A page of namespaces, ordered by name; of the named ones only where there are names.
    package func namespaces(
        _ page: StatePage,
        among names: [String]? = nil
    ) async throws(StateFailure) -> StateNamespaces {
        let present = present
        let rules = present.rules
        let usual = Opened(present: present, area: rules.usualArea)
        return try await look(usual) { (store, _) throws(StoreFailure) in
            let areas = rules.areas(inStore: try await store.namespaces()).filter { area in
                (names?.contains(area.name) ?? true) && area.name.hasPrefix(page.prefix ?? "")
                    && page.after.map { $0 < area.name } ?? true
            }
            var found: [StateNamespace] = []
            for area in areas.prefix(page.size) {
                let usage = try await Opened(present: present, area: area).store.usage(of: area.scope)
                let (isDeclared, isEncrypted) = (area.declared != nil, area.isEncrypted)
                found.append(
                    StateNamespace(area.name, usage, in: area.quota, isDeclared: isDeclared, isEncrypted: isEncrypted)
                )
            }
            return StateNamespaces(found, isMore: areas.count > page.size)
        }
    }

    /// Stores a value; returns when it is on the disk, if it is to be durable.
    package func put(
        _ value: [UInt8],
        type: String,
        lifetime: Duration? = nil,
        under key: String,
        in namespace: String,
        if condition: StoreCondition = .always,
        isDurable: Bool = true
    ) async throws(StateFailure) -> StoreReceipt {
        let opened = try opened(namespace, key)
        let (rules, area) = (opened.present.rules, opened.area)
        try rules.check(size: value.count)
        let new = NewValue(
            value,
            type: type,
            lifetime: try rules.lifetime(lifetime, in: area),
            isSealed: area.isEncrypted,
            quota: area.quota,
            isDurable: isDurable
        )
        let receipt = try await change(opened) { (store, scope) throws(StoreFailure) in
            try await store.put(new, under: key, in: scope, if: condition)
        }
        fullness.record(quota: receipt.removed, in: namespace)
        return receipt
    }

    /// The maximum size of a value; throws where a size is rejected before any of the value was received.
    package func limit(ofValuesIn namespace: String, _ size: Int) throws(StateFailure) -> ByteCount {
        let rules = present.rules
        _ = try rules.area(namespace)
        try rules.check(size: size)
        return rules.settings.maxValueSize
    }

    /// Removes an entry; returns whether there was one.
    package func remove(
        _ key: String,
        in namespace: String,
        if condition: StoreCondition = .always
    ) async throws(StateFailure) -> Bool {
        let wasThere = try await change(try opened(namespace, key)) { (store, scope) throws(StoreFailure) in
            try await store.remove(key, in: scope, if: condition)
        }
        if wasThere { fullness.noteRemoval() }
        return wasThere
    }

    /// Removes all entries; returns how many there were.
    package func clear(_ namespace: String) async throws(StateFailure) -> Int {
        let count = try await change(try opened(namespace)) { (store, scope) throws(StoreFailure) in
            try await store.clear(scope)
        }
        guard count > 0 else { return 0 }
        fullness.noteRemoval()
        let host = present.host
        host.log.notice("cleared", ["namespace": .text(namespace), "entries": .integer(count)])
        var event = StateEvent(namespace)
        event.entries = count
        host.emit(StateEvents.cleared, event)
        return count
    }

    /// The changes of a namespace from now on, or after a version.
    package func watch(_ namespace: String, after version: Int64? = nil) async throws(StateFailure) -> StateWatch {
        let ending = ending
        return try await look(try opened(namespace)) { (store, scope) throws(StoreFailure) in
            // No version is this late, so the result is the newest.
            let start =
                if let version { version } else { try await store.changes(after: .max, in: scope, limit: 1).version }
            return StateWatch(store: store, scope: scope, after: start, until: ending)
        }
    }

    // MARK: Asking the store

    /// An allowed namespace with its present settings.
    private struct Opened {
        let present: Present
        let area: PersistenceRules.Area

        var data: DataStore { area.isOnDevice ? present.host.stores.device : present.host.stores[.state] }
        var place: StorePlace { area.isOnDevice || !present.host.stores.isShared(.state) ? .machine : .group }
        var store: any KeyValueStore { data.values }
    }

    private func opened(_ namespace: String, _ key: String? = nil) throws(StateFailure) -> Opened {
        let present = present
        let area = try present.rules.area(namespace)
        if let key { try PersistenceRules.check(key: key) }
        return Opened(present: present, area: area)
    }

    private func look<Answer>(
        _ opened: Opened,
        _ look: (any KeyValueStore, String) async throws(StoreFailure) -> Answer
    ) async throws(StateFailure) -> Answer {
        do throws(StoreFailure) {
            return try await look(opened.store, opened.area.scope)
        } catch {
            throw noted(error, opened)
        }
    }

    private func noted(_ failure: StoreFailure, _ opened: Opened) -> StateFailure {
        health.record(failure, of: opened.place)
        return opened.present.rules.failure(failure, in: opened.area)
    }

    private func change<Answer: Sendable>(
        _ opened: Opened,
        _ change: (any KeyValueStore, String) async throws(StoreFailure) -> Answer
    ) async throws(StateFailure) -> Answer {
        do throws(StoreFailure) {
            let answer = try await change(opened.store, opened.area.scope)
            health.noteWritten(to: opened.place)
            changes.with("done").add()
            return answer
        } catch {
            health.record(error, of: opened.place)
            changes.with(error.isRefusal ? "refused" : "failed").add()
            if let limit = error.limit { fullness.record(limit, in: opened.area.name) }
            throw opened.present.rules.failure(error, in: opened.area)
        }
    }
}

extension StoreFailure {
    /// Whether the failure is a rejection while the store is healthy.
    fileprivate var isRefusal: Bool { limit != nil || kind == .conflict || kind == .refused }
}
