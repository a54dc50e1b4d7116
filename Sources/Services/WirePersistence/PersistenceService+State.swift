package import WireBase
import WireConfig
import WireService
package import WireStore
import WireTelemetry

/// What can be asked of what apps store; the local API and code in this process ask alike.
extension PersistenceService {
    /// The entry under a key; nil where there is none.
    package func get(_ key: String, in namespace: String) throws(StateFailure) -> StoredEntry? {
        try looking(into: namespace) { (store, area) throws(StoreFailure) in
            try store.entry(key, in: area.scope)
        } checking: { (_, _) throws(StateFailure) in
            try PersistenceRules.check(key: key)
        }
    }

    /// What is known about an entry without its value; nil where there is none.
    package func summary(of key: String, in namespace: String) throws(StateFailure) -> StoredEntry.Summary? {
        try looking(into: namespace) { (store, area) throws(StoreFailure) in
            try store.summary(key, in: area.scope)
        } checking: { (_, _) throws(StateFailure) in
            try PersistenceRules.check(key: key)
        }
    }

    /// Entries in the order of their keys, and whether there are more.
    package func list(_ namespace: String, _ page: StatePage) throws(StateFailure) -> (
        entries: [StoredEntry.Summary], isMore: Bool
    ) {
        let found = try looking(into: namespace) { (store, area) throws(StoreFailure) in
            try store.list(area.scope, prefix: page.prefix, after: page.after, limit: page.limit + 1)
        }
        return (Array(found.prefix(page.limit)), found.count > page.limit)
    }

    /// The namespaces in the order of their names, with what they hold, and whether there are more.
    package func namespaces(_ page: StatePage, among names: [String]? = nil) throws(StateFailure) -> (
        namespaces: [(area: PersistenceRules.Area, usage: StoreUsage)], isMore: Bool
    ) {
        let present = present
        let store = present.host.stores.values
        do throws(StoreFailure) {
            let areas = present.rules.areas(inStore: try store.namespaces()).filter { area in
                (names?.contains(area.name) ?? true) && area.name.hasPrefix(page.prefix)
                    && page.after.map { $0 < area.name } ?? true
            }
            var found: [(PersistenceRules.Area, StoreUsage)] = []
            for area in areas.prefix(page.limit) { found.append((area, try store.usage(of: area.scope))) }
            return (found, areas.count > page.limit)
        } catch {
            health.note(error)
            throw located(StateFailure(error, in: present.rules.usualArea, present.rules.settings), present)
        }
    }

    /// Stores a value; returns when it is on the disk.
    package func put(
        _ value: [UInt8],
        type: String,
        lifetime: Duration? = nil,
        under key: String,
        in namespace: String,
        if condition: StoreCondition = .always
    ) async throws(StateFailure) -> StoreReceipt {
        let receipt = try await changing(namespace) { (store, area) throws(StoreFailure) in
            let new = NewValue(
                value,
                type: type,
                // It was found good below, before anything is stored.
                lifetime: lifetime ?? area.lifetime,
                isSealed: area.isEncrypted,
                room: area.room
            )
            return try await store.put(new, under: key, in: area.scope, if: condition)
        } checking: { (rules, area) throws(StateFailure) in
            try PersistenceRules.check(key: key)
            try rules.check(size: value.count)
            _ = try PersistenceRules.lifetime(lifetime, in: area)
        }
        fullness.note(room: receipt.removed, in: namespace)
        return receipt
    }

    /// How large a value may be; throws where one of a size is not taken, before any of it has come.
    package func limit(ofValuesIn namespace: String, _ size: Int) throws(StateFailure) -> ByteCount {
        let present = present
        _ = try area(namespace, present) { (rules, _) throws(StateFailure) in try rules.check(size: size) }
        return present.rules.settings.maxValueSize
    }

    /// Removes an entry; returns whether there was one.
    package func remove(
        _ key: String,
        in namespace: String,
        if condition: StoreCondition = .always
    ) async throws(StateFailure) -> Bool {
        let wasThere = try await changing(namespace) { (store, area) throws(StoreFailure) in
            try await store.remove(key, in: area.scope, if: condition)
        } checking: { (_, _) throws(StateFailure) in
            try PersistenceRules.check(key: key)
        }
        if wasThere { fullness.noteRemoval() }
        return wasThere
    }

    /// Removes all entries; returns how many there were.
    package func clear(_ namespace: String) async throws(StateFailure) -> Int {
        let count = try await changing(namespace) { (store, area) throws(StoreFailure) in
            try await store.clear(area.scope)
        }
        guard count > 0 else { return 0 }
        fullness.noteRemoval()
        let host = present.host
        host.log.notice("cleared", ["namespace": .text(namespace), "entries": .integer(count)])
        host.events.emit(
            "state.cleared",
            generation: host.generation,
            .members(["namespace": .string(namespace), "entries": .integer(count)])
        )
        return count
    }

    /// The changes of a namespace from now on, or after a version.
    package func watch(_ namespace: String, after version: Int64? = nil) throws(StateFailure) -> StateWatch {
        let ending = ending
        return try looking(into: namespace) { (store, area) throws(StoreFailure) in
            // No version is as late as this, so the answer is the newest there is.
            let start: Int64
            if let version {
                start = version
            } else {
                start = try store.changes(after: .max, in: area.scope, limit: 1).version
            }
            return StateWatch(store: store, scope: area.scope, after: start, until: ending)
        }
    }

    // MARK: Asking the store

    private typealias Check = (PersistenceRules, PersistenceRules.Area) throws(StateFailure) -> Void

    private func looking<Answer>(
        into namespace: String,
        _ look: (any KeyValueStore, PersistenceRules.Area) throws(StoreFailure) -> Answer,
        checking check: Check = { (_, _) throws(StateFailure) in }
    ) throws(StateFailure) -> Answer {
        let present = present
        let area = try area(namespace, present, check)
        do throws(StoreFailure) {
            return try look(present.host.stores.values, area)
        } catch {
            health.note(error)
            throw located(StateFailure(error, in: area, present.rules.settings), present)
        }
    }

    private func changing<Answer: Sendable>(
        _ namespace: String,
        _ change: (any KeyValueStore, PersistenceRules.Area) async throws(StoreFailure) -> Answer,
        checking check: Check = { (_, _) throws(StateFailure) in }
    ) async throws(StateFailure) -> Answer {
        let present = present
        let area = try area(namespace, present, check)
        do throws(StoreFailure) {
            let answer = try await change(present.host.stores.values, area)
            health.noteWritten()
            changes.with("done").add()
            return answer
        } catch {
            health.note(error)
            changes.with(error.isRefusal ? "refused" : "failed").add()
            if let limit = error.limit { fullness.note(limit, in: namespace) }
            throw located(StateFailure(error, in: area, present.rules.settings), present)
        }
    }

    private func area(_ name: String, _ present: Present, _ check: Check) throws(StateFailure) -> PersistenceRules.Area
    {
        do throws(StateFailure) {
            let area = try present.rules.area(name)
            try check(present.rules, area)
            return area
        } catch {
            throw located(error, present)
        }
    }

    private func located(_ failure: StateFailure, _ present: Present) -> StateFailure {
        guard let place = failure.place else { return failure }
        var failure = failure
        failure.origin = present.host.places.origin(of: place, failure.path)
        return failure
    }
}

extension StoreFailure {
    /// Whether it is an answer to what was asked, and the store is well.
    fileprivate var isRefusal: Bool { limit != nil || kind == .conflict || kind == .refused }
}

/// A stretch of a list.
package struct StatePage: Sendable {
    package var prefix = ""
    package var after: String?
    package var limit = 100

    package static let limits = 1...1_000

    package init(prefix: String = "", after: String? = nil, limit: Int = 100) {
        self.prefix = prefix
        self.after = after
        self.limit = limit
    }
}
